import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConformanceHarness, type Current, chargeOf, idsOf } from './conformance.ts';
import { sampleCancel, sampleHold, sampleLookUp } from './fixtures.ts';
import type { ChargeRequest, HoldRequest } from './port/port.ts';

/** The contract of holds in `ProcessorPort` as tests, for every adapter that offers manual capture. */
export function describeHolds(name: string, makeHarness: () => Promise<ConformanceHarness>): void {
  describe(`${name} supports holds`, () => {
    let harness: ConformanceHarness;

    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    describeCaptures(() => harness);
    describeVoids(() => harness);
  });
}

async function holdOf(current: Current): Promise<HoldRequest> {
  const request: ChargeRequest = { ...current().chargeThat('approves'), captureMethod: 'manual' };
  const outcome = await chargeOf(current)(request);
  expect(outcome.kind).toBe('authorized');
  const { paymentId, amount, currency } = request;
  const upstream = idsOf(outcome);
  return sampleHold({ paymentId, amount, currency, upstream, upstreamKey: `${paymentId}:k` });
}

const releaseOf = (hold: HoldRequest): HoldRequest => ({ ...hold, upstreamKey: `${hold.paymentId}:v` });

function describeCaptures(current: Current): void {
  const capture = (hold: HoldRequest) => current().port.capture(current().connection, hold);

  it('charges nothing before the capture', async () => {
    const hold = await holdOf(current);
    expect(await current().executed(hold.paymentId)).toBe(0);
  });

  it('captures once, however often it is requested', async () => {
    const hold = await holdOf(current);
    expect(await capture(hold)).toMatchObject({ kind: 'succeeded' });
    expect(await capture(hold)).toMatchObject({ kind: 'succeeded' });
    expect(await capture({ ...hold, upstreamKey: `${hold.paymentId}:k2` })).toMatchObject({
      kind: 'succeeded',
    });
    expect(await current().executed(hold.paymentId)).toBe(1);
  });

  it('a capture whose answer is lost is unknown, and found by a lookup', async () => {
    const hold = await holdOf(current);
    current().loseNextAnswer();
    expect(await capture(hold)).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
    const question = sampleLookUp({ ...hold, captureMethod: 'manual' });
    expect(await current().port.lookUp(current().connection, question)).toMatchObject({ kind: 'succeeded' });
    expect(await current().executed(hold.paymentId)).toBe(1);
  });

  it('the hold is gone after a void', async () => {
    const hold = await holdOf(current);
    await current().port.void(current().connection, releaseOf(hold));
    expect(await capture(hold)).toEqual({ kind: 'hold_gone' });
    expect(await current().executed(hold.paymentId)).toBe(0);
  });
}

function describeVoids(current: Current): void {
  const release = (hold: HoldRequest) => current().port.void(current().connection, releaseOf(hold));

  it('voids a hold, once or twice', async () => {
    const hold = await holdOf(current);
    expect(await release(hold)).toEqual({ kind: 'voided' });
    expect(await release(hold)).toEqual({ kind: 'voided' });
    const question = sampleLookUp({ ...hold, captureMethod: 'manual' });
    expect(await current().port.lookUp(current().connection, question)).toEqual({ kind: 'voided' });
  });

  it('does not void a captured hold', async () => {
    const hold = await holdOf(current);
    await current().port.capture(current().connection, hold);
    expect(await release(hold)).toEqual({ kind: 'already_captured' });
    const cancellation = sampleCancel({ ...hold, upstreamKey: `${hold.paymentId}:x` });
    expect(await current().port.cancel(current().connection, cancellation)).toEqual({
      kind: 'already_captured',
    });
  });

  it('cancels a hold', async () => {
    const hold = await holdOf(current);
    const cancellation = sampleCancel({ ...hold, upstreamKey: `${hold.paymentId}:x` });
    expect(await current().port.cancel(current().connection, cancellation)).toEqual({ kind: 'cancelled' });
    expect(await current().port.capture(current().connection, hold)).toEqual({ kind: 'hold_gone' });
  });
}
