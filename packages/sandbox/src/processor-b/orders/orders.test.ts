import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { luhnInvalidNumber, testCards } from '../../directives/cards.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { declineDirectives } from '../model/declines.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  type OrderBody,
  order,
  ordersPath,
  referenceOf,
  shopOf,
  type TestClient,
  unit,
} from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

describe('a typed card', () => {
  test('is charged by the create call', async () => {
    const body = order(cardSource(), { description: 'A lamp' });
    const answer = await shop.create('typed', body);
    expect(answer).toMatchObject({
      status: 201,
      json: {
        id: expect.stringMatching(/^[A-Z0-9]{17}$/),
        status: 'COMPLETED',
        intent: 'CAPTURE',
        payment_source: {
          card: { name: 'Ada Lovelace', last_digits: '1111', brand: 'VISA', expiry: '2030-03' },
        },
        purchase_units: [
          {
            custom_id: referenceOf(body),
            payee: { merchant_id: expect.stringMatching(/^[2-9A-HJ-NP-Z]{13}$/) },
          },
        ],
        create_time: '2026-12-01T12:00:00Z',
      },
    });
    expect(answer.json.payment_source.card).not.toHaveProperty('authentication_result');
    expect(captured(answer)).toMatchObject({
      id: expect.stringMatching(/^[A-Z0-9]{17}$/),
      status: 'COMPLETED',
      amount: { currency_code: 'EUR', value: '19.99' },
      processor_response: { avs_code: 'U', cvv_code: 'M', response_code: '0000' },
    });
    expect(await shop.charges('typed')).toEqual([
      { reference: referenceOf(body), amount: 1999, currency: 'EUR', status: 'captured' },
    ]);
    expect((await client.get('typed', `${ordersPath}/${answer.json.id}`)).json).toEqual(answer.json);
    expect((await client.get('typed', `/v2/payments/captures/${captured(answer).id}`)).json).toMatchObject({
      status: 'COMPLETED',
      supplementary_data: { related_ids: { order_id: answer.json.id } },
    });
  });

  test('needs a request id, and answers shortly unless asked for everything', async () => {
    expect(await client.post('door', ordersPath, order(cardSource()))).toMatchObject(
      issue('PAYPAL_REQUEST_ID_REQUIRED', 400),
    );
    const answer = await client.post('door', ordersPath, order(cardSource()), 'short', { prefer: '' });
    expect(Object.keys(answer.json)).toEqual(['id', 'status', 'links']);
  });

  test.each(
    declineDirectives.flatMap((row) => row.values.map((value) => [value, row.responseCode] as const)),
  )('%s is declined with %s, also through the description', async (value, code) => {
    for (const body of [order(cardSource({ name: value })), order(cardSource(), { description: value })]) {
      const answer = await shop.create('declined', body);
      expect(answer).toMatchObject({ status: 201, json: { status: 'COMPLETED' } });
      expect(captured(answer)).toMatchObject({
        status: 'DECLINED',
        processor_response: { response_code: code, avs_code: 'G', cvv_code: 'P' },
      });
    }
    expect(await shop.charges('declined')).toEqual([]);
  });

  test('that is not published is declined, and a mistyped one refused by its field', async () => {
    const answer = await shop.create('unpublished', order(cardSource({ number: '4242424242424242' })));
    expect(captured(answer)).toMatchObject({
      status: 'DECLINED',
      processor_response: { response_code: '1330' },
    });
    expect(await shop.create('unpublished', order(cardSource({ number: luhnInvalidNumber })))).toMatchObject({
      status: 400,
      json: {
        name: 'INVALID_REQUEST',
        details: [{ issue: 'INVALID_PARAMETER_VALUE', field: '/payment_source/card/number' }],
      },
    });
    expect(await shop.charges('unpublished')).toEqual([]);
  });

  test.each([
    [{ expiry: '2026-11' }, 'CARD_EXPIRED', 422],
    [{ expiry: undefined }, 'CARD_EXPIRY_REQUIRED', 422],
    [{ expiry: '03/2030' }, 'INVALID_PARAMETER_SYNTAX', 400],
    [{ security_code: '12' }, 'INVALID_PARAMETER_SYNTAX', 400],
    [{ security_code: '1234' }, 'INVALID_SECURITY_CODE_LENGTH', 422],
    [{ billing_address: { address_line_1: 'x' } }, 'MISSING_REQUIRED_PARAMETER', 400],
  ])('with %j answers %s', async (change, name, status) => {
    expect(await shop.create('invalid', order(cardSource(change)))).toMatchObject(issue(name, status));
  });

  test.each([
    ['AVS_Y_995', 'Y'],
    ['AVS_N_984', 'N'],
    ['AVS_A_971', 'A'],
    ['AVS_Z_996', 'Z'],
    ['AVS_U_991', 'U'],
    ['1 High Street', 'Y'],
  ])('billed to %s has AVS code %s', async (address_line_1, code) => {
    const billing_address = { address_line_1, country_code: 'GB' };
    const answer = await shop.create('avs', order(cardSource({ billing_address })));
    expect(captured(answer).processor_response.avs_code).toBe(code);
  });

  test.each([
    ['115', 'M'],
    ['116', 'N'],
    ['120', 'P'],
    ['123', 'S'],
    ['125', 'U'],
    ['130', 'X'],
  ])('with security code %s has CVV code %s', async (security_code, code) => {
    const answer = await shop.create('cvv', order(cardSource({ security_code })));
    expect(captured(answer)).toMatchObject({ status: 'COMPLETED', processor_response: { cvv_code: code } });
  });

  test('of every published number is approved where 3-D Secure is off', async () => {
    for (const { number, brand } of testCards) {
      const answer = await shop.create(
        'published',
        order(cardSource({ number, security_code: brand === 'amex' ? '7373' : '737' })),
      );
      expect(captured(answer).status, number).toBe('COMPLETED');
    }
  });
});

