import { failureCodes } from '@till/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChargeRequest, ProcessorConnection, ProcessorPort } from './port.ts';

/** What the upstream shall do with a charge. */
export type UpstreamBehaviour =
  | 'approves'
  | 'declines'
  /** Carries the charge out and loses the first answer; asked again under the same key it tells. */
  | 'drops_answer'
  /** Answers with something that is not the protocol. */
  | 'answers_nonsense';

/** An adapter with an upstream behind it, fresh for every test. */
export interface ConformanceHarness {
  readonly port: ProcessorPort;
  readonly connection: ProcessorConnection;
  /** A charge of a new payment that the upstream meets with that behaviour. */
  chargeThat(behaviour: UpstreamBehaviour): ChargeRequest;
  /** How many charges of the payment the upstream has carried out. */
  executed(paymentId: string): Promise<number>;
  close?(): Promise<void>;
}

/** The rules of `ProcessorPort` as tests, for every adapter over every upstream it can have. */
export function describeConformance(name: string, makeHarness: () => Promise<ConformanceHarness>): void {
  describe(`${name} meets the processor port`, () => {
    let harness: ConformanceHarness;
    const charge = (request: ChargeRequest) => harness.port.charge(harness.connection, request);

    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    it('reports an approved charge with the upstream reference', async () => {
      const request = harness.chargeThat('approves');
      const outcome = await charge(request);
      expect(outcome).toMatchObject({
        kind: 'succeeded',
        facts: { upstreamReference: expect.stringMatching(/^\S+$/) },
      });
      expect(await harness.executed(request.paymentId)).toBe(1);
    });

    it('reports a declined charge with a failure code of the contract', async () => {
      const request = harness.chargeThat('declines');
      const outcome = await charge(request);
      expect(outcome.kind).toBe('declined');
      expect(failureCodes).toContain(outcome.kind === 'declined' ? outcome.code : undefined);
      expect(await harness.executed(request.paymentId)).toBe(0);
    });

    it('charges once under one key and tells the same twice', async () => {
      const request = harness.chargeThat('approves');
      const first = await charge(request);
      expect(await charge(request)).toEqual(first);
      expect(await harness.executed(request.paymentId)).toBe(1);
    });

    it('charges once under one key for two charges at the same time', async () => {
      const request = harness.chargeThat('approves');
      const outcomes = await Promise.all([charge(request), charge(request)]);
      for (const outcome of outcomes) {
        expect(['succeeded', 'unknown']).toContain(outcome.kind);
      }
      expect(await harness.executed(request.paymentId)).toBe(1);
    });

    it('leaves a charge unknown whose answer was lost, and learns of it under the same key', async () => {
      const request = harness.chargeThat('drops_answer');
      expect(await charge(request)).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
      expect(await charge(request)).toMatchObject({ kind: 'succeeded' });
      expect(await harness.executed(request.paymentId)).toBe(1);
    });

    it('resolves, and settles nothing, where the answer makes no sense', async () => {
      const outcome = await charge(harness.chargeThat('answers_nonsense'));
      expect(['unknown', 'not_executed']).toContain(outcome.kind);
    });

    it('keeps the card out of what it says of a fault', async () => {
      const request = harness.chargeThat('answers_nonsense');
      const told = JSON.stringify(await charge(request));
      for (const secret of [request.card.number, request.card.cvc, request.card.holderName]) {
        expect(told).not.toContain(secret);
      }
    });
  });
}
