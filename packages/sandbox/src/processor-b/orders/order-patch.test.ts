import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  type Answer,
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  shopOf,
  type TestClient,
  unit,
  walletSource,
} from '../test-client.ts';
import { resolveOrder } from './approval.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

const euro = (value: string) => ({ currency_code: 'EUR', value });

/** Creates an order that waits for a wallet's buyer. It has PayPal's default `reference_id`. */
async function waiting(account: string): Promise<Answer> {
  return shop.create(account, order(walletSource, { reference_id: undefined }));
}

const at = (rest: string) => `/purchase_units/@reference_id=='default'${rest}`;
const patch = (account: string, { json }: Answer, ...operations: object[]) =>
  client.patch(account, `${ordersPath}/${json.id}`, operations);
const read = async (account: string, { json }: Answer) =>
  (await client.get(account, `${ordersPath}/${json.id}`)).json;

describe('a patch of an order', () => {
  test('changes the amount that is then charged, and by which names', async () => {
    const made = await waiting('amount');
    const answer = await patch(
      'amount',
      made,
      { op: 'replace', path: at('/amount'), value: euro('25.00') },
      { op: 'replace', path: at('/custom_id'), value: 'another' },
      { op: 'add', path: at('/description'), value: 'Two coffees' },
    );
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await read('amount', made)).purchase_units[0]).toMatchObject({
      amount: euro('25.00'),
      custom_id: 'another',
      description: 'Two coffees',
    });
    await resolveOrder(client.deps, made.json.id, 'approved');
    expect(captured(await shop.capture('amount', made.json.id)).amount).toEqual(euro('25.00'));
    expect(await shop.charges('amount')).toMatchObject([{ reference: 'another', amount: 2500 }]);
  });

  test('goes on while the buyer has approved: shipping, items and the intent', async () => {
    const made = await waiting('shipping');
    await resolveOrder(client.deps, made.json.id, 'approved');
    const address = { address_line_1: 'Main St 2', postal_code: '10115', country_code: 'DE' };
    const item = { name: 'Coffee', quantity: '1', unit_amount: euro('10.00') };
    const amount = { ...euro('12.00'), breakdown: { item_total: euro('10.00'), shipping: euro('2.00') } };
    const answer = await patch(
      'shipping',
      made,
      { op: 'add', path: at('/shipping/address'), value: address },
      { op: 'add', path: at('/items'), value: [item] },
      { op: 'replace', path: at('/amount'), value: amount },
      { op: 'replace', path: '/intent', value: 'AUTHORIZE' },
    );
    expect(answer.status).toBe(204);
    expect(await read('shipping', made)).toMatchObject({
      status: 'APPROVED',
      intent: 'AUTHORIZE',
      purchase_units: [{ amount, items: [item], shipping: { address } }],
    });
  });

  test('of several operations is all or nothing', async () => {
    const made = await waiting('whole');
    const before = await read('whole', made);
    const answer = await patch(
      'whole',
      made,
      { op: 'replace', path: at('/amount'), value: euro('25.00') },
      {
        op: 'replace',
        path: at('/amount'),
        value: { ...euro('25.00'), breakdown: { shipping: euro('1.00') } },
      },
    );
    expect(answer).toMatchObject(issue('AMOUNT_MISMATCH'));
    expect(await read('whole', made)).toEqual(before);
  });

  test('replaces the purchase unit', async () => {
    const made = await waiting('unit');
    const value = unit({ reference_id: 'default', custom_id: 'new', amount: euro('3.00') });
    expect((await patch('unit', made, { op: 'replace', path: at(''), value })).status).toBe(204);
    expect((await read('unit', made)).purchase_units[0]).toMatchObject({
      custom_id: 'new',
      amount: euro('3.00'),
    });
  });

  test.each<[string, object, string, number]>([
    ['without an operation', { path: at('/amount'), value: {} }, 'MISSING_REQUIRED_PARAMETER', 400],
    [
      'of an unknown operation',
      { op: 'test', path: at('/amount'), value: 1 },
      'INVALID_PARAMETER_VALUE',
      400,
    ],
    ['without a path', { op: 'replace', value: 1 }, 'PATCH_PATH_REQUIRED', 422],
    [
      'of a path that is none',
      { op: 'replace', path: 'amount', value: 1 },
      'INVALID_JSON_POINTER_FORMAT',
      422,
    ],
    ['without a value', { op: 'replace', path: at('/amount') }, 'PATCH_VALUE_REQUIRED', 422],
    [
      'of what cannot be changed',
      { op: 'replace', path: '/status', value: 'COMPLETED' },
      'NOT_PATCHABLE',
      422,
    ],
    ['that removes the amount', { op: 'remove', path: at('/amount') }, 'INVALID_PATCH_OPERATION', 400],
    [
      'that replaces what is not there',
      { op: 'replace', path: at('/description'), value: 'x' },
      'INVALID_PATCH_OPERATION',
      400,
    ],
    [
      'of another unit',
      { op: 'replace', path: `/purchase_units/@reference_id=='x'/amount`, value: euro('1.00') },
      'REFERENCE_ID_NOT_FOUND',
      422,
    ],
    [
      'with an amount of nothing',
      { op: 'replace', path: at('/amount'), value: euro('0.00') },
      'CANNOT_BE_ZERO_OR_NEGATIVE',
      422,
    ],
  ])('%s is refused', async (_what, operation, name, status) => {
    const made = await waiting('refused');
    expect(await patch('refused', made, operation)).toMatchObject(issue(name, status));
  });

  test('is refused once the order is paid, for other accounts, and where it is no list', async () => {
    const paid = await shop.create('paid', order(cardSource()));
    const operation = { op: 'add', path: at('/description'), value: 'x' };
    expect(await patch('paid', paid, operation)).toMatchObject(issue('ORDER_ALREADY_COMPLETED'));
    const made = await waiting('mine');
    expect(await patch('other', made, operation)).toMatchObject({ status: 404 });
    const path = `${ordersPath}/${made.json.id}`;
    expect(await client.patch('mine', path, operation)).toMatchObject({ status: 400 });
    expect(await client.patch('mine', path, [])).toMatchObject({ status: 400 });
    expect(await client.patch('mine', path, '[')).toMatchObject(issue('MALFORMED_REQUEST_JSON', 400));
  });
});

