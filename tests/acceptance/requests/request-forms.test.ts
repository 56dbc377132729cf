import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant } from '../../support/merchant.ts';

let a: Merchant;
let b: Merchant;

beforeAll(async () => {
  [a, b] = await Promise.all([Merchant.open('processor_a'), Merchant.open('processor_b')]);
});

const messageOf = async (changes: Record<string, unknown>, shop = a) =>
  (await shop.pay(changes)).body.error.message as string;

describe('the body', () => {
  it.each([
    [{ 'content-type': 'application/vnd.api+json' }],
    [{ 'content-type': 'application/problem+json' }],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }],
    [{ 'content-type': 'application/json; charset="utf-16"' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'deflate' }],
  ])('is missing_field with %j', async (headers) => {
    const shop = await Merchant.open();
    for (const raw of [JSON.stringify(cardPayment()), gzipSync(JSON.stringify(cardPayment()))]) {
      expectError(await shop.call('POST', '/api/v1/payments', { raw, headers }), 'missing_field');
    }
    expect((await shop.ledger()).charges).toEqual([]);
  });

  it.each([
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
  ])('is read with the content type %s', async (contentType) => {
    const raw = JSON.stringify({ email: freshEmail() });
    const headers = { 'content-type': contentType, 'content-encoding': 'identity' };
    expect((await a.call('POST', '/api/v1/customers', { raw, headers })).status).toBe(201);
  });
});

describe('an amount', () => {
  it.each([null, 0, -1, 1.5, '1000', [[1]], {}, true, 5000])(
    'of a refund that is %j is amount_invalid and gives nothing back',
    async (amount) => {
      const { body: payment } = await a.pay({ amount: 1000 });
      const path = `/api/v1/payments/${payment.id}/refunds`;
      expectError(await a.post(path, { amount }), 'amount_invalid', 'amount');
      expect((await a.get(path)).body.total_count).toBe(0);
      expect((await a.post(path, {})).body.amount).toBe(1000);
    },
  );

  it.each([1, 999, 1001, 0, null, '1000', 1.5])(
    'of a capture other than the whole is 422 and captures nothing: %j',
    async (amount) => {
      const { body: held } = await b.pay({ amount: 1000, capture_method: 'manual' });
      const path = `/api/v1/payments/${held.id}`;
      const idempotencyKey = randomUUID();
      expectError(
        await b.post(`${path}/capture`, { amount }, { idempotencyKey }),
        'invalid_params',
        'amount',
      );
      expect((await b.get(path)).body.status).toBe('authorized');
      // The refused request did not use up the idempotency key.
      const whole = await b.post(`${path}/capture`, { amount: 1000 }, { idempotencyKey });
      expect(whole).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    },
  );

  it('of a capture on an unknown payment is not_found', async () => {
    const path = '/api/v1/payments/pay_000000000000000000000000/capture';
    expectError(await b.post(path, { amount: 0 }), 'not_found');
  });

  it.each([
    ['processor_a', 1001],
    ['processor_b', 1001],
  ] as const)('with more tax than itself is 422 on %s', async (processor, tax) => {
    const shop = processor === 'processor_a' ? a : b;
    expectError(await shop.pay({ amount: 1000, tax_amount: tax }), 'invalid_params', 'tax_amount');
    expect((await shop.pay({ amount: 1000, tax_amount: 1000 })).status).toBe(201);
  });

  it('in a currency that processor_b takes without decimals says which amounts it takes', async () => {
    expect(await messageOf({ amount: 1250, currency: 'HUF' }, b)).toBe(
      'amount must be a multiple of 100 in HUF, since the processor takes nothing smaller than 1.00 HUF; 1250 was sent.',
    );
    expect((await b.pay({ amount: 1200, currency: 'HUF' })).status).toBe(201);
  });
});

