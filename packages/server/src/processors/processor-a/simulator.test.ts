import { resolveApproval } from '@till/sandbox';
import { describe, expect, it } from 'vitest';
import { type ConformanceHarness, describeConformance, describeRefunds } from '../conformance.ts';
import { sampleCancel, sampleCharge } from '../fixtures.ts';
import type { ChargeOutcome } from '../port/port.ts';
import { buyer, storedCard } from './test-kit.ts';
import { challengeCard, connect, named, pspOf, useSimulators } from './test-simulator.ts';

useSimulators();

async function harness(): Promise<ConformanceHarness> {
  const { port, connection, deps, redirects, ledger, loseNextAnswer, answerNonsense } = connect();
  return {
    port,
    connection,
    chargeThat(behaviour) {
      if (behaviour === 'drops_answer') loseNextAnswer();
      if (behaviour === 'answers_nonsense') answerNonsense();
      const challenged = behaviour === 'asks_buyer' ? challengeCard : undefined;
      const instrument = challenged ?? named(behaviour === 'declines' ? 'DECLINED' : 'Ada Lovelace');
      return sampleCharge({ instrument });
    },
    executed: async (paymentId) =>
      (await ledger()).charges.filter((one) => one.reference === paymentId && one.status === 'captured')
        .length,
    async approve({ paymentId }) {
      const id = redirects.get(paymentId)?.split('/').at(-1) ?? '';
      const resolved = await resolveApproval(deps, id, 'approved');
      return Object.fromEntries(new URL(resolved?.returnUrl ?? 'https://none.example').searchParams);
    },
    loseNextAnswer,
  };
}

describeConformance('processor_a over its simulator', harness);
describeRefunds('processor_a over its simulator', harness);

const save = { model: 'subscription', upstreamCustomer: null, required: true } as const;
const savedBy = (outcome: ChargeOutcome) => ('facts' in outcome ? outcome.facts.saved : null);

describe('processor_a with its simulator, stored cards', () => {
  it('saves a card, charges it with and without the buyer, and removes it', async () => {
    const { charge, port, connection, ledger } = connect();
    const token = savedBy(await charge({ save }))?.token ?? '';
    expect(token).toMatch(/^[A-Z0-9]{16}$/);
    for (const [index, initiator] of (['customer', 'merchant'] as const).entries()) {
      const instrument = storedCard({ token, initiator });
      const paymentId = `pay_stored${index}`;
      const outcome = await charge({ paymentId, upstreamKey: `${paymentId}:c`, instrument });
      expect(outcome).toMatchObject({
        kind: 'succeeded',
        facts: { brand: 'visa', last4: '1111', saved: null },
      });
    }
    expect((await ledger()).charges).toHaveLength(3);
    const removal = { token, customerId: buyer.id, upstreamKey: 'pm_1' };
    expect(await port.removeInstrument(connection, removal)).toEqual({ kind: 'removed' });
    expect(await port.removeInstrument(connection, removal)).toEqual({ kind: 'removed' });
    const late = { paymentId: 'pay_late', upstreamKey: 'pay_late:c', instrument: storedCard({ token }) };
    expect(await charge(late)).toMatchObject({ kind: 'declined', instrumentGone: true });
  });

  it.each([
    ['SIM-MIT-DECLINE', { code: 'insufficient_funds' }],
    ['SIM-MIT-REVOKED', { code: 'refused', instrumentGone: true }],
  ])('%s: a charge without the buyer is declined', async (directive, expected) => {
    const { charge } = connect();
    const token = savedBy(await charge({ save, instrument: named(directive) }))?.token ?? '';
    const again = { paymentId: 'pay_2', upstreamKey: 'pay_2:c' };
    const outcome = await charge({ ...again, instrument: storedCard({ token }) });
    expect(outcome).toMatchObject({ kind: 'declined', ...expected });
  });

  it('receives a token that comes late', async () => {
    const { charge, pass } = connect();
    const outcome = await charge({ save, instrument: named('SIM-SAVE-LATE') });
    expect(outcome).toMatchObject({ kind: 'succeeded', facts: { saved: null } });
    const { paymentId } = sampleCharge();
    expect(await pass(10)).toContainEqual({
      kind: 'instrument_saved',
      paymentId,
      payment: { psp: pspOf(outcome) },
      saved: { token: expect.any(String), upstreamCustomer: null },
    });
  });
});

