import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { type CounterName, countFindings } from './counters.ts';
import type { Flow } from './flows/flow.ts';
import { flowNamed } from './flows/flows.ts';
import { plants } from './plants/plants.ts';
import { refundsThatMeet } from './plants/refunds-that-meet.ts';
import { Random } from './random.ts';
import { record, runTrial, type Trial } from './trial.ts';
import { World } from './world.ts';

const cleanUp = new CleanUp();
const cleanUpAll = new CleanUp();
afterEach(cleanUp.run);
afterAll(cleanUpAll.run);
/** No planted fault depends on this timeout. It is long enough that a stalled machine does not abort a request. */
const processorTimeoutMs = 8_000;
let sound: World;

beforeAll(async () => {
  sound = await World.open(cleanUpAll, { processorTimeoutMs });
});

interface Case extends Omit<Trial, 'flow' | 'at'> {
  readonly plant: keyof typeof plants;
  readonly flow: string;
  /** The failpoint at which the server must end for the fault to show; absent if it always shows. */
  readonly at?: string;
  readonly counter: CounterName;
}

const cases: readonly Case[] = [
  {
    plant: 'newKeyPerTry',
    flow: 'charge on processor_a',
    at: 'processor_a POST /v71/payments after',
    repeat: 'at once',
    counter: 'double charged',
  },
  {
    plant: 'noLookUp',
    flow: 'wallet on processor_b',
    at: 'processor_b POST /v2/checkout/orders/:id/capture after',
    repeat: 'late',
    counter: 'charged, not succeeded',
  },
  {
    plant: 'neverAsked',
    flow: 'charge on processor_a',
    repeat: 'at once',
    counter: 'succeeded, not charged',
  },
  {
    plant: 'eventAfterCommit',
    flow: 'charge on processor_a',
    at: 'insert_payments after',
    repeat: 'at once',
    counter: 'event missing',
  },
  {
    plant: 'newEventIdPerAttempt',
    flow: 'charge on processor_a',
    at: 'webhook after',
    repeat: 'at once',
    counter: 'event duplicated',
  },
  {
    plant: 'otherAnswerReplayed',
    flow: 'charge on processor_a',
    repeat: 'at once',
    counter: 'reply differing',
  },
  {
    // The first confirm got the response that the buyer has not approved, and stores it after another one has charged.
    plant: 'noVersionCheck',
    flow: 'early confirm on processor_b',
    at: 'settle_payments before',
    fate: 'stalls',
    stall: 'long',
    repeat: 'at once',
    counter: 'reply differing',
  },
  {
    // The payment is charged, and then the processor cannot be reached for two hours.
    plant: 'unknownIsFailed',
    flow: 'charge on processor_b',
    at: 'processor_b POST /v2/checkout/orders after',
    repeat: 'late',
    disturbance: { call: 3, fault: 'outage' },
    counter: 'charged, not succeeded',
  },
  {
    plant: 'noDoubtAfterADay',
    flow: 'a repeat after a day on processor_b',
    repeat: 'at once',
    disturbance: { call: 2, fault: 'drop done' },
    counter: 'double charged',
  },
  {
    // The payment is charged with one merchant account, and retried while the connection uses another one.
    plant: 'noMerchantKept',
    flow: 'change of connection on processor_b',
    repeat: 'at once',
    disturbance: { call: 1, fault: 'drop done' },
    counter: 'double charged',
  },
];

const trialOf = (
  { plant: _plant, counter: _counter, at, flow: _flow, ...rest }: Case,
  known: Flow,
): Trial => ({
  ...rest,
  flow: known,
  ...(at === undefined ? {} : { at: { name: at, passage: 1 } }),
});

describe('a fault that is planted', () => {
  it.each(cases)('$plant is counted as "$counter"', async (one) => {
    const flow = flowNamed(one.flow);
    const trial = trialOf(one, flow);
    if (trial.at !== undefined) expect((await record(sound, flow)).points).toContainEqual(trial.at);
    expect(await runTrial(sound, trial, new Random(1))).toMatchObject({
      findings: [],
      unfinished: undefined,
    });
    const plant = plants[one.plant]();
    const planted = await World.open(cleanUp, { plant, processorTimeoutMs });
    const { findings } = await runTrial(planted, trial, new Random(1));
    expect(plant.missing()).toEqual([]);
    expect(countFindings(findings)[one.counter]).toBeGreaterThan(0);
  });

  it.each(['noRefundLock', 'noRefundSum'] as const)('%s is counted as "internal error"', async (name) => {
    expect(await refundsThatMeet(sound)).toEqual([]);
    const plant = plants[name]();
    const planted = await World.open(cleanUp, { plant, processorTimeoutMs });
    const findings = await refundsThatMeet(planted);
    expect(plant.missing()).toEqual([]);
    expect(countFindings(findings)['internal error']).toBeGreaterThan(0);
  });
});
