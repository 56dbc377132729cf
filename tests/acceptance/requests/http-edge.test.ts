import { beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope, expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant, type Reply, target } from '../../support/merchant.ts';

const payments = '/api/v1/payments';
const customers = '/api/v1/customers';
const bodyLimit = 256 * 1024;

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const sendRaw = (raw: string | Uint8Array, contentType = 'application/json', path = payments) =>
  shop.call('POST', path, { raw, headers: { 'content-type': contentType } });

describe('every answer', () => {
  const answers: readonly (readonly [string, () => Promise<Reply>])[] = [
    ['a success', () => shop.get(customers)],
    ['a created payment', () => shop.pay()],
    ['a decline', () => shop.pay({ card: { holder_name: 'DECLINED' } })],
    ['a refusal', () => shop.pay({ amount: 0 })],
    ['an error before authentication', () => shop.call('GET', customers, { key: null })],
    ['an unknown address', () => shop.get('/api/v1/nothing')],
    ['a wrong method', () => shop.call('DELETE', customers)],
    ['a body that is too large', () => sendRaw('x'.repeat(bodyLimit + 1))],
    ['an unreadable address', () => shop.get(`${payments}/%ff`)],
  ];

  it.each(answers)('carries a request id of its own and the version: %s', async (_name, send) => {
    const [first, second] = [await send(), await send()];
    for (const reply of [first, second]) {
      expect(reply.headers.get('service-request-id')).toMatch(/^\S+$/);
      expect(reply.headers.get('service-version')).toBe('2026-11-20');
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('x-powered-by')).toBeNull();
      if (reply.status >= 400) expectEnvelope(reply);
    }
    expect(first.headers.get('service-request-id')).not.toBe(second.headers.get('service-request-id'));
  });

  it('does not take the request id from the client', async () => {
    const reply = await shop.call('GET', customers, {
      headers: { 'service-request-id': 'mine', 'request-id': 'mine', 'x-request-id': 'mine' },
    });
    expect(reply.headers.get('service-request-id')).not.toBe('mine');
  });
});

describe('the address', () => {
  it.each([
    '/',
    '/nothing',
    '/api',
    '/api/v1',
    '/api/v2/payments',
    '/api/v1/disputes',
    '/api/v1/payment',
    '/api/v1/payments/a/b/c',
  ])('is unknown: %s', async (path) => {
    expectError(await shop.get(path), 'not_found');
    expectError(await shop.post(path, {}), 'not_found');
  });

  it.each([
    ['DELETE', payments, ['GET', 'POST']],
    ['PUT', payments, ['GET', 'POST']],
    ['PATCH', customers, ['GET', 'POST']],
    ['POST', `${customers}/cus_000000000000000000000000`, ['GET', 'PATCH']],
    ['DELETE', `${payments}/pay_000000000000000000000000`, ['GET']],
    ['POST', '/api/v1/events', ['GET']],
  ])('takes other methods: %s %s', async (method, path, allowed) => {
    const reply = await shop.call(method, path, { body: {} });
    expectError(reply, 'method_not_allowed');
    const allow = reply.headers.get('allow')?.split(/\s*,\s*/) ?? [];
    expect(allow).toEqual(expect.arrayContaining(allowed));
    expect(allow).not.toContain(method);
  });

  it('refuses preflights of other origins, with the reason', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const reply = await shop.call('OPTIONS', payments, { key: null, headers });
    expectError(reply, 'method_not_allowed');
    expect(reply.body.error.message).toContain('from your server');
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['%ff', '%', '%zz', '%E0%A4%A', '..%2f..%2fcustomers', '%00', '%0d%0aX-A:%20b'])(
    'with a strange id is not found: %s',
    async (id) => {
      expectError(await shop.get(`${payments}/${id}`), 'not_found');
    },
  );

  it('with an id of 300 characters is not found', async () => {
    expectError(await shop.get(`${payments}/${'a'.repeat(300)}`), 'not_found');
    expectError(await shop.get(`${customers}/${'a'.repeat(300)}`), 'not_found');
  });

  it('answers HEAD like GET, without a body', async () => {
    const reply = await shop.call('HEAD', customers);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('');
    expect(reply.headers.get('service-request-id')).toMatch(/^\S+$/);
  });
});

