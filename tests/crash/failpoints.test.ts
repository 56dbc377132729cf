import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { flowNamed, flows } from './flows/flows.ts';
import { chooseSeed, Random } from './random.ts';
import { sweep } from './sweep.ts';
import { planDisturbances, planEnds, planStalls, planWrongAnswers, record, type Trial } from './trial.ts';
import { repeats, World } from './world.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const seed = chooseSeed();
const random = new Random(seed);
const maxFurtherEnds = 10;
/** The share of the trials for this test; `npm run crash` runs all of them. */
const perFlow = { ends: 1, stalls: 1, disturbances: 1, wrongAnswers: 1 };

let world: World;

beforeAll(async () => {
  process.stdout.write(`crash tests: TILL_CRASH_SEED=${seed}\n`);
  world = await World.open(cleanUp);
});

/** A run may not reach the drawn failpoints, for example a second passage. Then servers end at others. */
async function sweepToAnEnd(trials: readonly Trial[], ends: readonly Trial[]): ReturnType<typeof sweep> {
  let swept = await sweep(world, trials, random);
  for (const end of random.draw(ends, maxFurtherEnds)) {
    if (swept.deaths > 0 || swept.failures.length > 0) break;
    swept = await sweep(world, [end], random);
  }
  return swept;
}

describe(`with TILL_CRASH_SEED=${seed}, nothing is lost and nothing done twice`, () => {
  it.each(flows)('$name: servers end and stall anywhere, processors break off', async (flow) => {
    const recording = await record(world, flow);
    expect(recording.points.length).toBeGreaterThan(30);
    const trials = [
      ...random.draw(planEnds(flow, recording, random), perFlow.ends),
      ...random.draw(planStalls(flow, recording, random), perFlow.stalls),
      ...random.draw(planDisturbances(flow, recording, random), perFlow.disturbances),
      ...random.draw(planWrongAnswers(flow, recording, random), perFlow.wrongAnswers),
    ];
    const { failures, deaths } = await sweepToAnEnd(trials, planEnds(flow, recording, random));
    expect(failures).toEqual([]);
    expect(deaths).toBeGreaterThan(0);
  });

  it('while both processors are away for two hours', async () => {
    const firstLostCalls = [
      ['charge on processor_a', 1],
      ['refund on processor_a', 1],
      ['challenge on processor_a', 1],
      ['early confirm on processor_a', 2],
      ['wallet on processor_b', 1],
    ] as const;
    const trials = firstLostCalls.map(
      ([name, call]): Trial => ({
        flow: flowNamed(name),
        repeat: random.pick(repeats),
        disturbance: { call, fault: 'outage' },
      }),
    );
    const { failures, broken } = await sweep(world, trials, random);
    expect(failures).toEqual([]);
    expect(broken).toBe(trials.length);
  });

  it.each(['processor_a', 'processor_b'])(
    'while nobody answers a dispute of %s in time',
    async (processor) => {
      const flow = flowNamed(`dispute missed on ${processor}`);
      const recording = await record(world, flow);
      const ends = planEnds(flow, recording, random);
      const { failures, deaths } = await sweepToAnEnd(random.draw(ends, 2), ends);
      expect(failures).toEqual([]);
      expect(deaths).toBeGreaterThan(0);
    },
  );

  it('where an answer takes 5 seconds', async () => {
    const patient = await World.open(cleanUp, { processorTimeoutMs: 8_000 });
    const flow = flowNamed('charge on processor_b');
    const trial: Trial = { flow, repeat: 'at once', disturbance: { call: 1, fault: 'slow' } };
    expect(await sweep(patient, [trial], random)).toMatchObject({ failures: [], broken: 1 });
  });
});