describe('a list', () => {
  const lists: readonly (readonly [path: string, filters: readonly string[]])[] = [
    ['/api/v1/customers', ['email', 'page', 'per_page']],
    [
      '/api/v1/payments',
      [
        'status',
        'customer',
        'reference',
        'created_gte',
        'created_lt',
        'payment_method_type',
        'page',
        'per_page',
      ],
    ],
    ['/api/v1/events', ['type', 'created_gte', 'created_lt', 'page', 'per_page']],
  ];

  it.each(lists)('%s refuses an empty filter instead of listing everything', async (path, filters) => {
    for (const filter of filters) {
      for (const query of [`${filter}=`, filter]) {
        expectError(await a.get(`${path}?${query}`), 'invalid_params', filter);
      }
    }
    expect((await a.get(`${path}?unknown=`)).status).toBe(200);
  });

  it.each(['page', 'per_page'])('of refunds and of saved methods refuses an empty %s', async (filter) => {
    const { body: payment } = await a.pay({ customer: { email: freshEmail() } });
    const paths = [`/payments/${payment.id}/refunds`, `/customers/${payment.customer}/payment_methods`];
    for (const path of paths) {
      expectError(await a.get(`/api/v1${path}?${filter}=`), 'invalid_params', filter);
    }
  });
});

describe('a field without effect is named in Service-Ignored-Fields', () => {
  it.each([
    ['metadata', { metadata: { order: '7' } }, 'metadata', 'metadata'],
    ['stc, which only processor_b takes', { stc: { sender_account_id: '7' } }, 'stc', null],
    [
      'unknown ones at any depth',
      { foo: 1, card: { zip: '1' } },
      'foo, payment_method.zip',
      'foo, payment_method.zip',
    ],
    ['none', {}, null, null],
    ['not a malformed address', { billing_address: { country: 'ZZ' } }, null, null],
    ['not one that is null', { foo: null }, null, null],
  ] as const)('%s', async (_what, changes, onA, onB) => {
    const replies = [await a.pay(changes), await b.pay(changes)];
    const named = replies.map(({ headers }) => headers.get('service-ignored-fields'));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const sorted = (text: string | null) => text?.split(', ').sort() ?? null;
    expect(named.map(sorted)).toEqual([onA, onB].map(sorted));
  });
});

it('the fields of a body that an operation does not take are named, as Stripe’s confirm and cancel take some', async () => {
  const { body: held } = await b.pay({ capture_method: 'manual' });
  const ignoredBy = async (path: string, options: { raw: string; idempotencyKey?: null }) => {
    const reply = await b.call('POST', path, options);
    return [reply.status, reply.headers.get('service-ignored-fields')];
  };
  const body = JSON.stringify({ cancellation_reason: 'abandoned', amount: 5 });
  expect(await ignoredBy(`/api/v1/payments/${held.id}/void`, { raw: body })).toEqual([
    200,
    'cancellation_reason, amount',
  ]);
  const { body: waiting } = await b.pay({ payment_method: { type: 'processor_b' } });
  await b.post(`/api/v1/test_helpers/payments/${waiting.id}/approve`, {});
  const confirm = `/api/v1/payments/${waiting.id}/confirm`;
  expect(await ignoredBy(confirm, { raw: '{"payment_method":"pm_1"}', idempotencyKey: null })).toEqual([
    200,
    'payment_method',
  ]);
  expect(await ignoredBy(confirm, { raw: 'no JSON' })).toEqual([200, null]);
});

it('parameters that mean nothing are named, such as a misspelt filter', async () => {
  const ignored = async (path: string) => (await a.get(path)).headers.get('service-ignored-fields');
  expect(await ignored('/api/v1/payments?custmer=cus_1&limit=3&page=1')).toBe('custmer, limit');
  expect(await ignored('/api/v1/payments?page=1')).toBeNull();
});

describe("the buyer's address", () => {
  it.each(['processor_a', 'processor_b'] as const)(
    'on %s is what the merchant sent, never the API client’s IP address',
    async (processor) => {
      const shop = processor === 'processor_a' ? a : b;
      const staff = await Browser.of(shop, 'owner');
      const seen = async (changes: Record<string, unknown>) => {
        const { body } = await shop.pay(changes);
        return (await staff.get(`/accounts/${shop.id}/payments/${body.id}`)).body.risk.shopper_ip;
      };
      expect(await seen({})).toBeNull();
      expect(await seen({ shopper_ip: '203.0.113.9' })).toBe('203.0.113.9');
    },
  );
});
