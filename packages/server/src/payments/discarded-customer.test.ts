import type { PaymentCreate } from '@till/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCustomer, findCustomer } from '../customers/customers.ts';
import { sha256 } from '../lib/keys.ts';
import { createPaymentLink } from '../payment-links/payment-links.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { createPayment } from './operations/create-payment.ts';
import type { LinkAttempt } from './store.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, Shop, whileLocked } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

const refused = { kind: 'not_executed', answer: 'provider_error', reason: 'status 401' } as const;
const client = { ip: null, userAgent: null, accept: null };

/** Ends the open charge with a new customer: the processor refuses it, so that payment and customer are discarded. */
let discard: () => Promise<void>;
/** Id of the new customer. */
let customer: string;
/** Ids of the customers in the charges that the processor got. */
let charged: (string | undefined)[];

beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  charged = [];
  let refuse = () => {};
  const refusal = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  let isFirst = true;
  kit.processor.answers.charge = async (_connection, { buyer }) => {
    if (isFirst) {
      isFirst = false;
      await refusal;
      return refused;
    }
    charged.push(buyer?.id);
    return chargedAs('PSP2');
  };
  const first = shop.pay('first', {}, { ...cardPayment, customer: { email: 'ada@shop.example' } });
  await until('the processor is asked', async () => !isFirst);
  customer = (await shop.paymentOf('first')).customer_id ?? '';
  discard = async () => {
    refuse();
    expect(await first).toMatchObject({ status: 502 });
  };
});

const find = () => findCustomer(kit.payments.customers, shop.context(), customer);
const ofCustomer = (): PaymentCreate => ({ ...cardPayment, customer });

/** Pays with the new customer. @param next runs after the payment has looked up the customer, before commit 1 */
async function payAfter(next: () => Promise<void>, link?: LinkAttempt) {
  const { store } = kit.payments;
  const begin = async (intent: Parameters<typeof store.begin>[0]) => {
    await next();
    return store.begin(intent);
  };
  const between = new Proxy(store, {
    get: (target, name) => {
      if (name === 'begin') return begin;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const context = shop.context();
  const found = await kit.idempotency.find(context, { scope: 'POST /pay', key: 'k', body: ofCustomer() });
  if (found.kind === 'replay') throw new Error('replayed');
  const request = { request: ofCustomer(), client, resumes: null };
  const input = link === undefined ? { ...request, claim: found.claim } : { ...request, claim: null, link };
  const answer = await createPayment({ ...kit.payments, store: between }, context, input);
  await kit.idempotency.release(context, found.claim);
  return answer;
}

describe('a payment of a customer who is discarded with the payment that they came with', () => {
  it('does not begin, and its request is answered as for an unknown customer', async () => {
    expect(await payAfter(discard)).toEqual({ keyTaken: true });
    expect(await find()).toBeUndefined();
    expect(await shop.pay('k', {}, ofCustomer())).toEqual({ status: 404, text: 'customer_not_found' });
    expect(charged).toEqual([]);
  });

  it('takes no place of its link', async () => {
    const terms = { title: 'Invoice', currency: 'EUR', amount: 4990, max_payments: 1 };
    const made = await createPaymentLink(kit.links, shop.context(), terms, { claim: null });
    if (made === null) throw new Error('no link was made');
    const { id } = made.link;
    const attempt = { id, visit: sha256('form'), browser: null, network: null };
    expect(await payAfter(discard, attempt)).toEqual({ keyTaken: true });
    expect(await kit.links.store.find(shop.context(), id)).toMatchObject({ open_count: 0 });
    expect(await kit.links.store.attemptOf(shop.context(), id, attempt.visit)).toBeNull();
  });

  it('keeps the customer where it has begun before', async () => {
    expect(await payAfter(async () => {})).toMatchObject({ status: 201 });
    await discard();
    expect(await find()).toMatchObject({ id: customer, email: 'ada@shop.example' });
  });

  it.each([
    ['the payment', true],
    ['the discarding', false],
  ])('at the same moment: where %s comes first it wins', async (_first, paymentIsFirst) => {
    const works = [() => payAfter(async () => {}), discard];
    const row = { tenant: shop.context().tenant, id: customer };
    const inOrder = paymentIsFirst ? works : works.toReversed();
    await whileLocked<unknown>(kit, { table: 'customers', row }, inOrder);
    expect(charged).toEqual(paymentIsFirst ? [customer] : []);
    expect((await find())?.id).toBe(paymentIsFirst ? customer : undefined);
  });
});

describe('the row of a customer', () => {
  const versionOf = async (id: string) => {
    const [row] = await kit.db.query<{ version: string }>({
      text: 'select ctid::text as version from customers where tenant = $1 and id = $2',
      values: [shop.context().tenant, id],
      scope: shop.context(),
    });
    return row?.version;
  };
  const pay = (key: string, id: string) => shop.pay(key, {}, { ...cardPayment, customer: id });

  it('is written once by the payments of a customer who came with one', async () => {
    expect(await pay('k1', customer)).toMatchObject({ status: 201 });
    const version = await versionOf(customer);
    expect(await pay('k2', customer)).toMatchObject({ status: 201 });
    expect(await versionOf(customer)).toBe(version);
    await discard();
  });

  it('is written by no payment of a customer who was created alone', async () => {
    const fields = { email: 'grace@shop.example' };
    const created = await createCustomer(kit.payments.customers, shop.context(), fields, null);
    const { id } = JSON.parse(created ?? '{}');
    const version = await versionOf(id);
    expect(await pay('k1', id)).toMatchObject({ status: 201 });
    expect(await versionOf(id)).toBe(version);
    await discard();
  });
});
