import { afterAll, beforeAll, expect, it } from 'vitest';
import { OperationWaits } from '../lib/waiting/operation-waits.ts';
import { until } from '../processor-notifications/test-kit.ts';
import type { CancelOutcome, ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { expirePayments, finishExpiry, retrievePayment } from './operations/expire.ts';
import { beginUnasked } from './operations/recovery.ts';
import { createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const waiting: ChargeOutcome = {
  kind: 'requires_action',
  action: 'processor_a_redirect',
  redirectUrl: 'https://bank.example/challenge',
  facts: idsOnly({ psp: 'PSP1' }),
};

it('every overdue payment fails, however long the processor of one takes to cancel', async () => {
  const shops = await Promise.all([Shop.open(kit), Shop.open(kit), Shop.open(kit)]);
  kit.processor.answers = { charge: async () => waiting };
  for (const shop of shops) expect(await shop.pay('k')).toMatchObject({ status: 201 });
  let answer = () => {};
  const answered = new Promise<CancelOutcome>((resolve) => {
    answer = () => resolve({ kind: 'accepted' });
  });
  kit.processor.answers.cancel = () => answered;
  kit.clock.move(15 * 60_000);
  const sweep = expirePayments(kit.payments);
  for (const shop of shops) {
    await until('the payment failed', async () => (await shop.paymentOf('k')).status === 'failed');
    const { id, failure_code } = await shop.paymentOf('k');
    expect(failure_code).toBe('3ds_abandoned');
    expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.failed']);
  }
  answer();
  await sweep;
});

it('a payment that another one is failing is read as failed', async () => {
  const shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => waiting, cancel: async () => ({ kind: 'accepted' }) };
  await shop.pay('k');
  kit.clock.move(15 * 60_000);
  const payment = await shop.paymentOf('k');
  const leaseUntil = await beginUnasked(kit.payments, shop.context(), payment, 'expire', `${payment.id}:x`);
  if (leaseUntil === undefined) throw new Error('another operation is open');
  const finish = () => finishExpiry(kit.payments, shop.context(), payment.id, leaseUntil);
  const waits = new OperationWaits({ elapsed: () => 0, delay: async () => void (await finish()) });
  const read = await retrievePayment({ ...kit.payments, waits }, shop.context(), payment.id);
  expect(read).toMatchObject({ status: 'failed', failure_code: '3ds_abandoned' });
});
