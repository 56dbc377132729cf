import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertsOf } from '../payment-alerts/alerts.ts';
import { voidPayment } from '../payments/operations/void.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from '../payments/test-kit.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyRefundUpdate, type RefundUpdate } from './apply-notification.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const rejected = { code: 'rejected_by_scheme', message: 'The scheme rejected it.' } as const;

describe.each(['failed', 'voided'] as const)('money of a payment that is %s', (status) => {
  const open = async () => {
    const shop = await Shop.open(kit, 'processor_b');
    const facts = idsOnly({ psp: 'PAID1' });
    const deadlines = { guaranteedUntil: null, expires: null };
    kit.processor.answers = {
      charge: async () =>
        status === 'failed'
          ? { kind: 'declined', code: 'refused', facts }
          : { kind: 'authorized', facts, deadlines },
      void: async () => ({ kind: 'voided' }),
    };
    await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
    const { id } = await shop.paymentOf('k');
    if (status === 'voided') {
      await voidPayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
    }
    const payment = await shop.paymentOf('k');
    expect(payment.status).toBe(status);
    kit.incidents.length = 0;
    const apply = (outcome: RefundUpdate['outcome']) =>
      applyRefundUpdate(kit.refunds, shop.context(), {
        kind: 'refund_settled',
        refundId: null,
        upstreamId: 'REVERSAL1',
        paymentId: id,
        payment: { psp: 'PAID1' },
        amount: payment.amount,
        currency: payment.currency,
        outcome,
      });
    const alerts = async () => (await alertsOf(kit.db, shop.context(), id)).map(({ kind }) => kind);
    return { shop, apply, alerts, id };
  };

  it('that the scheme does not give back is reported, with one alert', async () => {
    const { shop, apply, alerts, id } = await open();
    expect([await apply(rejected), await apply(rejected)]).toEqual(['applied', 'applied']);
    expect(kit.incidents).toContain(
      'charged upstream after it failed or was voided here, and not given back',
    );
    expect(await alerts()).toEqual(['reversal_failed']);
    expect(await shop.paymentOf('k')).toMatchObject({ status });
    expect((await kit.refunds.store.list(shop.context(), id, 1, 5)).rows).toEqual([]);
  });

  it('that was given back is no refund, and nothing to report', async () => {
    const { shop, apply, alerts, id } = await open();
    expect(await apply('succeeded')).toBe('applied');
    expect([kit.incidents, await alerts()]).toEqual([[], []]);
    expect((await kit.refunds.store.list(shop.context(), id, 1, 5)).rows).toEqual([]);
  });
});
