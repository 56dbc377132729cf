import { beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope, expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';
import { sendBytes, sendPlain } from '../../support/raw-http.ts';

const customers = '/api/v1/customers';
let shop: Merchant;
let other: Merchant;

beforeAll(async () => {
  [shop, other] = await Promise.all([Merchant.open(), Merchant.open()]);
});

const lines = (...deps: string[]) => `${deps.join('\r\n')}\r\n\r\n`;

function expectRefusedAs(reply: Reply, ...statuses: number[]): void {
  expect(statuses).toContain(reply.status);
  expectEnvelope(reply);
  expect(reply.body.error.type).toBe('invalid_request_error');
}

describe('what is not HTTP', () => {
  it.each([
    ['words', 'hello\r\n\r\n'],
    ['an unknown method', lines('FETCH /api/v1/customers HTTP/1.1', 'Host: x')],
    ['an unknown version', lines('GET /api/v1/customers HTTP/9.9', 'Host: x')],
    ['a header without a colon', lines('GET /api/v1/customers HTTP/1.1', 'Host: x', 'broken header')],
    ['a space before the colon', lines('GET /api/v1/customers HTTP/1.1', 'Host: x', 'X-A : b')],
    ['a folded header', lines('GET /api/v1/customers HTTP/1.1', 'Host: x', 'X-A: b', ' c')],
    ['NUL in a header', lines('GET /api/v1/customers HTTP/1.1', 'Host: x', 'X-A: b\0c')],
    [
      'two lengths',
      lines('POST /api/v1/customers HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3'),
    ],
    [
      'a length that is no number',
      lines('POST /api/v1/customers HTTP/1.1', 'Host: x', 'Content-Length: many'),
    ],
    ['a negative length', lines('POST /api/v1/customers HTTP/1.1', 'Host: x', 'Content-Length: -1')],
    [
      'a length beside chunks',
      `${lines('POST /api/v1/customers HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    [
      'a broken chunk',
      `${lines('POST /api/v1/customers HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    ],
  ])('gets 400 with envelope, request id and version: %s', async (_name, bytes) => {
    const reply = await sendBytes(bytes);
    expectRefusedAs(reply, 400);
    expect(reply.headers.get('service-version')).toBe('2026-11-20');
  });

  it('may be a TLS greeting: 400 or a closed connection', async () => {
    const reply = await sendBytes(Buffer.from('16030100a5010000a10303', 'hex'));
    if (reply.status !== 0) expectRefusedAs(reply, 400);
  });

  it('gets 431 with envelope and request id for a header of 20 KB', async () => {
    const bytes = lines(`GET ${customers} HTTP/1.1`, 'Host: x', `X-A: ${'a'.repeat(20_000)}`);
    expectRefusedAs(await sendBytes(bytes), 431);
  });

  it('gets 414 or 431 with envelope for an address of 20 KB', async () => {
    expectRefusedAs(
      await sendBytes(lines(`GET ${customers}?q=${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x')),
      414,
      431,
    );
  });

  it('leaves the server able to answer the next one', async () => {
    expect((await shop.get(customers)).status).toBe(200);
  });
});

describe('HTTP that clients seldom send', () => {
  it('has no Host: answered with an envelope', async () => {
    const reply = await sendBytes(lines(`GET ${customers} HTTP/1.1`));
    expect([400, 401]).toContain(reply.status);
    expectEnvelope(reply);
  });

  it('expects what no server knows: answered as without', async () => {
    const reply = await sendBytes(
      lines(`GET ${customers} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${shop.key}`, 'Expect: more'),
    );
    expect(reply.status).toBe(200);
    expect(reply.headers.get('service-request-id')).toMatch(/^req_/);
  });

  it('is HTTP/1.0', async () => {
    const reply = await sendBytes(lines(`GET ${customers} HTTP/1.0`, `Authorization: Bearer ${shop.key}`));
    expect(reply.status).toBe(200);
    expect(reply.body.object).toBe('list');
  });

  it('has two Authorization headers: refused in either order', async () => {
    for (const keys of [
      [shop.key, other.key],
      [other.key, shop.key],
      [shop.key, shop.key],
    ]) {
      const reply = await sendPlain({
        method: 'GET',
        path: customers,
        headers: { host: 'x', authorization: keys.map((key) => `Bearer ${key}`) },
      });
      expectError(reply, 'invalid_api_key');
    }
  });

  it('has two Idempotency-Key headers: refused', async () => {
    const reply = await sendPlain({
      method: 'POST',
      path: '/api/v1/payments',
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': ['one', 'two'],
      },
      body: Buffer.from('{}'),
    });
    expectError(reply, 'invalid_params');
  });

  it('sends a body in chunks', async () => {
    const json = JSON.stringify({ email: freshEmail() });
    const head = [
      `POST ${customers} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${shop.key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    const [first, second] = [json.slice(0, 5), json.slice(5)];
    const chunks = [first, second].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
    expect((await sendBytes(`${lines(...head)}${chunks}0\r\n\r\n`)).status).toBe(201);
  });

  it('announces a body of a gigabyte: refused before it is sent', async () => {
    const bytes = lines(
      `POST ${customers} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${shop.key}`,
      'Content-Type: application/json',
      `Content-Length: ${1024 ** 3}`,
    );
    expectError(await sendBytes(bytes), 'body_too_large');
  });

  it('sends endless chunks: refused at the limit', async () => {
    const head = lines(
      `POST ${customers} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${shop.key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    expectError(await sendBytes(head + chunk.repeat(5)), 'body_too_large');
  });

  it('sends a body with GET: ignored', async () => {
    const reply = await sendPlain({
      method: 'GET',
      path: customers,
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      body: Buffer.from('{'),
    });
    expect(reply.status).toBe(200);
  });
});