describe('processor_a with its simulator, notifications', () => {
  it.each(['Ada Lovelace', 'CCREJECT-IF', 'SIM-LOST', 'FRAUD'])(
    'the notification of a payment by %s agrees with its answer',
    async (holderName) => {
      const { charge, pass } = connect();
      const outcome = await charge({ instrument: named(holderName) });
      const { paymentId } = sampleCharge();
      const [effect] = await pass(10);
      expect(effect).toMatchObject({ kind: 'payment_settled', paymentId, outcome });
    },
  );

  it('rejects a forged one', async () => {
    const { charge, pass } = connect();
    await charge({ instrument: named('SIM-WEBHOOK-BADSIG') });
    expect(await pass(10)).toEqual([]);
  });

  it('receives a cancellation', async () => {
    const { charge, port, connection, pass } = connect();
    await charge({ instrument: challengeCard });
    expect(await port.cancel(connection, sampleCancel())).toEqual({ kind: 'accepted' });
    const { paymentId } = sampleCharge();
    expect(await pass(10)).toContainEqual({ kind: 'payment_cancelled', paymentId });
  });

  it('a charge cannot be cancelled by our reference, only reversed by the upstream’s', async () => {
    const { charge, port, connection, pass, ledger } = connect();
    const psp = pspOf(await charge({})) ?? '';
    await pass(10);
    const { paymentId } = sampleCharge();
    expect(await port.cancel(connection, sampleCancel())).toEqual({ kind: 'accepted' });
    expect(await pass(10)).toEqual([{ kind: 'payment_not_cancelled', paymentId }]);
    expect((await ledger()).charges).toMatchObject([{ status: 'captured' }]);

    // The same key as before, although the request is a different one.
    const reversal = sampleCancel({ upstream: { psp } });
    expect(await port.cancel(connection, reversal)).toEqual({ kind: 'accepted' });
    expect(await pass(10)).toEqual([{ kind: 'payment_cancelled', paymentId }]);
    expect((await ledger()).charges).toMatchObject([{ status: 'cancelled' }]);
  });

  it.each([
    [null, ['succeeded']],
    ['SIM-REFUND-FAIL-ASYNC', [{ code: expect.any(String), message: expect.any(String) }]],
    ['SIM-REFUND-REVERSED', ['succeeded', expect.objectContaining({ code: 'reversed' })]],
    ['SIM-REFUND-PENDING', []],
  ])('receives the outcome of a refund with the note %s', async (note, outcomes) => {
    const { charge, port, connection, pass } = connect();
    const psp = pspOf(await charge({}));
    await pass(2);
    const { paymentId, amount, currency } = sampleCharge();
    const upstream = psp === undefined ? {} : { psp };
    const request = { refundId: 're_1', upstreamKey: 're_1', paymentId, upstream, amount, currency };
    const outcome = await port.refund(connection, { ...request, reason: 'duplicate', note });
    expect(outcome).toMatchObject({ kind: 'pending' });
    const received = [...(await pass(2)), ...(await pass(20))];
    const refundId = 're_1';
    expect(received).toEqual(
      outcomes.map((ended) =>
        expect.objectContaining({ kind: 'refund_settled', refundId, amount, currency, outcome: ended }),
      ),
    );
  });

  it('receives the refusal of a refund at once', async () => {
    const { charge, port, connection } = connect();
    const psp = pspOf(await charge({})) ?? '';
    const { paymentId, amount, currency } = sampleCharge();
    const money = { paymentId, upstream: { psp }, amount, currency, reason: null };
    const note = 'SIM-REFUND-FAIL-SYNC';
    const outcome = await port.refund(connection, { ...money, refundId: 're_1', upstreamKey: 're_1', note });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'refund_not_allowed' } });
  });
});
