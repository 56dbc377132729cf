import { readLedger, sandboxSchema } from '@till/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, openAccount } from '../processor-notifications/test-kit.ts';
import type { Database } from '../store/database.ts';
import { sandboxDatabase } from './database.ts';
import { disputeSimulator } from './dispute-simulator.ts';
import { charge, createServer } from './test-server.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
  await db.query({ text: sandboxSchema, scope: 'everybody' });
});
afterAll(() => drop());

describe.each(['processor_a', 'processor_b'] as const)('at the simulator of %s', (processor) => {
  it.each([false, true])(
    'a bank ends a refund that waits, in the right mode (live: %s)',
    async (livemode) => {
      const server = createServer(db, { liveSimulation: true });
      const accountId = await openAccount(db, processor);
      const tenant = { accountId, livemode, processor };
      const payment = await charge(server, tenant);
      const connected = server.sandbox.connect(tenant);
      const refundId = `re_${payment.id.slice('pay_'.length)}`;
      const outcome = await connected?.port.refund(connected.connection, {
        refundId,
        paymentId: payment.id,
        upstreamKey: refundId,
        upstream: payment.upstream,
        amount: 4999,
        currency: 'EUR',
        reason: null,
        note: 'SIM-REFUND-PENDING',
      });
      expect(outcome).toMatchObject({ kind: 'pending' });
      server.moveTo(5);
      const ofOtherMode = { ...tenant, livemode: !livemode };
      expect(await server.sandbox.refunds.settle(ofOtherMode, refundId, 'succeeded')).toBe(false);
      expect(await server.sandbox.refunds.settle(tenant, 're_unknown', 'succeeded')).toBe(false);
      expect(await server.sandbox.refunds.settle(tenant, refundId, 'succeeded')).toBe(true);
      expect(await server.sandbox.refunds.settle(tenant, refundId, 'failed')).toBe(false);
      await server.settle();
      expect(server.unexpected).toEqual([]);
      const effects = server.effects.filter(({ effect }) => effect.kind === 'refund_settled');
      expect(effects).toMatchObject([
        { accountId, livemode, effect: { refundId, amount: 4999, currency: 'EUR', outcome: 'succeeded' } },
      ]);
      const { refunds } = await readLedger(sandboxDatabase(db), livemode ? `${accountId}_live` : accountId);
      expect(refunds).toEqual([
        {
          reference: refundId,
          payment_reference: payment.id,
          amount: 4999,
          currency: 'EUR',
          status: 'succeeded',
        },
      ]);
    },
  );

  it('a buyer disputes what was charged, and the issuer decides', async () => {
    const server = createServer(db);
    const accountId = await openAccount(db, processor);
    const tenant = { accountId, livemode: false, processor };
    const payment = await charge(server, tenant);
    const simulator = disputeSimulator(server.sandbox.deps);
    const options = { state: 'chargeback', amount: 1000, reason: 'duplicate' } as const;
    expect(await simulator.open(tenant, { id: 'pay_unknown' }, options)).toBeNull();
    const opened = await simulator.open(tenant, payment, options);
    if (opened === null || opened === 'amount_not_carried') throw new Error('no dispute was opened');
    await server.settle(accountId);
    expect(await simulator.move(tenant, 'unknown', { state: 'chargeback', status: 'lost' })).toBe(false);
    expect(await simulator.move(tenant, opened.upstreamId, { state: 'chargeback', status: 'lost' })).toBe(
      true,
    );
    await server.settle(accountId);
    expect(server.unexpected).toEqual([]);
    const effects = server.effects.flatMap(({ effect }) => (effect.kind === 'dispute' ? [effect.facts] : []));
    expect(effects[0]).toMatchObject({
      upstreamId: opened.upstreamId,
      amount: 1000,
      currency: 'EUR',
      state: 'chargeback',
      status: 'action_required',
      reason: 'duplicate',
    });
    expect(effects.at(-1)).toMatchObject({
      upstreamId: opened.upstreamId,
      state: 'chargeback',
      status: 'lost',
    });
  });
});
