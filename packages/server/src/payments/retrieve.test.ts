import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { retrieveShownPayment } from './operations/expire.ts';
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

it('of concurrent requests for one payment only those of its own merchant get it', async () => {
  const [owner, other] = await Promise.all([Shop.open(kit), Shop.open(kit)]);
  kit.processor.answers = { charge: async () => waiting };
  for (const shop of [owner, other]) await shop.pay('k');
  const [{ id }, { id: othersId }] = await Promise.all([owner.paymentOf('k'), other.paymentOf('k')]);
  const retrieve = (shop: Shop, paymentId: string) =>
    retrieveShownPayment(kit.payments, shop.context(), paymentId).then(
      (payment) => payment.id,
      (error: { code?: unknown }) => error.code,
    );
  // These reads share one batch, since they start at the same moment.
  const answers = [retrieve(other, id), retrieve(owner, id), retrieve(other, othersId), retrieve(owner, id)];
  expect(await Promise.all(answers)).toEqual(['not_found', id, othersId, id]);
});

it('a payment whose window is over is shown as failed before any sweep has failed it', async () => {
  const shop = await Shop.open(kit);
  kit.processor.answers = { charge: async () => waiting, cancel: async () => ({ kind: 'accepted' }) };
  await shop.pay('k');
  const { id } = await shop.paymentOf('k');
  const read = () => retrieveShownPayment(kit.payments, shop.context(), id);
  expect(await read()).toMatchObject({ status: 'requires_action' });
  kit.clock.move(15 * 60_000);
  const failed = { status: 'failed', failure_code: '3ds_abandoned' };
  expect(await read()).toMatchObject(failed);
  expect(await read()).toMatchObject(failed);
  expect(await shop.eventsOf(id)).toEqual(['payment.requires_action', 'payment.failed']);
});
