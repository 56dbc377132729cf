import type { CleanUp } from '../../support/clean-up.ts';
import type { Finding } from '../counters.ts';
import { calmTimeoutMs, openDividedFleet, openFleet, openFleetWithDatabase } from '../fleets.ts';
import type { Flow } from '../flows/flow.ts';
import { flows } from '../flows/flows.ts';
import type { Random } from '../random.ts';
import { sweep } from '../sweep.ts';
import {
  planDisturbances,
  planEnds,
  planStalls,
  planWrongAnswers,
  type Recording,
  record,
  type Trial,
} from '../trial.ts';
import { World } from '../world.ts';
import { killBackend, killDatabase, killServer, loseLock, rotateVault } from './blows.ts';
import { stopUnderLoad } from './graceful.ts';
import { runLoad } from './load.ts';
import { moveUnderLoad } from './moves.ts';
import { killWithSandbox } from './own-sandbox.ts';
import { captureAndVoid, confirmAndExpiry, refundsAtOnce, sameEmail, sameKey } from './races.ts';
import { oneTenantHangs } from './tenants.ts';

/** The result of one round. */
export interface CycleResult {
  /** The number of runs of a merchant's program. */
  readonly flows: number;
  /** The number of servers, databases and requests to processors that ended, stalled or failed. */
  readonly struck: number;
  readonly findings: readonly Finding[];
  /** Texts about other problems. */
  readonly problems: readonly string[];
}

export type Cycle = (cleanUp: CleanUp, random: Random) => Promise<CycleResult>;

const clients = 16;
const blowsAtOnce = 5;
const stopsAtOnce = 5;
const endsAtOnce = 25;
const stallsAtOnce = 15;
const disturbancesAtOnce = 25;
const wrongAnswersAtOnce = 25;

/** Runs trials of one random flow in a separate world. */
async function sweepOne(
  world: World,
  random: Random,
  plan: (flow: Flow, recording: Recording) => readonly Trial[],
): Promise<CycleResult> {
  let trials: readonly Trial[] = [];
  // A plan may have no trials for a flow: creating a customer, for example, sends nothing to a processor.
  while (trials.length === 0) {
    const flow = random.pick(flows);
    trials = plan(flow, await record(world, flow));
  }
  const { deaths, broken, failures } = await sweep(world, trials, random);
  return {
    flows: trials.length,
    struck: deaths + broken,
    findings: failures.flatMap(({ findings }) => findings),
    problems: failures.map(
      ({ trial, unfinished }) =>
        `${trial}${unfinished === undefined ? '' : `: without an end ${JSON.stringify(unfinished)}`}`,
    ),
  };
}

const unexpected = (what: string, isFine: boolean): readonly string[] => (isFine ? [] : [what]);

async function raceAll(cleanUp: CleanUp): Promise<CycleResult> {
  const fleet = await openFleet(cleanUp, 2, calmTimeoutMs);
  const answers = await sameKey(fleet, 50);
  const holds = await captureAndVoid(fleet, 25);
  const halves = await refundsAtOnce(fleet, { rounds: 25, count: 2, amount: 60 });
  const many = await refundsAtOnce(fleet, { rounds: 5, count: 20, amount: 30 });
  const customers = await sameEmail(fleet, 50);
  const confirmed = await confirmAndExpiry(fleet, 25);
  await fleet.settle();
  const created = (tallies: readonly Readonly<Record<number, number>>[]) =>
    tallies.map((tally) => tally[201] ?? 0);
  return {
    flows: 1 + holds.length + halves.length + many.length + confirmed.length + 1,
    struck: 0,
    findings: await fleet.examine([]),
    problems: [
      ...unexpected('one key has several answers', answers.size === 1),
      ...unexpected(
        'capture and void of one hold did not end with one of them',
        holds.every((tally) => tally[200] === 1 && tally[422] === 1),
      ),
      ...unexpected(
        'two refunds of 60 on 100',
        created(halves).every((count) => count === 1),
      ),
      ...unexpected(
        'refunds of 30 on 100',
        created(many).every((count) => count === 3),
      ),
      ...unexpected('one address, several customers', customers[201] === 1),
      ...unexpected(
        'a confirm at the end of its window has no outcome',
        confirmed.every((status) => status === 'succeeded' || status === 'failed'),
      ),
    ],
  };
}

