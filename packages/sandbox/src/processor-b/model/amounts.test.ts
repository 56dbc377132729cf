import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { cardSource, createTestClient, issue, order, shopOf, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

describe('amounts', () => {
  test.each([
    ['EUR', '19.99', 1999],
    ['JPY', '500', 500],
    ['HUF', '500', 50_000],
    ['TWD', '7', 700],
    ['TND', '1.23', 1230],
    ['USD', '9999999999.99', 999_999_999_999],
  ])('%s %s stands in the ledger in minor units', async (currency_code, value, minor) => {
    const account = `amount-${currency_code}`;
    expect(
      await shop.create(account, order(cardSource(), { amount: { currency_code, value } })),
    ).toMatchObject({
      status: 201,
    });
    expect(await shop.charges(account)).toMatchObject([{ amount: minor, currency: currency_code }]);
  });

  const item = (change: object) => ({
    name: 'Mug',
    quantity: '2',
    unit_amount: { currency_code: 'EUR', value: '5.00' },
    ...change,
  });
  const money = (value: string) => ({ currency_code: 'EUR', value });

  test.each<[string, Record<string, unknown>, string]>([
    ['decimals of JPY', { amount: { currency_code: 'JPY', value: '1.5' } }, 'DECIMAL_PRECISION'],
    ['a third decimal of TND', { amount: { currency_code: 'TND', value: '1.234' } }, 'DECIMAL_PRECISION'],
    ['decimals of HUF', { amount: { currency_code: 'HUF', value: '1.50' } }, 'DECIMAL_PRECISION'],
    ['zero', { amount: money('0.00') }, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    [
      'a wrong sum',
      { amount: { ...money('10.00'), breakdown: { item_total: money('9.00') } } },
      'AMOUNT_MISMATCH',
    ],
    ['items without their total', { amount: money('10.00'), items: [item({})] }, 'ITEM_TOTAL_REQUIRED'],
    [
      'another total of items',
      { amount: { ...money('9.00'), breakdown: { item_total: money('9.00') } }, items: [item({})] },
      'ITEM_TOTAL_MISMATCH',
    ],
    [
      'taxes without their total',
      {
        amount: { ...money('10.00'), breakdown: { item_total: money('10.00') } },
        items: [item({ tax: money('1.00') })],
      },
      'TAX_TOTAL_REQUIRED',
    ],
  ])('refuses %s', async (_what, change, name) => {
    expect(await shop.create('amounts', order(cardSource(), change))).toMatchObject(issue(name));
  });

  test('takes a breakdown that adds up', async () => {
    const breakdown = {
      item_total: money('10.00'),
      tax_total: money('2.00'),
      shipping: money('3.00'),
      discount: money('1.00'),
    };
    const change = { amount: { ...money('14.00'), breakdown }, items: [item({ tax: money('1.00') })] };
    expect(await shop.create('amounts', order(cardSource(), change))).toMatchObject({ status: 201 });
  });
});
