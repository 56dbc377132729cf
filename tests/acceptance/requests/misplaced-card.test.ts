import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';
import { findInDatabase, oldestOpenTransaction, patternsOf } from '../../support/stored-bytes.ts';
import { submit, visit } from '../checkout/browser.ts';
import { goodCard, openCardFields, read } from '../checkout/kit.ts';

/** Card numbers that no other test uses like this. */
const own = '4539578763621486';
const foreign = '4532015112830366';
const spacings = [
  own,
  own.replaceAll(/(.{4})(?=.)/g, '$1 '),
  own.replaceAll(/(.{4})(?=.)/g, '$1-'),
  own.replaceAll(/(.{4})(?=.)/g, '$1. '),
  own.replaceAll(/(.)(?=.)/g, '$1     '),
  own.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
];

let a: Merchant;
let b: Merchant;
let since: string;

beforeAll(async () => {
  since = await oldestOpenTransaction();
  [a, b] = await Promise.all([Merchant.open('processor_a'), Merchant.open('processor_b')]);
});

/**
 * Expects that the request is refused for this field, without a payment, without a charge at the processor, and without
 * the number in the response.
 */
async function expectRefused(shop: Merchant, reply: Reply, param: string): Promise<void> {
  expectError(reply, 'invalid_params', param);
  expect(reply.body.error.message).not.toMatch(/\d{4}/);
  expect((await shop.get('/api/v1/payments')).body.total_count).toBe(0);
  expect((await shop.ledger()).charges).toEqual([]);
}

describe("a person's name with a card number is 422 on the name", () => {
  it.each([
    '4532 0151 1283 0366',
    `Jane Smith ${foreign}`,
    '4532-0151-1283-0366 03/32 737',
    '４５３２０１５１１２８３０３６６',
  ])('as the holder: %s', async (name) => {
    for (const shop of [a, b]) {
      const reply = await shop.pay({ card: { holder_name: name } });
      await expectRefused(shop, reply, 'payment_method.holder_name');
    }
  });

  it('as the name of a customer, on its own, in a change and within a payment', async () => {
    const customer = await a.post('/api/v1/customers', { email: freshEmail(), name: 'Jane 2nd' });
    expect(customer.status).toBe(201);
    const name = `Jane ${foreign}`;
    expectError(await a.post('/api/v1/customers', { email: freshEmail(), name }), 'invalid_params', 'name');
    const path = `/api/v1/customers/${customer.body.id}`;
    expectError(await a.call('PATCH', path, { body: { name } }), 'invalid_params', 'name');
    await expectRefused(a, await a.pay({ customer: { email: freshEmail(), name } }), 'customer.name');
    expect((await a.get('/api/v1/customers')).body.total_count).toBe(1);
  });

  it('on the hosted page, where nothing is charged', async () => {
    const shop = await Merchant.open('processor_b');
    const payment = await openCardFields(shop);
    const answer = await submit(await visit(payment.url), { ...goodCard, name: `J ${foreign}` });
    expect(answer.status).toBe(422);
    expect((await read(shop, payment.id)).status).toBe('requires_action');
    expect((await shop.ledger()).charges).toEqual([]);
  });
});

describe("the request's own card number in another of its fields is 422 on that field", () => {
  const fields: readonly (readonly [param: string, fields: (text: string) => object])[] = [
    ['reference', (text) => ({ reference: text })],
    ['description', (text) => ({ description: `for card ${text}` })],
    ['shopper_statement', (text) => ({ shopper_statement: text })],
    ['invoice_id', (text) => ({ invoice_id: text })],
    ['device_fingerprint', (text) => ({ device_fingerprint: text })],
    ['customer.external_id', (text) => ({ customer: { email: freshEmail(), external_id: text } })],
    ['customer.metadata.card', (text) => ({ customer: { email: freshEmail(), metadata: { card: text } } })],
    ['customer.metadata', (text) => ({ customer: { email: freshEmail(), metadata: { [text]: '' } } })],
    ['billing_address.line1', (text) => ({ billing_address: { line1: text, country: 'DE' } })],
    ['browser_info.user_agent', (text) => ({ browser_info: { user_agent: text } })],
    ['line_items[0].name', (text) => ({ line_items: [{ name: text, unit_amount: 4990 }] })],
    ['stc.account', (text) => ({ stc: { account: text } })],
    ['metadata.card', (text) => ({ metadata: { card: text } })],
  ];

  it.each(fields)('%s', async (param, place) => {
    for (const shop of [a, b]) {
      for (const text of spacings) {
        await expectRefused(shop, await shop.pay({ card: { number: own }, ...place(text) }), param);
      }
    }
  });

  it('success_url, also with escapes', async () => {
    const url = `https://shop.example/ok?card=${encodeURIComponent(spacings[1] ?? '')}`;
    await expectRefused(a, await a.pay({ card: { number: own }, success_url: url }), 'success_url');
  });

  it('whatever the spacing of the number itself', async () => {
    const card = { number: ` 4539-5787 6362 1486 - ` };
    await expectRefused(a, await a.pay({ card, reference: own }), 'reference');
  });

  it('the Idempotency-Key', async () => {
    const reply = await a.pay({ card: { number: own } }, { idempotencyKey: `order-${own}` });
    expectError(reply, 'invalid_params');
    expect((await a.ledger()).charges).toEqual([]);
  });

  it('and leaves the key free for the corrected request', async () => {
    const shop = await Merchant.open();
    const idempotencyKey = randomUUID();
    const first = await shop.pay({ card: { number: own }, reference: own }, { idempotencyKey });
    expectError(first, 'invalid_params', 'reference');
    expect((await shop.pay({ reference: 'order-1' }, { idempotencyKey })).status).toBe(201);
  });
});

it('a name may hold digits that are no card number', async () => {
  for (const name of ['Jane Smith 2nd', '4532015112830367', 'Acme 24 Ltd, +49 30 1234']) {
    expect((await a.post('/api/v1/customers', { email: freshEmail(), name })).status).toBe(201);
  }
});

it("an order number that looks like a card is the merchant's and kept as it is", async () => {
  // The search for leaked card numbers knows that tests store this number on purpose.
  const reference = '4646464646464644';
  for (const processor of ['processor_a', 'processor_b'] as const) {
    const shop = await Merchant.open(processor);
    const reply = await shop.pay({ reference, description: reference, invoice_id: reference });
    expect(reply).toMatchObject({ status: 201, body: { reference } });
  }
});

it('nothing of it stands in any table afterwards, not in the log of requests either', async () => {
  const patterns = [...spacings, foreign, '4532 0151 1283 0366', '4532-0151-1283-0366'].flatMap(patternsOf);
  expect(await findInDatabase(patterns, { since })).toEqual([]);
});

describe('a card number', () => {
  it.each([
    ' 4111111111111111',
    '4111111111111111 ',
    '-4111-1111-1111-1111-',
    '  4111 1111-1111   1111  ',
    '4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1',
  ])('is taken with spaces and hyphens anywhere: "%s"', async (number) => {
    for (const processor of ['processor_a', 'processor_b'] as const) {
      const shop = await Merchant.open(processor);
      const reply = await shop.pay({ card: { number } });
      expect(reply).toMatchObject({ status: 201, body: { payment_method: { last4: '1111' } } });
    }
  });
});
