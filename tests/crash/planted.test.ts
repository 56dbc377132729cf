import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { type CounterName, countFindings } from './counters.ts';
import type { Failpoint } from './failpoints.ts';
import { flowNamed } from './flows.ts';
import { plants } from './plants.ts';
import { Random } from './random.ts';
import { record, runTrial } from './trial.ts';
import { type Patience, World } from './world.ts';

const cleanUp = new CleanUp();
const cleanUpAll = new CleanUp();
afterEach(cleanUp.run);
afterAll(cleanUpAll.run);
let sound: World;

beforeAll(async () => {
  sound = await World.open(cleanUpAll);
});

interface Case {
  readonly plant: keyof typeof plants;
  readonly flow: string;
  /** Where the server has to end for the fault to show; nowhere where it shows anyway. */
  readonly at?: string;
  readonly patience: Patience;
  readonly counter: CounterName;
}

const cases: readonly Case[] = [
  {
    plant: 'newKeyPerTry',
    flow: 'charge on processor_a',
    at: 'processor_a POST /v71/payments after',
    patience: 'at once',
    counter: 'double charged',
  },
  {
    plant: 'noLookUp',
    flow: 'wallet on processor_b',
    at: 'processor_b POST /v2/checkout/orders/:id/capture after',
    patience: 'late',
    counter: 'charged, not succeeded',
  },
  {
    plant: 'neverAsked',
    flow: 'charge on processor_a',
    patience: 'at once',
    counter: 'succeeded, not charged',
  },
  {
    plant: 'eventAfterCommit',
    flow: 'charge on processor_a',
    at: 'settle_payments after',
    patience: 'at once',
    counter: 'event missing',
  },
  {
    plant: 'newEventIdPerAttempt',
    flow: 'charge on processor_a',
    at: 'webhook after',
    patience: 'at once',
    counter: 'event duplicated',
  },
  {
    plant: 'otherAnswerKept',
    flow: 'charge on processor_a',
    patience: 'at once',
    counter: 'reply differing',
  },
];

describe('a fault that is planted', () => {
  it.each(cases)('$plant is counted as "$counter"', async ({ plant, flow: name, at, patience, counter }) => {
    const flow = flowNamed(name);
    const point: Failpoint | undefined = at === undefined ? undefined : { name: at, passage: 1 };
    const trial = { flow, patience, ...(point === undefined ? {} : { at: point }) };
    if (point !== undefined) expect((await record(sound, flow)).points).toContainEqual(point);
    expect((await runTrial(sound, trial, new Random(1))).findings).toEqual([]);
    const planted = await World.open(cleanUp, { plant: plants[plant] });
    const { findings } = await runTrial(planted, trial, new Random(1));
    expect(countFindings(findings)[counter]).toBeGreaterThan(0);
  });
});
