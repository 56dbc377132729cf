import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleRefund } from './test-kit.ts';
import {
  buyer,
  type ConnectedSimulator,
  cardOf,
  connectSimulator,
  createSimulatorDatabase,
  factsOf,
  newCharge,
  save,
  savedBy,
} from './test-simulator.ts';

let database: Awaited<ReturnType<typeof createSimulatorDatabase>>;
let simulator: ConnectedSimulator;

beforeAll(async () => {
  database = await createSimulatorDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  simulator = connectSimulator(database.pool);
});

describe('notifications of the simulator', () => {
  it('are verified and name the payment that changed', async () => {
    const request = newCharge();
    const { upstream } = factsOf(await simulator.charge(request));
    expect(Object.keys(upstream).toSorted()).toEqual(['capture', 'order']);
    expect(await simulator.effectsAfter(1_000)).toEqual([
      { kind: 'payment_changed', paymentId: request.paymentId, payment: upstream },
    ]);
  });

  it('are rejected with a wrong signature', async () => {
    await simulator.charge(newCharge(cardOf('SIM-WEBHOOK-BADSIG')));
    const [forged] = await simulator.deliveredAfter(1_000);
    if (forged === undefined) throw new Error('nothing delivered');
    expect(await simulator.port.receiveNotification(simulator.connection, forged)).toEqual({
      kind: 'refused',
      reason: 'signature',
    });
  });

  it('bring the token of a card that was saved late', async () => {
    const outcome = await simulator.charge(newCharge({ buyer, save, ...cardOf('SIM-SAVE-LATE') }));
    const facts = factsOf(outcome);
    expect(facts.saved).toBeNull();
    expect(await simulator.effectsAfter(5_000)).toContainEqual({
      kind: 'instrument_saved',
      paymentId: null,
      payment: { order: facts.upstream.order },
      saved: { token: expect.any(String), upstreamCustomer: expect.stringMatching(/^\d{10}$/) },
    });
  });

  it('report that a saved card was removed', async () => {
    const { token } = await savedBy(simulator, {});
    await simulator.port.removeInstrument(simulator.connection, {
      token,
      customerId: 'cus_1',
      upstreamKey: 'pm_1:r',
    });
    expect(await simulator.effectsAfter(5_000)).toContainEqual({ kind: 'instrument_removed', token });
  });
});

describe('refunds at the simulator', () => {
  const refundOf = async (note: string | null = null) => {
    const request = newCharge();
    const upstream = factsOf(await simulator.charge(request)).upstream;
    await simulator.effectsAfter(5_000);
    const refundId = request.paymentId.replace('pay_', 're_');
    const refund = sampleRefund({
      paymentId: request.paymentId,
      refundId,
      upstreamKey: refundId,
      upstream,
      note,
    });
    return { refund, send: () => simulator.port.refund(simulator.connection, refund) };
  };

  it('are pending, then settled by a notification', async () => {
    const { refund, send } = await refundOf();
    const outcome = await send();
    expect(outcome.kind).toBe('pending');
    const upstreamId = 'upstreamId' in outcome ? (outcome.upstreamId ?? '') : '';
    expect(await simulator.effectsAfter(1_000)).toEqual([
      {
        kind: 'refund_settled',
        refundId: refund.refundId,
        upstreamId,
        paymentId: null,
        payment: expect.objectContaining({ capture: refund.upstream.capture }),
        amount: 1000,
        currency: 'EUR',
        outcome: 'succeeded',
      },
    ]);
    const question = { upstreamId, amount: 1000, currency: 'EUR' };
    expect(await simulator.port.lookUpRefund(simulator.connection, question)).toEqual({
      kind: 'succeeded',
      upstreamId,
    });
    expect((await simulator.ledger()).refunds).toMatchObject([
      { reference: refund.refundId, amount: 1000, status: 'succeeded' },
    ]);
  });

  it('fail at once, or later', async () => {
    const atOnce = await refundOf('SIM-REFUND-FAIL-SYNC');
    expect(await atOnce.send()).toMatchObject({ kind: 'failed', failure: { code: 'refund_not_allowed' } });
    const later = await refundOf('SIM-REFUND-FAIL-ASYNC');
    expect((await later.send()).kind).toBe('pending');
    expect(await simulator.effectsAfter(1_000)).toMatchObject([
      { refundId: later.refund.refundId, outcome: { code: 'refund_failed' } },
    ]);
  });

  it('are reversed after they succeeded', async () => {
    const { send } = await refundOf('SIM-REFUND-REVERSED');
    await send();
    expect(await simulator.effectsAfter(1_000)).toMatchObject([{ outcome: 'succeeded' }]);
    expect(await simulator.effectsAfter(10_000)).toMatchObject([{ outcome: { code: 'refund_failed' } }]);
  });

  it('succeed with the second try of the same refund', async () => {
    const { send } = await refundOf('SIM-REFUND-502');
    expect((await send()).kind).toBe('unknown');
    expect((await send()).kind).toBe('pending');
    expect((await simulator.ledger()).refunds).toHaveLength(1);
  });
});