describe('an order of a wallet', () => {
  test('contains the buyer and the address once it is approved, and what PayPal keeps', async () => {
    const made = await waiting('buyer');
    expect(await read('buyer', made)).not.toHaveProperty('payer');
    await resolveOrder(client.deps, made.json.id, 'approved');
    const approved = await read('buyer', made);
    expect(approved.payer).toMatchObject({
      email_address: 'buyer@example.com',
      payer_id: approved.payment_source.paypal.account_id,
      name: { given_name: 'Sandbox' },
      address: { country_code: 'US' },
    });
    expect(approved.purchase_units[0].shipping).toMatchObject({
      name: { full_name: 'Sandbox Buyer' },
      address: { country_code: 'US' },
    });
    const capture = captured(await shop.capture('buyer', made.json.id));
    // The fee is 3.49 % of 19.99 plus 0.49.
    expect(capture.seller_receivable_breakdown).toEqual({
      gross_amount: euro('19.99'),
      paypal_fee: euro('1.19'),
      net_amount: euro('18.80'),
    });
  });

  test.each(['NO_SHIPPING', 'SET_PROVIDED_ADDRESS'])(
    'contains no address of the wallet with %s',
    async (preference) => {
      const source = {
        paypal: {
          experience_context: { ...walletSource.paypal.experience_context, shipping_preference: preference },
        },
      };
      const made = await shop.create('without', order(source));
      await resolveOrder(client.deps, made.json.id, 'approved');
      const approved = await read('without', made);
      expect(approved.payer).toBeDefined();
      expect(approved.purchase_units[0].shipping).toBeUndefined();
    },
  );
});
