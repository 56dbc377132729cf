import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant, type Reply, target } from '../../support/merchant.ts';
import { schemasOf } from '../../support/openapi-schemas.ts';

interface OperationObject {
  readonly operationId?: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

const response = await fetch(`${target().baseUrl}/openapi.json`);
const text = await response.text();
const document = JSON.parse(text) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
);

const schemaAt = schemasOf(document);

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

describe('/openapi.json', () => {
  it('is served as JSON without a key', () => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('keeps to the OpenAPI specification', async () => {
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: text, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it('is without warnings of linters, and describes every operation', async () => {
    // The rules of Redocly, and further rules of Spectral's ruleset for OpenAPI.
    const beyond = { 'info-contact': 'error', 'operation-description': 'error', 'tag-description': 'error' };
    const config = await createConfig({ extends: ['recommended'], rules: beyond as Record<string, 'error'> });
    const problems = await lintFromString({ source: text, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it('documents every endpoint that is there today', () => {
    const documented = operations.map(([method, path]) => `${method} ${path}`);
    expect(documented).toEqual(
      expect.arrayContaining([
        'POST /api/v1/customers',
        'GET /api/v1/customers',
        'GET /api/v1/customers/{id}',
        'PATCH /api/v1/customers/{id}',
        'POST /api/v1/payments',
        'GET /api/v1/payments',
        'GET /api/v1/payments/{id}',
        'GET /api/v1/events',
        'GET /api/v1/events/{id}',
        'GET /api/v1/events/stream',
      ]),
    );
  });

  it.each(operations)('documents what is mounted: %s %s', async (method, path, operation) => {
    expect(operation.operationId).toMatch(/^\w+$/);
    const reply = await shop.call(method, path.replaceAll(/\{\w+\}/g, 'unknown'), { key: null });
    expectError(reply, 'missing_api_key');
  });

  it('says where Idempotency-Key is required, where optional, and where unused', () => {
    const header = (method: string, path: string) =>
      document.paths[path]?.[method]?.parameters?.find(
        (parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key',
      );
    expect(header('post', '/api/v1/payments')?.required).toBe(true);
    expect(header('post', '/api/v1/customers')).toBeDefined();
    expect(header('post', '/api/v1/customers')?.required ?? false).toBe(false);
    expect(header('get', '/api/v1/payments')).toBeUndefined();
  });

  it('has a description of every error answer, with the envelope as schema', () => {
    for (const [method, path, operation] of operations) {
      for (const status of Object.keys(operation.responses).filter((code) => Number(code) >= 400)) {
        const validate = schemaAt(
          'paths',
          path,
          method.toLowerCase(),
          'responses',
          status,
          'content',
          'application/json',
          'schema',
        );
        expect(validate({ nothing: true })).toBe(false);
      }
    }
  });
});

/** Expects that the response is documented and matches its schema. */
function expectDocumented(method: string, path: string, reply: Reply): void {
  const documented = document.paths[path]?.[method]?.responses[reply.status];
  expect(documented, `${method} ${path} documents ${reply.status}`).toBeDefined();
  const validate = schemaAt(
    'paths',
    path,
    method,
    'responses',
    String(reply.status),
    'content',
    'application/json',
    'schema',
  );
  validate(reply.body);
  expect(validate.errors ?? []).toEqual([]);
}

describe('real answers', () => {
  it('of payments fit their schemas', async () => {
    const path = '/api/v1/payments';
    const post = async (body: unknown, options = {}) => {
      const reply = await shop.post(path, body, options);
      expectDocumented('post', path, reply);
      return reply;
    };
    const created = await post(cardPayment({ customer: { email: freshEmail() }, reference: 'r' }));
    await post(cardPayment({ card: { holder_name: 'DECLINED' } }));
    await post(cardPayment({ card: { number: '5201281505129736' } }));
    await post(cardPayment({ amount: 0 }));
    await post(cardPayment({ customer: 'cus_x' }));
    await post({});
    await post(cardPayment(), { idempotencyKey: null });
    await post(cardPayment(), { key: null });
    await post(cardPayment({ card: { holder_name: 'SIM-500' } }));
    await post(cardPayment({ card: { holder_name: 'SIM-503' } }));
    await post(cardPayment({ reference: 'r'.repeat(300_000) }));
    expectDocumented('get', path, await shop.get(path));
    expectDocumented('get', path, await shop.get(`${path}?page=0`));
    expectDocumented('get', `${path}/{id}`, await shop.get(`${path}/${created.body.id}`));
    expectDocumented('get', `${path}/{id}`, await shop.get(`${path}/x`));
  });

  it('of customers fit their schemas', async () => {
    const path = '/api/v1/customers';
    const created = await shop.post(path, { email: freshEmail(), billing_address: { country: 'DE' } });
    expectDocumented('post', path, created);
    expectDocumented('post', path, await shop.post(path, { email: created.body.email }));
    expectDocumented('post', path, await shop.call('POST', path, { raw: '{' }));
    expectDocumented('get', path, await shop.get(path));
    expectDocumented('get', `${path}/{id}`, await shop.get(`${path}/${created.body.id}`));
    const changed = await shop.call('PATCH', `${path}/${created.body.id}`, { body: { name: null } });
    expectDocumented('patch', `${path}/{id}`, changed);
    expectDocumented('patch', `${path}/{id}`, await shop.call('PATCH', `${path}/x`, { body: {} }));
  });

  it('of events fit their schemas', async () => {
    await shop.pay();
    const list = await shop.get('/api/v1/events');
    expectDocumented('get', '/api/v1/events', list);
    expectDocumented('get', '/api/v1/events/{id}', await shop.get(`/api/v1/events/${list.body.data[0].id}`));
    expectDocumented('get', '/api/v1/events/{id}', await shop.get('/api/v1/events/x'));
  });
});

describe('real requests', () => {
  it('fit their schemas, and wrong ones do not', () => {
    const payment = schemaAt(
      'paths',
      '/api/v1/payments',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(payment(cardPayment({ customer: 'cus_x' }))).toBe(true);
    expect(
      payment(cardPayment({ customer: { email: 'a@x.test' }, line_items: [{ name: 'a', unit_amount: 1 }] })),
    ).toBe(true);
    for (const wrong of [
      {},
      cardPayment({ amount: 0 }),
      cardPayment({ currency: 'eur' }),
      cardPayment({ card: { cvc: 1 } }),
    ]) {
      expect(payment(wrong)).toBe(false);
    }
    const stored = { amount: 1, currency: 'EUR', customer: 'cus_x', stored_payment_method: 'pm_x' };
    const order = {
      line_items: null,
      customer: null,
      shipping_amount: null,
      browser_info: { language: null },
    };
    expect(payment({ ...stored, ...order, payment_method: null })).toBe(true);
    expect(payment(cardPayment({ ...order, capture_method: null, billing_address: { line2: null } }))).toBe(
      true,
    );
    expect(payment(cardPayment({ payment_method: { type: 'card_fields' } }))).toBe(true);
    expect(payment(cardPayment({ payment_method: { type: 'wallet' } }))).toBe(false);
    expect(payment(cardPayment({ amount: null }))).toBe(false);
    const customer = schemaAt(
      'paths',
      '/api/v1/customers',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(customer({ email: 'a@x.test' })).toBe(true);
    expect(customer({})).toBe(false);
    expect(customer({ email: 'a@x.test', name: null, billing_address: { city: null } })).toBe(true);
  });

  it.each(['number', 'exp_month', 'exp_year', 'cvc', 'holder_name'])(
    'need payment_method.%s of a card',
    (field) => {
      const payment = schemaAt(
        'paths',
        '/api/v1/payments',
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
      );
      expect(payment(cardPayment())).toBe(true);
      expect(payment(cardPayment({ card: { [field]: null } }))).toBe(false);
      expect(payment(cardPayment({ card: { [field]: undefined } }))).toBe(false);
    },
  );
});
