import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, Merchant, till, tillRaw } from '../../support/merchant.ts';
import {
  findInDatabase,
  oldestOpenTransaction,
  patternsOf,
  patternsOfCode,
  upstreamTokens,
} from '../../support/stored-bytes.ts';
import { until } from '../../support/until.ts';

/** An American Express test card and a number that looks real. No other test uses them like this. */
const amex = '376680816376961';
const looksReal = '4716059423781163';
const code = '0739';

let shop: Merchant;
let since: string;

beforeAll(async () => {
  since = await oldestOpenTransaction();
  shop = await Merchant.open();
  const card = { number: amex, cvc: code };
  const key = randomUUID();
  const replies = [
    await shop.pay({ card }),
    await shop.pay({ card: { ...card, number: '3766 808163-76961' } }),
    await shop.pay({ card, customer: { email: freshEmail() } }),
    await shop.pay({ card: { ...card, holder_name: 'CCREJECT-REFUSED' } }),
    await shop.pay({ card: { ...card, number: looksReal } }),
    await shop.pay({ card: { ...card, holder_name: 'SIM-500-DONE' } }, { idempotencyKey: key }),
    await shop.pay({ card: { ...card, holder_name: 'SIM-500-DONE' } }, { idempotencyKey: key }),
    // This payment stays open, with the stored data from which recovery would work.
    await shop.pay({ card: { ...card, holder_name: 'SIM-DROP' } }),
    await shop.pay({ card: { ...card, exp_month: 13 } }),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([201, 201, 201, 200, 200, 502, 201, 503, 422]);
});

describe('the database', () => {
  it('is searchable: brand, last four digits and references are found', async () => {
    const reference = randomUUID();
    await shop.pay({ reference });
    expect(await findInDatabase(patternsOf(reference), { since })).not.toEqual([]);
    expect(await findInDatabase(['amex'], { since })).not.toEqual([]);
    expect(await findInDatabase(['[^0-9]6961[^0-9]'], { since })).not.toEqual([]);
  });

  it('holds no card number in plain text, hex or base64', async () => {
    const numbers = [amex, looksReal, '3766 808163-76961'];
    expect(await findInDatabase(numbers.flatMap(patternsOf), { since })).toEqual([]);
  });

  it('holds no security code in plain text, hex or base64', async () => {
    // An idempotency key ends in four characters of the client's choice, here often digits.
    expect(await findInDatabase(patternsOfCode(code), { since, except: ['idempotency_hint'] })).toEqual([]);
  });

  it('holds no API key', async () => {
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    expect((await shop.call('GET', '/api/v1/customers', { key })).status).toBe(200);
    expect(await findInDatabase([key, key.slice('sk_test_'.length)].flatMap(patternsOf), { since })).toEqual(
      [],
    );
  });

  it('holds no signing secret of a webhook endpoint, neither the first nor a rolled one', async () => {
    const parameters = ['--account', shop.id, '--url', 'https://shop.example/hooks'];
    const create = till<{ id: string; secret: string }>('webhooks', 'create', ...parameters);
    const { id, secret } = await create;
    const rolled = await till<{ secret: string }>('webhooks', 'roll', id);
    const keys = [secret, rolled.secret].map((one) => one.slice('whsec_'.length));
    const inHex = keys.map((key) => Buffer.from(key, 'base64').toString('hex'));
    expect(await findInDatabase([...keys.flatMap(patternsOf), ...inHex], { since })).toEqual([]);
  });
});

describe('the tokens of saved cards', () => {
  let shops: Merchant[];

  beforeAll(async () => {
    shops = await Promise.all([Merchant.open('processor_a'), Merchant.open('processor_b')]);
    for (const seller of shops) {
      const atOnce = await seller.pay({ customer: { email: freshEmail() } });
      const { customer } = atOnce.body;
      const late = await seller.pay({
        customer,
        card: { number: amex, cvc: code, holder_name: 'SIM-SAVE-LATE' },
      });
      expect([atOnce.status, late.status]).toEqual([201, 201]);
      await seller.post('/api/v1/test_helpers/clock/advance', { seconds: 10 });
      await until('the late token', async () => {
        const { body } = await seller.get(`/api/v1/payments/${late.body.id}`);
        return body.payment_method_id !== null;
      });
      const removed = await seller.call('DELETE', `/api/v1/payment_methods/${atOnce.body.payment_method_id}`);
      expect(removed.status).toBe(200);
      await seller.post('/api/v1/test_helpers/clock/advance', { seconds: 10 });
    }
  });

  it('are in no table in plain text, hex or base64, notifications included', async () => {
    const tokens = await upstreamTokens(shops.map(({ id }) => id));
    expect(tokens).toHaveLength(4);
    const patterns = tokens.flatMap(patternsOf);
    expect(await findInDatabase(patterns, { since, schema: 'sandbox' })).not.toEqual([]);
    expect(await findInDatabase(patterns, { since, schema: 'public' })).toEqual([]);
  });

  it('are in the output of no command that lists notifications', async () => {
    const tokens = await upstreamTokens(shops.map(({ id }) => id));
    for (const { id } of shops) {
      const { out } = await tillRaw('notifications', 'list', '--account', id, '--json');
      expect(out).toMatch(/RECURRING_CONTRACT|VAULT\.PAYMENT-TOKEN\.CREATED/);
      expect(tokens.filter((token) => out.includes(token))).toEqual([]);
    }
  });
});
