import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PaymentRow } from '../payments/payment.ts';
import { chargedAs, createMoneyKit, type MoneyKit, Shop } from '../payments/test-kit.ts';
import { applyRefundUpdate, type RefundUpdate } from './apply-notification.ts';
import { createRefund } from './create-refund.ts';
import { refundableOf } from './refundable.ts';

let kit: MoneyKit;
let shop: Shop;
let payment: PaymentRow;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  kit.processor.answers = {
    charge: async () => chargedAs('PSP1'),
    refund: async () => ({ kind: 'pending', upstreamId: 'R-OURS' }),
  };
  shop = await Shop.open(kit, 'processor_b');
  await shop.pay('k');
  payment = await shop.paymentOf('k');
});

const refunds = async () => (await kit.refunds.store.list(shop.context(), payment.id, 1, 5)).rows;
const left = async () => (await refundableOf(kit.db, payment)).left;

/** Applies the processor's notification about a refund of the full payment. */
const apply = (what: Pick<RefundUpdate, 'refundId' | 'upstreamId' | 'outcome'>) =>
  applyRefundUpdate(kit.refunds, shop.context(), {
    kind: 'refund_settled',
    paymentId: null,
    payment: payment.upstream,
    amount: payment.amount,
    currency: payment.currency,
    ...what,
  });
const foreign = () => apply({ refundId: null, upstreamId: 'R-FOREIGN', outcome: 'succeeded' });

async function refundAll(): Promise<string> {
  const input = { paymentId: payment.id, request: {}, claim: null, resumes: null };
  await createRefund(kit.refunds, shop.context(), input);
  return (await refunds())[0]?.id ?? '';
}

it('a refund made elsewhere waits while one of ours is pending, and is recorded once that has failed', async () => {
  const id = await refundAll();
  expect(await foreign()).toBe('later');
  const failure = { code: 'insufficient_balance', message: 'no' };
  expect(await apply({ refundId: id, upstreamId: 'R-OURS', outcome: failure })).toBe('applied');
  expect(await left()).toBe(payment.amount);
  expect(await foreign()).toBe('applied');
  expect(await left()).toBe(0);
  expect((await refunds()).map(({ upstream_id: upstream, status }) => [upstream, status])).toEqual([
    ['R-FOREIGN', 'succeeded'],
    ['R-OURS', 'failed'],
  ]);
});

it('is reported where ours has succeeded: more was given back than was paid', async () => {
  const id = await refundAll();
  expect(await foreign()).toBe('later');
  await apply({ refundId: id, upstreamId: 'R-OURS', outcome: 'succeeded' });
  expect(await foreign()).toBe('applied');
  expect(await refunds()).toHaveLength(1);
  expect(kit.incidents.at(-1)).toContain('more was refunded upstream than the payment has left');
});

it('a refund by a name of ours that is not on record counts against its payment, once', async () => {
  const lost = {
    refundId: 're_000000000000000000000000',
    upstreamId: 'R-LOST',
    outcome: 'succeeded',
  } as const;
  expect([await apply(lost), await apply(lost)]).toEqual(['applied', 'applied']);
  expect(await left()).toBe(0);
  expect(await refunds()).toMatchObject([{ upstream_id: 'R-LOST', status: 'succeeded' }]);
  expect(kit.incidents.some((words) => words.includes('unknown refund'))).toBe(true);
});
