import { describe, expect, it } from 'vitest';
import { sampleCharge } from '../../fixtures.ts';
import type { NotificationEffect } from '../../port/notifications.ts';
import { connect, named, pspOf, useSimulators } from '../test-simulator.ts';

useSimulators();

describe('processor_a with its simulator, disputes', () => {
  const file = { name: 'a.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') } as const;
  const evidence = [{ type: 'receipt', text: null, file }];

  /** Opens a chargeback with a directive, and returns its facts and how to address it. */
  async function disputed(directive: string) {
    const connected = connect();
    const psp = pspOf(await connected.charge({ instrument: named(directive) }));
    await connected.pass(2);
    const [effect] = await connected.pass(5);
    const facts = effect?.kind === 'dispute' ? effect.facts : undefined;
    const { paymentId } = sampleCharge();
    expect(facts).toMatchObject({ paymentId, payment: { psp }, status: 'action_required' });
    const dispute = { disputeId: 'dsp_1', upstreamId: facts?.upstreamId ?? '', upstreamKey: 'dsp_1:1' };
    return { ...connected, facts, dispute };
  }
  const updates = (effects: readonly NotificationEffect[]) =>
    effects.map((effect) => (effect.kind === 'dispute' ? effect.facts : effect));

  it('receives a dispute and accepts it', async () => {
    const { facts, dispute, port, connection, pass } = await disputed('SIM-DISPUTE-PARTIAL');
    const { amount, currency } = sampleCharge();
    expect(facts).toMatchObject({ state: 'chargeback', amount: Math.floor(amount / 2), currency });
    expect(facts).toMatchObject({ reason: 'fraudulent', networkReasonCode: '10.4' });
    expect(facts?.respondBy?.toISOString()).toBe('2026-12-11T12:00:05.000Z');
    expect(facts?.arn).toMatch(/^\d{23}$/);
    expect(await port.acceptDispute(connection, dispute)).toEqual({ kind: 'done' });
    expect(updates(await pass(2))).toMatchObject([{ upstreamId: dispute.upstreamId, status: 'accepted' }]);
    expect(await port.acceptDispute(connection, dispute)).toEqual({ kind: 'done' });
  });

  it.each([
    ['SIM-DISPUTE-RFI', ['challenged', 'won']],
    ['SIM-DISPUTE-CHARGEBACK', ['challenged', 'won']],
    ['SIM-DISPUTE-CHARGEBACK-LOSE', ['challenged', 'lost']],
  ])('%s: a defended dispute receives its outcome', async (directive, statuses) => {
    const { dispute, port, connection, pass, loseNextAnswer } = await disputed(directive);
    const request = { ...dispute, state: 'chargeback', reasonCode: null, statement: 'See there.' } as const;
    expect(await port.defendDispute(connection, { ...request, evidence })).toEqual({ kind: 'done' });
    expect(updates([...(await pass(2)), ...(await pass(6))])).toMatchObject(
      statuses.map((status) => ({ upstreamId: dispute.upstreamId, status })),
    );
    loseNextAnswer();
    expect(await port.defendDispute(connection, { ...request, evidence })).toMatchObject({
      kind: 'not_executed',
    });
  });

  it('repeats a defence whose answer was lost', async () => {
    const { dispute, port, connection, pass } = await disputed('SIM-DISPUTE-CHARGEBACK');
    const request = { ...dispute, state: 'chargeback', reasonCode: null, statement: null, evidence } as const;
    await port.defendDispute(connection, request);
    await pass(2);
    expect(await port.defendDispute(connection, request)).toEqual({ kind: 'done' });
  });

  it.each([
    ['SIM-DISPUTE-PREARB', 'pre_arbitration', 'action_required'],
    ['SIM-DISPUTE-ARBITRATION', 'scheme_arbitration', 'lost'],
    ['SIM-DISPUTE-SECOND', 'second_chargeback', 'action_required'],
    ['SIM-DISPUTE-RECOVERED', 'chargeback', 'won'],
  ])('%s: receives the last stage', async (directive, state, status) => {
    const { pass, dispute } = await disputed(directive);
    const effects = [...(await pass(5)), ...(await pass(5)), ...(await pass(5))];
    const { upstreamId } = dispute;
    expect(updates(effects).at(-1)).toMatchObject({ upstreamId, state, status });
  });

  it('receives a refusal where no answer is possible any more', async () => {
    const { dispute, port, connection } = await disputed('SIM-DISPUTE-CHARGEBACK');
    const gone = { ...dispute, upstreamId: 'NOTHING' };
    expect(await port.acceptDispute(connection, gone)).toMatchObject({ kind: 'refused' });
  });
});
