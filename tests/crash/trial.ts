import { Client } from './client.ts';
import { type Finding, findFaults } from './counters.ts';
import { gather, openShop, type Unfinished } from './evidence.ts';
import { type Failpoint, type Fate, nameOfPoint } from './failpoints.ts';
import type { Flow } from './flows/flow.ts';
import type { Random } from './random.ts';
import { faults, wrongAnswers } from './upstream.ts';
import { type Disturbance, type Repeat, repeats, type World } from './world.ts';

/** One run of a flow with injected faults: one or two servers end or stall at chosen failpoints, or a processor fails. */
export interface Trial {
  readonly flow: Flow;
  readonly repeat: Repeat;
  readonly at?: Failpoint;
  readonly fate?: Fate;
  /** Whether a stalled server resumes soon, or after everything is settled; random if absent. */
  readonly stall?: 'brief' | 'long';
  /** The failpoint at which the next server also ends. */
  readonly next?: Failpoint;
  readonly disturbance?: Disturbance;
}

export interface TrialResult {
  readonly findings: readonly Finding[];
  /** The work that never reached its final state. */
  readonly unfinished: Unfinished | undefined;
  /** The number of servers that ended or stalled. */
  readonly deaths: number;
  /** The number of requests to processors that failed. */
  readonly broken: number;
}

export const nameOfTrial = ({ flow, at, fate = 'ends', next, disturbance, repeat }: Trial): string =>
  [
    flow.name,
    ...(at === undefined ? [] : [`${fate} at ${nameOfPoint(at)}`]),
    ...(next === undefined ? [] : [`then ends at ${nameOfPoint(next)}`]),
    ...(disturbance === undefined ? [] : [`${disturbance.fault} from call ${disturbance.call}`]),
    `repeated ${repeat}`,
  ].join(', ');

let runs = 0;

/** Runs a flow on a new account, lets the client repeat everything, and compares both sides. */
async function run(world: World, flow: Flow, begin: () => void, onSettled: () => void): Promise<TrialResult> {
  const { deaths, broken } = world;
  const shop = await openShop(world.place, flow.processor);
  world.serve(shop);
  runs += 1;
  const client = new Client(world, shop, `run${runs}`);
  await flow.run(client, begin);
  await world.settle();
  onSettled();
  const struck = { deaths: world.deaths - deaths, broken: world.broken - broken };
  await world.resume();
  await world.settle();
  world.begin();
  world.second = undefined;
  world.disturbance = undefined;
  if (flow.isOnce !== true) await flow.run(client, () => {});
  const unfinished = await world.settle();
  const findings = [...findFaults(await gather(world.place, shop, [client])), ...world.takeUnexpected()];
  return { ...struck, unfinished, findings };
}

export async function runTrial(world: World, trial: Trial, random: Random): Promise<TrialResult> {
  world.repeat = trial.repeat;
  world.lagMs = random.below(120);
  const isBrief = random.chance(1 / 2);
  world.isBriefStall = trial.stall === undefined ? isBrief : trial.stall === 'brief';
  const begin = () => {
    world.second = trial.next;
    world.disturbance = trial.disturbance;
    world.begin(trial.at, trial.fate);
  };
  return run(world, trial.flow, begin, () => {});
}

/** The recording of a flow's run without faults. */
export interface Recording {
  /** The failpoints that were passed, with their first passages. */
  readonly points: readonly Failpoint[];
  /** The number of requests to the processor. */
  readonly calls: number;
}

export async function record(world: World, flow: Flow): Promise<Recording> {
  let passed: ReadonlyMap<string, number> = new Map();
  const { findings, unfinished, deaths } = await run(
    world,
    flow,
    () => world.begin(),
    () => {
      passed = world.passed();
    },
  );
  if (findings.length > 0 || unfinished !== undefined || deaths > 0) {
    throw new Error(`${flow.name} fails undisturbed: ${JSON.stringify({ findings, unfinished, deaths })}`);
  }
  const points = [...passed].flatMap(([name, count]) =>
    Array.from({ length: Math.min(count, passages) }, (_value, index) => ({ name, passage: index + 1 })),
  );
  const exchanges = [...passed].filter(([name]) => /^processor_.* before$/.test(name));
  return { points, calls: exchanges.reduce((sum, [, count]) => sum + count, 0) };
}

const passages = 2;

/** The share of trials in which the next server also ends, and the share in which a processor also fails. */
const secondEnds = 1 / 4;
const brokenBesides = 1 / 4;

/** Plans one trial for each failpoint of a flow, in which the server ends. */
export function planEnds(flow: Flow, recording: Recording, random: Random): Trial[] {
  const { points } = recording;
  const disturbances = planDisturbances(flow, recording, random);
  return points.map((at) => ({
    ...(random.chance(brokenBesides) && disturbances.length > 0 ? random.pick(disturbances) : {}),
    flow,
    at,
    repeat: random.pick(repeats),
    ...(random.chance(secondEnds) ? { next: random.pick(points) } : {}),
  }));
}

/** Plans one trial for each failpoint of a flow, in which the server stalls. */
export const planStalls = (flow: Flow, { points }: Recording, random: Random): Trial[] =>
  points.map((at) => ({ flow, at, fate: 'stalls', repeat: random.pick(repeats) }));

/** Plans one trial for each fault at each of a flow's requests to its processor. */
export const planDisturbances = (flow: Flow, { calls }: Recording, random: Random): Trial[] =>
  Array.from({ length: calls }, (_value, index) => index + 1).flatMap((call) =>
    quickFaults.map((fault) => ({ flow, repeat: random.pick(repeats), disturbance: { call, fault } })),
  );

/** Plans one trial for each wrong response at each of a flow's requests to its processor. */
export const planWrongAnswers = (flow: Flow, { calls }: Recording, random: Random): Trial[] =>
  Array.from({ length: calls }, (_value, index) => index + 1).flatMap((call) =>
    wrongAnswers.map((fault) => ({
      flow,
      repeat: random.pick(repeats),
      disturbance: { call, fault },
    })),
  );

const quickFaults = [...faults.filter((fault) => fault !== 'slow'), 'outage'] as const;
