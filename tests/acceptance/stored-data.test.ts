import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, Merchant, till } from '../support/merchant.ts';
import { findInDatabase, patternsOf, patternsOfCode } from '../support/stored-bytes.ts';

/** An American Express test card and a number that looks real: neither is used by any other test in this way. */
const amex = '376680816376961';
const looksReal = '4716059423781163';
const code = '7391';

let shop: Merchant;

beforeAll(async () => {
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
    // Left open: what a recovery would work from.
    await shop.pay({ card: { ...card, holder_name: 'SIM-DROP' } }),
    await shop.pay({ card: { ...card, exp_month: 13 } }),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([201, 201, 201, 200, 200, 502, 201, 503, 422]);
});

describe('the database', () => {
  it('can be searched this way: brand, last four digits and references are found', async () => {
    const reference = randomUUID();
    await shop.pay({ reference });
    expect(await findInDatabase(patternsOf(reference))).not.toEqual([]);
    expect(await findInDatabase(['amex'])).not.toEqual([]);
    expect(await findInDatabase(['[^0-9]6961[^0-9]'])).not.toEqual([]);
  });

  it('holds no card number in plain text, hex or base64', async () => {
    const numbers = [amex, looksReal, '3766 808163-76961'];
    expect(await findInDatabase(numbers.flatMap(patternsOf))).toEqual([]);
  });

  it('holds no security code in plain text, hex or base64', async () => {
    expect(await findInDatabase(patternsOfCode(code))).toEqual([]);
  });

  it('holds no API key', async () => {
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
    expect((await shop.call('GET', '/api/v1/customers', { key })).status).toBe(200);
    expect(await findInDatabase([key, key.slice('sk_test_'.length)].flatMap(patternsOf))).toEqual([]);
  });
});