describe('the request id', () => {
  test('gets the first answer again and charges once', async () => {
    const body = order(cardSource());
    const first = await shop.create('replay', body, 'same');
    const again = await shop.create('replay', body, 'same');
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(await shop.charges('replay')).toHaveLength(1);
  });

  test('sent many times at once charges once', async () => {
    const body = order(cardSource());
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.create('race', body, 'same')));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(await shop.charges('race')).toHaveLength(1);
  });

  test('is remembered for six hours', async () => {
    const later = createTestClient(db.pool);
    const post = (body: OrderBody) => later.post('hours', ordersPath, body, 'same');
    const first = await post(order(cardSource()));
    later.clock.now = new Date(later.clock.now.getTime() + 6 * 3_600_000 - 1);
    expect((await post(order(cardSource()))).json.id).toBe(first.json.id);
    later.clock.now = new Date(later.clock.now.getTime() + 1);
    expect((await post(order(cardSource()))).json.id).not.toBe(first.json.id);
  });

  test('of a refused request is still free', async () => {
    expect(await shop.create('free', order(cardSource({ expiry: '2001-01' })), 'key')).toMatchObject({
      status: 422,
    });
    expect(await shop.create('free', order(cardSource()), 'key')).toMatchObject({ status: 201 });
  });

  test('another one does not pay the same invoice twice', async () => {
    const body = order(cardSource());
    await shop.create('invoice', body, 'one');
    expect(await shop.create('invoice', body, 'two')).toMatchObject(issue('DUPLICATE_INVOICE_ID'));
    expect(await shop.create('invoice-elsewhere', body, 'two')).toMatchObject({ status: 201 });
    expect(await shop.charges('invoice')).toHaveLength(1);
    const declined = order(cardSource({ name: 'DECLINED' }));
    await shop.create('invoice', declined, 'three');
    expect(await shop.create('invoice', { ...declined, payment_source: cardSource() }, 'four')).toMatchObject(
      {
        status: 201,
      },
    );
  });
});

test('more than one purchase unit is not taken', async () => {
  const purchase_units = [unit(), unit()];
  expect(await client.post('units', ordersPath, { intent: 'AUTHORIZE', purchase_units })).toMatchObject(
    issue('UNSUPPORTED_INTENT'),
  );
  expect(await client.post('units', ordersPath, { purchase_units })).toMatchObject(
    issue('MISSING_REQUIRED_PARAMETER', 400),
  );
});
