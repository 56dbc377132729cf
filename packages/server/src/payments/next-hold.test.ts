import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertsOf } from '../payment-alerts/alerts.ts';
import type { HoldDeadlines, UpstreamIds } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { applyPaymentUpdate } from './notifications/apply-notification.ts';
import { capturePayment } from './operations/capture.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const authorized =
  (upstream: UpstreamIds, deadlines: HoldDeadlines = { guaranteedUntil: null, expires: null }) =>
  async () =>
    ({ kind: 'authorized', facts: idsOnly(upstream), deadlines }) as const;

it('a hold that was made anew at the processor is known by its next id from then on', async () => {
  const shop = await Shop.open(kit, 'processor_b');
  const [own, next] = ['HOLD1', 'HOLD2'].map((authorization) => ({ order: 'ORDER1', authorization }));
  if (own === undefined || next === undefined) throw new Error('two holds');
  const asked: UpstreamIds[] = [];
  kit.processor.answers = {
    charge: authorized(own),
    lookUp: authorized(next),
    capture: async (_connection, { upstream }) => {
      asked.push(upstream);
      return { kind: 'succeeded', facts: idsOnly({ ...upstream, capture: 'CAPTURE1' }) };
    },
  };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  for (let time = 0; time < 2; time += 1) {
    expect(
      await applyPaymentUpdate(kit.payments, shop.context(), id, { kind: 'changed', upstream: next }),
    ).toBe('applied');
    expect(await shop.paymentOf('k')).toMatchObject({ status: 'authorized', upstream: next });
  }
  expect(await alertsOf(kit.db, shop.context(), id)).toEqual([]);
  await capturePayment(kit.payments, shop.context(), id, { claim: null, resumes: null });
  expect(asked).toEqual([next]);
});

const days = (from: number): HoldDeadlines => ({
  guaranteedUntil: new Date(Date.UTC(2027, 0, from + 3)),
  expires: new Date(Date.UTC(2027, 0, from + 29)),
});
it.each<[string, HoldDeadlines, HoldDeadlines]>([
  ['its own', days(4), days(4)],
  [
    'the former end, and no guarantee, where it names neither',
    { guaranteedUntil: null, expires: null },
    { guaranteedUntil: null, expires: days(0).expires },
  ],
])('a hold that was made anew has %s', async (_which, named, { guaranteedUntil, expires }) => {
  const shop = await Shop.open(kit, 'processor_b');
  kit.processor.answers = {
    charge: authorized({ order: 'ORDER1', authorization: 'HOLD1' }, days(0)),
    lookUp: authorized({ order: 'ORDER1', authorization: 'HOLD2' }, named),
  };
  await shop.pay('k', {}, { ...cardPayment, capture_method: 'manual' });
  const { id } = await shop.paymentOf('k');
  await applyPaymentUpdate(kit.payments, shop.context(), id, { kind: 'changed', upstream: {} });
  expect(await shop.paymentOf('k')).toMatchObject({
    authorization_guaranteed_until: guaranteedUntil,
    authorization_expires: expires,
  });
});
