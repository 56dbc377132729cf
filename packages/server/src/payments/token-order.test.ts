import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgetInstrument } from '../payment-methods/payment-methods.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { attachLateToken } from './notifications/attach-method.ts';
import { cardPayment, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
let customer: string;
let token: string;
let shops = 0;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

/** Makes a payment that saves its card. The token comes later, in a notification. */
async function pay(key: string, payer: NonNullable<PaymentCreate['customer']>): Promise<void> {
  kit.clock.move(1000);
  const facts = idsOnly({ order: `ORDER ${key}`, capture: 'CAPTURE1' });
  kit.processor.answers = { charge: async () => ({ kind: 'succeeded', facts }) };
  const { text } = await shop.pay(key, {}, { ...cardPayment, customer: payer, save_payment_method: true });
  ({ customer } = JSON.parse(text));
}

beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  shops += 1;
  token = `TOKEN${shops}`;
  await pay('one', { email: 'a@shop.example' });
  kit.clock.move(1000);
});

const isSaved = (key = 'one') =>
  attachLateToken(
    kit.payments,
    shop.context(),
    {
      kind: 'instrument_saved',
      paymentId: null,
      payment: { order: `ORDER ${key}` },
      saved: { token, upstreamCustomer: null },
    },
    null,
  );
const isRemoved = (sender: string | null = null) =>
  forgetInstrument(kit.payments.methods, shop.context(), { token, sender, at: shop.context().now });

/** For each of the customer's methods, whether the first payment names it, and whether it can be charged. */
async function state() {
  const { rows } = await kit.payments.methods.store.list(shop.context(), customer, 1, 10);
  const { payment_method_id: named } = await shop.paymentOf('one');
  return rows.map(({ id, gone_at }) => ({ isNamed: id === named, canBeCharged: gone_at === null }));
}

describe('a token that is saved and removed upstream', () => {
  it.each([
    ['in this order', [isSaved, isRemoved]],
    ['in the other order', [isRemoved, isSaved]],
    ['with repeats', [isRemoved, isSaved, isRemoved, isSaved]],
  ])('leaves a method that cannot be charged, where that is notified %s', async (_order, notifications) => {
    for (const apply of notifications) await apply();
    expect(await state()).toEqual([{ isNamed: true, canBeCharged: false }]);
  });

  it('cannot be charged either where a second payment had saved it, and that is notified last', async () => {
    await isSaved();
    await pay('two', customer);
    kit.clock.move(1000);
    await isRemoved();
    await isSaved('two');
    expect(await state()).toEqual([{ isNamed: true, canBeCharged: false }]);
  });

  it('can be charged once a payment that began later has saved it again', async () => {
    await isRemoved();
    await isSaved();
    await pay('two', customer);
    await isSaved('two');
    expect(await state()).toEqual([{ isNamed: true, canBeCharged: true }]);
  });

  it('is not the token of another merchant account', async () => {
    await isRemoved('test:Other');
    await isSaved();
    expect(await state()).toEqual([{ isNamed: true, canBeCharged: true }]);
  });
});
