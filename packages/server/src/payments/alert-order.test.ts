import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertsOf } from '../payment-alerts/alerts.ts';
import type { ChargeOutcome, SettledOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentAlert } from './notifications/apply-alert.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { capturePayment } from './operations/capture.ts';
import { confirmPayment } from './operations/confirm.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

/** Applies notifications about a payment: that it was charged, and an alert against it. Tests apply them in any order. */
function notificationsOf(shop: Shop, id: string, upstream: Record<string, string>) {
  const about = { paymentId: id, payment: upstream } as const;
  return {
    alert: (alert: 'capture_failed' | 'capture_reversed') =>
      applyPaymentAlert(kit.payments, shop.context(), { kind: 'payment_alert', alert, ...about }, null),
    charged: (outcome: SettledOutcome) =>
      applyPaymentUpdate(kit.payments, shop.context(), id, {
        kind: 'settled',
        outcome,
        amount: 4990,
        currency: 'EUR',
      }),
    /** Reports that this amount was taken back. @returns the amounts that are booked then */
    booked: async (amount: number, currency: string) => {
      const taken = { amount, currency };
      const effect = { kind: 'payment_alert', alert: 'capture_reversed', ...about, taken } as const;
      await applyPaymentAlert(kit.payments, shop.context(), effect, null);
      const rows = await kit.db.query<{ amount: number }>({
        text: 'select amount from payment_movements where tenant = $1 and payment_id = $2',
        values: [shop.context().tenant, id],
        scope: shop.context(),
      });
      return rows.map((row) => row.amount);
    },
    alerts: async () => (await alertsOf(kit.db, shop.context(), id)).map(({ kind }) => kind),
  };
}

const challenge: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_a_redirect',
  redirectUrl: 'https://bank.example/challenge',
  facts: idsOnly({ psp: 'PSP1' }),
};

it('a failed capture that is notified before the authorization waits for it, and is an alert then', async () => {
  const shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => challenge, confirm: async () => noAnswer };
  await shop.pay('k');
  const { id } = await shop.paymentOf('k');
  await confirmPayment(kit.payments, shop.context(), id, { claim: null, resumes: null }).catch(() => {});
  const { alert, charged, alerts } = notificationsOf(shop, id, { psp: 'PSP1' });
  expect(await alert('capture_failed')).toBe('later');
  expect(await charged(chargedAs('PSP1'))).toBe('applied');
  expect(await alert('capture_failed')).toBe('applied');
  expect(await alerts()).toEqual(['capture_failed']);
});

it('a reversed capture whose own answer was lost is an alert once the capture is known', async () => {
  const ids = { order: 'ORDER1', authorization: 'AUTH1' };
  const hold: SettledOutcome = {
    kind: 'authorized',
    facts: idsOnly(ids),
    deadlines: { guaranteedUntil: null, expires: null },
  };
  const shop = await Shop.open(kit, 'processor_b');
  kit.processor.answers = { charge: async () => hold, capture: async () => noAnswer };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  await capturePayment(kit.payments, shop.context(), id, { claim: null, resumes: null }).catch(() => {});
  const { alert, alerts } = notificationsOf(shop, id, { ...ids, capture: 'C1' });
  expect(await alert('capture_reversed')).toBe('later');
  const done: SettledOutcome = { kind: 'succeeded', facts: idsOnly({ ...ids, capture: 'C1' }) };
  kit.processor.answers = { capture: async () => done, lookUp: async () => done };
  kit.clock.move(400_000);
  await recoverPayments(kit.payments);
  expect(await alert('capture_reversed')).toBe('applied');
  expect(await alerts()).toEqual(['capture_reversed']);
});

it('a hold of which nothing is asked has no capture that could fail', async () => {
  const shop = await Shop.open(kit, 'processor_b');
  const facts = idsOnly({ authorization: 'AUTH2' });
  const deadlines = { guaranteedUntil: null, expires: null };
  kit.processor.answers = { charge: async () => ({ kind: 'authorized', facts, deadlines }) };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  const { alert, alerts } = notificationsOf(shop, id, { authorization: 'AUTH2' });
  expect(await alert('capture_failed')).toBe('applied');
  expect(await alerts()).toEqual([]);
});

it.each([
  ['what the processor says', 1000, 'EUR', -1000],
  ['all of it, where what it says is in another currency', 1000, 'USD', -4990],
])('a reversal takes %s', async (_what, amount, currency, booked) => {
  const shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => chargedAs('PSP1') };
  await shop.pay('k');
  const { id } = await shop.paymentOf('k');
  expect(await notificationsOf(shop, id, { psp: 'PSP1' }).booked(amount, currency)).toEqual([booked]);
});
