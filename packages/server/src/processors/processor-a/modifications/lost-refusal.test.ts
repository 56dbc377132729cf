import { expect, it } from 'vitest';
import type { RefundRequest } from '../../port/refunds.ts';
import { connect, pspOf, useSimulators } from '../test-simulator.ts';

useSimulators();

it('a refund whose refusal was lost ends at its repeat, and nothing was given back', async () => {
  const { charge, port, connection, loseNextAnswer, ledger, pass } = connect();
  const psp = pspOf(await charge({})) ?? '';
  const request: RefundRequest = {
    refundId: 're_lost',
    paymentId: 'pay_0mfy2k9a7c3e5g1h8j4m6p2q',
    upstreamKey: 're_lost',
    upstream: { psp },
    amount: 100,
    currency: 'EUR',
    reason: null,
    note: 'SIM-REFUND-FAIL-SYNC',
  };
  loseNextAnswer();
  expect(await port.refund(connection, request)).toMatchObject({ kind: 'unknown' });
  // No notification about it ever arrives.
  await pass(60);
  expect(await pass(86_400)).toEqual([]);
  expect(await port.refund(connection, { ...request, isRepeat: true })).toMatchObject({
    kind: 'failed',
    failure: { code: 'refund_not_allowed' },
  });
  expect((await ledger()).refunds).toEqual([]);
});