describe('disputes at the simulator', () => {
  const open = async (directive: string) => {
    const request = newCharge(cardOf(directive));
    await simulator.charge(request);
    const effects = await simulator.effectsAfter(6_000);
    const disputes = effects.flatMap((effect) => (effect.kind === 'dispute' ? effect.facts : []));
    const facts = disputes.at(-1);
    if (facts === undefined) throw new Error('no dispute');
    return { request, facts };
  };
  const statusAfter = async (ms: number) =>
    (await simulator.effectsAfter(ms)).flatMap((effect) =>
      effect.kind === 'dispute' ? effect.facts.status : [],
    );
  const move = (upstreamId: string) => ({ disputeId: 'dp_1', upstreamId, upstreamKey: 'dp_1:1' });
  const defence = {
    state: 'chargeback',
    reasonCode: null,
    statement: 'It was delivered.',
    evidence: [
      {
        type: 'proof_of_delivery',
        text: 'Signed by A. L.',
        file: { name: 'proof.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') },
      },
    ],
  } as const;

  it('have payment, amount and deadline', async () => {
    const { request, facts } = await open('SIM-DISPUTE-PARTIAL');
    expect(facts).toMatchObject({
      paymentId: request.paymentId,
      payment: { capture: expect.any(String) },
      currency: 'EUR',
      state: 'chargeback',
      status: 'action_required',
      respondBy: expect.any(Date),
      raisedAt: expect.any(Date),
    });
    expect(facts.amount).toBeLessThan(request.amount);
  });

  it('are accepted, once or twice', async () => {
    const { facts } = await open('SIM-DISPUTE-CHARGEBACK');
    const accept = () => simulator.port.acceptDispute(simulator.connection, move(facts.upstreamId));
    expect(await accept()).toEqual({ kind: 'done' });
    expect(await accept()).toEqual({ kind: 'done' });
    expect(await statusAfter(1_000)).toContain('accepted');
  });

  it.each([
    ['SIM-DISPUTE-CHARGEBACK', 'won'],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', 'lost'],
  ])('are defended: %s is %s', async (directive, end) => {
    const { facts } = await open(directive);
    const defend = () =>
      simulator.port.defendDispute(simulator.connection, { ...move(facts.upstreamId), ...defence });
    simulator.loseNextAnswer();
    expect((await defend()).kind).toBe('unknown');
    expect(await defend()).toEqual({ kind: 'done' });
    expect(await statusAfter(60_000)).toContain(end);
  });

  it('are not accepted once they are over', async () => {
    const { facts } = await open('SIM-DISPUTE-CHARGEBACK');
    await simulator.port.defendDispute(simulator.connection, { ...move(facts.upstreamId), ...defence });
    await simulator.effectsAfter(60_000);
    const outcome = await simulator.port.acceptDispute(simulator.connection, move(facts.upstreamId));
    expect(outcome.kind).toBe('refused');
  });
});
