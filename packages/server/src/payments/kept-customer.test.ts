import type { CustomerUpdate, PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCustomer, updateCustomer } from '../customers/customers.ts';
import type { ChargeOutcome, ChargeRequest } from '../processors/port/port.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import type { ClientInfo } from './kept-request.ts';
import { recoverPayments } from './operations/recoveries.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

const ada = {
  email: 'ada@shop.example',
  name: 'Ada Lovelace',
  phone: '+49301234567',
  locale: 'de-DE',
  date_of_birth: '1990-12-10',
};
const changes: CustomerUpdate = {
  email: 'king@shop.example',
  name: null,
  phone: '+49307654321',
  locale: 'en',
  date_of_birth: null,
  billing_address: { line1: 'Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
};

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
  answerWith(noAnswer, chargedAs('PSP1'));
});

/** Sets the processor's answers to the charges that follow, in order; the last one is repeated. */
function answerWith(...answers: readonly ChargeOutcome[]): void {
  const left = [...answers];
  kit.processor.answers = {
    charge: async ({ accountId }, request) => {
      // Recovery also looks at the charges that other tests have left in doubt.
      if (accountId !== shop.context().accountId) return noAnswer;
      asked.push(request);
      return (left.length > 1 ? left.shift() : left[0]) ?? noAnswer;
    },
  };
}

async function newCustomer(fields: Parameters<typeof createCustomer>[2]): Promise<string> {
  const made = await createCustomer(kit.payments.customers, shop.context(), fields, null);
  return (JSON.parse(made ?? '') as { id: string }).id;
}
const change = (id: string) => updateCustomer(kit.payments.customers, shop.context(), id, changes);

async function recover(): Promise<void> {
  for (let minutes = 0; minutes < 5; minutes += 1) {
    kit.clock.move(60_000);
    await recoverPayments(kit.payments);
  }
}

const adaAs = (id: string) => {
  const { date_of_birth: dateOfBirth, ...rest } = ada;
  return { id, ...rest, dateOfBirth };
};
const buyers = () => asked.map(({ buyer }) => buyer);

describe.each(['the merchant’s retry', 'recovery'])('%s repeats a charge with', (by) => {
  const repeat = (request: PaymentCreate) => (by === 'recovery' ? recover() : shop.pay('k', {}, request));

  it('the customer of the first attempt, whatever the customer is by then', async () => {
    const customer = await newCustomer(ada);
    const request = { ...cardPayment, customer };
    expect(await shop.pay('k', {}, request)).toMatchObject({ status: 503 });
    await change(customer);
    await repeat(request);
    expect(buyers()).toEqual([adaAs(customer), adaAs(customer)]);
  });

  it('only the fields that the customer of the first attempt had', async () => {
    const customer = await newCustomer({ email: ada.email });
    const request = { ...cardPayment, customer };
    expect(await shop.pay('k', {}, request)).toMatchObject({ status: 503 });
    await change(customer);
    await repeat(request);
    const buyer = {
      id: customer,
      email: ada.email,
      name: null,
      phone: null,
      locale: null,
      dateOfBirth: null,
    };
    expect(buyers()).toEqual([buyer, buyer]);
  });

  it('the customer of the request that created them', async () => {
    const request = { ...cardPayment, customer: ada };
    expect(await shop.pay('k', {}, request)).toMatchObject({ status: 503 });
    const { customer_id: id } = await shop.paymentOf('k');
    await change(id ?? '');
    await repeat(request);
    expect(buyers()).toEqual([adaAs(id ?? ''), adaAs(id ?? '')]);
    expect(asked.map(({ billingAddress }) => billingAddress)).toEqual([null, null]);
  });

  it('the upstream’s customer of the first attempt, even if another payment has saved a method since', async () => {
    const customer = await newCustomer(ada);
    const request: PaymentCreate = { ...cardPayment, customer, save_payment_method: true };
    const save = (key: string, upstreamCustomer: string) => {
      kit.clock.move(1000);
      const facts = { ...idsOnly({ order: key }), saved: { token: `TOKEN ${key}`, upstreamCustomer } };
      answerWith({ kind: 'succeeded', facts });
      return shop.pay(key, {}, request);
    };
    await save('one', 'UP1');
    answerWith(noAnswer);
    expect(await shop.pay('k', {}, request)).toMatchObject({ status: 503 });
    await save('two', 'UP2');
    asked = [];
    answerWith(noAnswer);
    await repeat(request);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked.map((charge) => charge.save?.upstreamCustomer))).toEqual(new Set(['UP1']));
  });
});

it('a retry sends the browser’s headers and address of the first attempt', async () => {
  const payAs = (client: ClientInfo) => shop.pay('k', {}, cardPayment, client);
  expect(await payAs({ ip: '192.0.2.1', userAgent: 'Firefox', accept: null })).toMatchObject({ status: 503 });
  expect(await payAs({ ip: '192.0.2.2', userAgent: 'curl', accept: '*/*' })).toMatchObject({ status: 201 });
  const sent = asked.map(({ shopperIp, userAgent, acceptHeader }) => [shopperIp, userAgent, acceptHeader]);
  expect(sent).toEqual([
    ['192.0.2.1', 'Firefox', null],
    ['192.0.2.1', 'Firefox', null],
  ]);
});
