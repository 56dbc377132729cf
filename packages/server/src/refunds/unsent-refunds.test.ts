import { afterAll, beforeAll, expect, it } from 'vitest';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from '../payments/test-kit.ts';
import type { RefundOutcome } from '../processors/port/refunds.ts';
import { createRefund } from './create-refund.ts';
import { recoverRefunds } from './refund.ts';
import { refundableOf } from './refundable.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const notSent: RefundOutcome = { kind: 'not_executed', answer: 'provider_error', reason: 'credentials' };

/**
 * Requests a full refund with the answer `outcome`, then moves the clock a day past the time that the processor remembers its
 * key.
 */
async function afterTheKey(processor: 'processor_a' | 'processor_b', outcome: RefundOutcome) {
  kit.processor.answers = { charge: async () => chargedAs('PSP1'), refund: async () => outcome };
  const shop = await Shop.open(kit, processor);
  await shop.pay('k');
  const payment = await shop.paymentOf('k');
  const only = async () => (await kit.refunds.store.list(shop.context(), payment.id, 1, 1)).rows[0];
  const ask = async () => {
    const { id: resumes = null } = (await only()) ?? {};
    const input = { paymentId: payment.id, request: {}, claim: null, resumes };
    return createRefund(kit.refunds, shop.context(), input).then(
      () => 'answered',
      (error: { code?: string }) => error.code,
    );
  };
  await ask();
  let asked = 0;
  kit.processor.answers.refund = async () => {
    asked += 1;
    return { kind: 'succeeded', upstreamId: `R-${payment.id}` };
  };
  kit.clock.move((processor === 'processor_a' ? 8 : 46) * 86_400_000);
  return { ask, only, asked: () => asked, left: async () => (await refundableOf(kit.db, payment)).left };
}

const recover = async () => {
  await recoverRefunds(kit.refunds);
  kit.clock.move(4_000_000);
  await recoverRefunds(kit.refunds);
};

it.each(['processor_a', 'processor_b'] as const)(
  '%s: a refund of which nothing was carried out is asked for although its key is forgotten',
  async (processor) => {
    const { only, asked, left } = await afterTheKey(processor, notSent);
    await recover();
    expect([asked(), (await only())?.status, await left()]).toEqual([1, 'succeeded', 0]);
  },
);

it('also where its request is repeated', async () => {
  const { ask, only, asked } = await afterTheKey('processor_a', notSent);
  expect(await ask()).toBe('answered');
  expect([asked(), (await only())?.upstream_id]).toEqual([1, expect.stringMatching(/^R-/)]);
});

it('one that may have been carried out is not asked for again then, by nobody', async () => {
  const { ask, only, asked } = await afterTheKey('processor_a', noAnswer);
  expect(await ask()).toBe('provider_unavailable');
  await recover();
  expect([asked(), (await only())?.status]).toEqual([0, 'pending']);
});