/** All kinds of rounds, in the order in which `npm run crash` runs them in a loop. */
export const cycles: Readonly<Record<string, Cycle>> = {
  'server ends': async (cleanUp, random) =>
    sweepOne(await World.open(cleanUp), random, (flow, recording) =>
      random.draw(planEnds(flow, recording, random), endsAtOnce),
    ),

  'server stalls': async (cleanUp, random) =>
    sweepOne(await World.open(cleanUp), random, (flow, recording) =>
      random.draw(planStalls(flow, recording, random), stallsAtOnce),
    ),

  'processor breaks off': async (cleanUp, random) =>
    sweepOne(await World.open(cleanUp), random, (flow, recording) =>
      random.draw(planDisturbances(flow, recording, random), disturbancesAtOnce),
    ),

  'processor answers wrongly': async (cleanUp, random) =>
    sweepOne(await World.open(cleanUp), random, (flow, recording) =>
      random.draw(planWrongAnswers(flow, recording, random), wrongAnswersAtOnce),
    ),

  'answers after 5 s': async (cleanUp, random) =>
    sweepOne(await World.open(cleanUp, { processorTimeoutMs: 8_000 }), random, (flow) => [
      { flow, repeat: 'at once', disturbance: { call: 1, fault: 'slow' } },
    ]),

  'kill -9 of one of two servers': async (cleanUp, random) => {
    const fleet = await openFleet(cleanUp, 2);
    const blows = Array.from({ length: blowsAtOnce }, () => killServer);
    return { struck: blows.length, problems: [], ...(await runLoad(fleet, random, { clients, blows })) };
  },

  'kill -9 of PostgreSQL': async (cleanUp, random) => {
    const { fleet, folder } = await openFleetWithDatabase(cleanUp);
    const kinds = [killDatabase(folder), killBackend, killServer];
    const blows = Array.from({ length: blowsAtOnce }, (_value, index) => kinds[index % 3] ?? killServer);
    return { struck: blows.length, problems: [], ...(await runLoad(fleet, random, { clients, blows })) };
  },

  'accounts move between two cells': async (cleanUp, random) =>
    moveUnderLoad(await openDividedFleet(cleanUp, 2), random, { clients: 8, moves: 3, kills: 3 }),

  'lost locks of living servers': async (cleanUp, random) => {
    const fleet = await openFleet(cleanUp, 2);
    const blows = Array.from({ length: blowsAtOnce }, () => loseLock);
    return { struck: blows.length, problems: [], ...(await runLoad(fleet, random, { clients, blows })) };
  },

  'vault keys rotated': async (cleanUp, random) => {
    const fleet = await openFleet(cleanUp, 2);
    const blows = [rotateVault, killServer, rotateVault];
    return { struck: blows.length, problems: [], ...(await runLoad(fleet, random, { clients, blows })) };
  },

  'one of two tenants hangs': (cleanUp) => oneTenantHangs(cleanUp),

  'kill -9 with the sandbox in the process': async (cleanUp, random) => {
    const fleet = await openFleet(cleanUp, 1, calmTimeoutMs, 'inside');
    const result = await killWithSandbox(fleet, random, { clients, blows: blowsAtOnce });
    return { struck: blowsAtOnce, ...result };
  },

  races: (cleanUp) => raceAll(cleanUp),

  'graceful stop at 200 requests/s': async (cleanUp, random) => {
    const fleet = await openFleet(cleanUp, 1, calmTimeoutMs);
    const result = await stopUnderLoad(fleet, random, {
      stops: stopsAtOnce,
      perSecond: 200,
      aroundMs: 500,
    });
    const bad = result.exitCodes.filter((code) => code !== 0);
    return {
      flows: result.flows,
      struck: stopsAtOnce,
      findings: result.findings,
      problems: bad.map((code) => `a server ended with ${code}`),
    };
  },
};