describe('the body', () => {
  it.each([
    ['no JSON', 'hello'],
    ['half an object', '{"amount":1000'],
    ['a trailing comma', '{"amount":1000,}'],
    ['a comment', '{/* */"amount":1000}'],
    ['two documents', '{}{}'],
    ['a list', '[{"amount":1000}]'],
    ['a text', '"amount"'],
    ['a number', '1000'],
    ['null', 'null'],
    ['single quotes', "{'amount':1000}"],
    ['NaN', '{"amount":NaN}'],
    ['a leading plus', '{"amount":+1000}'],
    ['a leading zero', '{"amount":01000}'],
    ['a bare control character', '{"reference":"a\u0001b"}'],
    ['white space only', '  \n '],
  ])('is missing_field: %s', async (_name, raw) => {
    expectError(await sendRaw(raw), 'missing_field');
    expectError(await sendRaw(raw, 'application/json', customers), 'missing_field');
  });

  it('is missing_field where it is no UTF-8', async () => {
    const broken = Buffer.from('7b22616d6f756e74223a313030302c227265666572656e6365223a22fffe227d', 'hex');
    expectError(await sendRaw(broken), 'missing_field');
    const overlong = Buffer.concat([
      Buffer.from('{"reference":"'),
      Buffer.from('c0af', 'hex'),
      Buffer.from('"}'),
    ]);
    expectError(await sendRaw(overlong), 'missing_field');
    const utf16 = Buffer.from(JSON.stringify(cardPayment()), 'utf16le');
    expectError(await sendRaw(utf16), 'missing_field');
  });

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data',
    'application/xml',
    'nonsense',
  ])('is missing_field with the content type %s', async (contentType) => {
    expectError(await sendRaw(JSON.stringify(cardPayment()), contentType), 'missing_field');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'is read with the content type %s',
    async (contentType) => {
      expect((await sendRaw(JSON.stringify(cardPayment()), contentType)).status).toBe(201);
    },
  );

  it('is missing_field where it is compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    const raw = gzipSync(JSON.stringify(cardPayment()));
    const reply = await shop.call('POST', payments, { raw, headers: { 'content-encoding': 'gzip' } });
    expectError(reply, 'missing_field');
  });

  it('may be 256 KiB and no more', async () => {
    const json = JSON.stringify(cardPayment());
    expect((await sendRaw(json.padEnd(bodyLimit))).status).toBe(201);
    expectError(await sendRaw(json.padEnd(bodyLimit + 1)), 'body_too_large');
    expectError(await sendRaw(' '.repeat(4 * bodyLimit)), 'body_too_large');
  });

  it('leaves the connection open where it is too large, so that a client that still sends gets its answer', async () => {
    const reply = await sendRaw(' '.repeat(64 * bodyLimit));
    expectError(reply, 'body_too_large');
    expect(reply.headers.get('connection')).not.toBe('close');
  });

  it('is limited in depth', async () => {
    for (const depth of [100, 10_000, 40_000]) {
      for (const path of [payments, customers]) {
        const raw = `{"email":"${freshEmail()}","stc":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const reply = await sendRaw(raw, 'application/json', path);
        expect([400, 422]).toContain(reply.status);
        expectEnvelope(reply);
        const object = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
        expect([400, 413, 422]).toContain((await sendRaw(object, 'application/json', path)).status);
      }
    }
  });

  it.each([
    ['the character NUL', '{"email":"a@x.test","name":"a\\u0000b"}', 'name'],
    ['a lone surrogate', '{"email":"a@x.test","name":"a\\ud800b"}', 'name'],
    ['a lone low surrogate', '{"email":"a@x.test","name":"\\udc00"}', 'name'],
    ['NUL inside metadata', '{"email":"a@x.test","metadata":{"k":"\\u0000"}}', 'metadata.k'],
  ])('may not have %s in a text', async (_name, raw, param) => {
    expectError(await sendRaw(raw, 'application/json', customers), 'invalid_params', param);
  });

  it('may not have NUL or a lone surrogate in a name', async () => {
    for (const key of ['a\\u0000b', '\\ud800']) {
      const raw = `{"email":"${freshEmail()}","metadata":{"${key}":"v"}}`;
      expectError(await sendRaw(raw, 'application/json', customers), 'invalid_params');
    }
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'ignores a field named %s',
    async (name) => {
      const raw = `{"${name}":{"amount":1,"email":"x"},${JSON.stringify(cardPayment()).slice(1)}`;
      const reply = await sendRaw(raw);
      expect(reply.status).toBe(201);
      expect(reply.body.amount).toBe(4990);
      expectError(await sendRaw(`{"${name}":{"amount":1000,"currency":"EUR"}}`), 'missing_field');
    },
  );
});

describe('an error', () => {
  it('reveals no internals and no card data', async () => {
    const number = '4716 0594 2378 1163 999 999 999';
    for (const reply of [
      await shop.pay({ card: { number, cvc: '98765' } }),
      await shop.pay({ card: { cvc: '98765' } }),
      await sendRaw('{"payment_method":{"number":"4716059423781163","cvc":"98765"'),
      await sendRaw('{"payment_method":{"number":"4716059423781163"},"reference":"\\u0000"}'),
    ]) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.text).not.toMatch(/4716|98765/);
      expect(reply.text).not.toMatch(
        /node_modules|\bat \/|select |insert |\.ts:|\.js:|SyntaxError|position \d/i,
      );
    }
  });

  it('links to an address of the public base', async () => {
    const reply = await shop.get('/api/v1/nothing');
    const url = new URL(reply.body.error.doc_url);
    const page = await fetch(`${target().baseUrl}${url.pathname}`);
    expect(page.status).toBe(200);
  });
});
