import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removePaymentMethod } from '../payment-methods/remove-payment-method.ts';
import type { ChargeOutcome } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
let rebill: PaymentCreate;
let method: string;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const saved: ChargeOutcome = {
  kind: 'succeeded',
  facts: { ...idsOnly({ order: 'ORDER1' }), saved: { token: 'TOKEN1', upstreamCustomer: null } },
};
const notCarriedOut = async (): Promise<ChargeOutcome> => ({ kind: 'not_carried_out', facts: idsOnly({}) });
const remove = () => removePaymentMethod(kit.payments.methods, shop.context(), method, null);
const retry = () => shop.pay('rebill', {}, rebill);

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    kit.clock.move(2000);
    await recoverPayments(kit.payments);
  }
}

describe('the retry of a merchant-initiated charge in doubt whose method is removed', () => {
  beforeEach(async () => {
    shop = await Shop.open(kit, 'processor_b');
    kit.processor.answers = { charge: async () => saved };
    const customer = { email: 'a@shop.example' };
    const { text } = await shop.pay('k', {}, { ...cardPayment, customer, save_payment_method: true });
    const first = JSON.parse(text);
    method = first.payment_method_id;
    rebill = {
      amount: 4990,
      currency: 'EUR',
      customer: first.customer,
      stored_payment_method: method,
      merchant_initiated: true,
    };
    kit.processor.answers.charge = async () => noAnswer;
    expect(await retry()).toMatchObject({ status: 503 });
  });

  it('200 not_processed within a minute where nothing was carried out, and 503 until then', async () => {
    await remove();
    kit.processor.answers.charge = notCarriedOut;
    expect(await retry()).toMatchObject({ status: 503 });
    await pass(60);
    expect(await retry()).toMatchObject({ status: 200 });
    const { id, status, failure_code } = await shop.paymentOf('rebill');
    expect([status, failure_code]).toEqual(['failed', 'not_processed']);
    expect(await shop.eventsOf(id)).toEqual(['payment.failed']);
  });

  it('has recovery look at once where the charge was left to the retry before', async () => {
    kit.processor.answers.charge = notCarriedOut;
    await pass(60);
    expect(await shop.paymentOf('rebill')).toMatchObject({ status: 'processing' });
    await remove();
    expect(await retry()).toMatchObject({ status: 503 });
    await pass(2);
    expect(await retry()).toMatchObject({ status: 200 });
  });

  it('201 once recovery has found that it was charged', async () => {
    await remove();
    kit.processor.answers.charge = async () => chargedAs('PSP2');
    expect(await retry()).toMatchObject({ status: 503 });
    await pass(60);
    expect(await retry()).toMatchObject({ status: 201 });
  });
});
