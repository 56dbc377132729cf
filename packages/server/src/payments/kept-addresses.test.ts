import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCustomer, updateCustomer } from '../customers/customers.ts';
import type { ChargeRequest } from '../processors/port/port.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

const before = { line1: 'Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' };
const after = { ...before, city: 'Elsewhere' };

let kit: MoneyKit;
let shop: Shop;
let asked: ChargeRequest[];

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  asked = [];
  kit.processor.answers = {
    charge: async (_connection, request) => {
      asked.push(request);
      return asked.length === 1 ? noAnswer : chargedAs('PSP1');
    },
  };
});

/** Pays with a customer and gets no answer; then changes the customer's addresses. @returns the request, to be retried */
async function payAndChange(addresses: object, changed: object) {
  const { customers } = kit.payments;
  const email = 'buyer@shop.example';
  const made = await createCustomer(customers, shop.context(), { email, ...addresses }, null);
  const { id } = JSON.parse(made ?? '') as { id: string };
  const request = { ...cardPayment, customer: id };
  expect(await shop.pay('k', {}, request)).toMatchObject({ status: 503 });
  await updateCustomer(customers, shop.context(), id, changed);
  return request;
}

const sent = () => asked.map(({ billingAddress, deliveryAddress }) => [billingAddress, deliveryAddress]);

it('a retry sends the addresses of the first attempt, whatever the customer’s are by then', async () => {
  const request = await payAndChange(
    { billing_address: before },
    { billing_address: after, delivery_address: after },
  );
  expect(await shop.pay('k', {}, request)).toMatchObject({ status: 201 });
  expect(sent()).toEqual([
    [before, null],
    [before, null],
  ]);
});

it('recovery sends the addresses of the first attempt too', async () => {
  await payAndChange({}, { billing_address: after });
  for (let minutes = 0; minutes < 5; minutes += 1) {
    kit.clock.move(60_000);
    await recoverPayments(kit.payments);
  }
  expect(sent()).toEqual([
    [null, null],
    [null, null],
  ]);
});
