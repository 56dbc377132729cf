import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { cardPayment, Merchant, type Reply, till, tillRaw } from '../../support/merchant.ts';
import { patternsOf, patternsOfCode } from '../../support/stored-bytes.ts';
import { until } from '../../support/until.ts';

/** Numbers that pass the Luhn check, and a security code; no other test uses them. */
const numbers = ['4929421234600821', '376680816376961', '6304219447607087665', '676770000005'];
const [number = ''] = numbers;
const code = '0826';

let shop: Merchant;
let developer: Browser;
let sent: Reply[];

const requestId = (reply: Reply) => reply.headers.get('service-request-id') ?? '';
const path = (rest: string) => `/accounts/${shop.id}${rest}`;
const spaced = (text: string) => text.replaceAll(/(.{4})/g, '$1 ');

/** Request bodies with card data in every place where a client might put it. */
function bodies(pan: string): (string | object)[] {
  const card = { type: 'card', number: pan, cvc: code, exp_month: 3, exp_year: 2032, holder_name: 'Jane' };
  const customer = { email: 'jane@shop.example', name: spaced(pan), metadata: { [pan]: pan, cvc: code } };
  return [
    cardPayment({ card }),
    cardPayment({ card: { ...card, number: spaced(pan), cvc: Number(code) }, reference: pan }),
    { ...customer, customer, payment_method: { card }, card, number: pan, cvc: code, source: { cvv: code } },
    { payment_method: [card], amount: Number(pan), metadata: { note: `card ${spaced(pan)}, cvc ${code}` } },
    { description: `${pan} security code ${code}`, line_items: [{ name: pan, unit_amount: pan }], stc: card },
    { note: pan, reason: pan, evidence: [{ type: 'other', text: pan, card }], statement: pan },
    JSON.stringify(card).slice(0, -1),
    JSON.stringify([card]),
    `number=${pan}&cvc=${code}`,
  ];
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Every path and method of the API, with card data in place of ids if `id` is card data. */
async function addresses(id: string): Promise<[method: string, path: string][]> {
  const { paths } = (await shop.call('GET', '/openapi.json', { key: null })).body as Described;
  // A stream never ends, and its line is logged only when it ends.
  const finite = Object.entries(paths).filter(([template]) => !template.endsWith('/stream'));
  return finite.flatMap(([template, methods]) =>
    Object.keys(methods).map((method): [string, string] => [
      method.toUpperCase(),
      template.replaceAll(/\{[^}]+\}/g, encodeURIComponent(id)),
    ]),
  );
}

interface CreatedKey {
  readonly id: string;
  readonly secret_key: string;
}

const createKey = () => till<CreatedKey>('keys', 'create', '--account', shop.id);

/**
 * Requests use this many keys in turn. With a single key the requests would reach its rate limit, and rate-limited
 * requests are not all logged.
 */
const keyCount = 5;

beforeAll(async () => {
  shop = await Merchant.open();
  developer = await Browser.of(shop, 'developer');
  const keys: string[] = [];
  while (keys.length < keyCount) keys.push((await createKey()).secret_key);
  sent = [];
  const send = async (...[method, address, options]: Parameters<Merchant['call']>) => {
    const key = keys[sent.length % keys.length] ?? shop.key;
    // The end of a key is shown, and a random key could end like the security code.
    const idempotencyKey = String(sent.length).replaceAll(/\d/g, (digit) =>
      'abcdefghij'.charAt(Number(digit)),
    );
    sent.push(await shop.call(method, address, { key, idempotencyKey, ...options }));
  };
  for (const [method, address] of await addresses('pay_000000000000000000000000')) {
    for (const body of bodies(number)) {
      if (method === 'GET' || method === 'DELETE') continue;
      const payload = typeof body === 'string' ? { raw: body } : { body };
      await send(method, address, payload);
    }
  }
  for (const pan of numbers) {
    const query = `?reference=${pan}&status=${pan}&cvc=${code}&${pan}=${code}&email=${spaced(pan)}`;
    for (const [method, address] of await addresses(spaced(pan))) {
      const options = { idempotencyKey: `order ${pan}`, headers: { 'user-agent': `shop ${pan}` } };
      await send(method, `${address}${query}`, options);
    }
    for (const body of bodies(pan)) {
      const payload = typeof body === 'string' ? { raw: body } : { body };
      await send('POST', '/api/v1/payments', payload);
    }
  }
  // Requests without JSON: a form with a file, and requests with a revoked key.
  const { id, secret_key: key } = await createKey();
  await till('keys', 'revoke', id);
  sent.push(await shop.pay({ card: { number, cvc: code } }, { key }));
}, 120_000);

/** The rows of the account's log that match, each as text. */
async function logged(patterns: readonly string[]): Promise<string[]> {
  const { url } = await till<{ url: string }>('db', 'url');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ row: string }>(
      `select t::text as row from request_logs t
       where tenant in (select tenant from tenants where account_id = $1)
         and exists (select from unnest($2::text[]) as p where t::text ~ p)`,
      [shop.id, patterns],
    );
    return rows.map(({ row }) => row);
  } finally {
    await client.end();
  }
}

describe('the log of requests', () => {
  it('has every request of a known key', async () => {
    const last = requestId(sent.at(-1) as Reply);
    await until('the last request is logged', async () => {
      const { data } = (await developer.get(path(`/request_logs?search=${last}`))).body;
      return data.length === 1;
    });
    const ids = new Set<string>();
    const { total_count: total } = (await developer.get(path('/request_logs'))).body;
    for (let page = 1; ids.size < total; page += 1) {
      const { data } = (await developer.get(path(`/request_logs?per_page=100&page=${page}`))).body;
      for (const { id } of data) ids.add(id);
    }
    // A request that matches no route of the API is logged without a key and an account.
    const known = sent.filter(
      (reply) => reply.status !== 405 && reply.headers.get('ratelimit-limit') !== null,
    );
    expect(known.length).toBeGreaterThan(150);
    expect(known.filter(({ status }) => status === 429)).toEqual([]);
    expect(known.filter((reply) => !ids.has(requestId(reply))).map((reply) => reply.text)).toEqual([]);
  });

  it('is searchable: last four digits and field names are found', async () => {
    expect(await logged(['card ••••0821'])).not.toEqual([]);
    expect(await logged(['payment_method'])).not.toEqual([]);
  });

  it('holds no card number in plain text, hex or base64, whatever stands between its digits', async () => {
    const patterns = numbers.flatMap((pan) => [...patternsOf(pan), pan.split('').join('[^0-9A-Za-z]{0,3}')]);
    expect(await logged(patterns)).toEqual([]);
  });

  it('holds no security code in plain text, hex or base64', async () => {
    expect(await logged(patternsOfCode(code))).toEqual([]);
  });

  it('holds no key', async () => {
    expect(await logged([shop.key, shop.key.slice('sk_test_'.length)].flatMap(patternsOf))).toEqual([]);
  });
});

describe('till logs', () => {
  it('get shows a request with its bodies, and how a reused key differs', async () => {
    const idempotencyKey = 'order-77';
    const first = await shop.pay({ amount: 100, reference: 'a' }, { idempotencyKey });
    const second = await shop.pay({ amount: 200 }, { idempotencyKey });
    expect(second.status).toBe(409);
    const get = () => tillRaw('logs', 'get', requestId(second), '--json');
    await until('the request is logged', async () => (await get()).exitCode === 0);
    const shown = JSON.parse((await get()).out);
    expect(shown).toMatchObject({
      id: requestId(second),
      status: 409,
      code: 'key_reused',
      request_body: { amount: 200, payment_method: { cvc: '[redacted]' } },
      answer_body: { error: { code: 'key_reused' } },
      key_reused: {
        first: { id: requestId(first) },
        differences: [
          { path: 'amount', first: '100', now: '200' },
          { path: 'reference', first: '"a"' },
        ],
      },
    });
    const unknown = await tillRaw('logs', 'get', 'req_000000000000000000000000', '--json');
    expect([unknown.exitCode, JSON.parse(unknown.out).error.code]).toEqual([1, 'request_not_found']);
  });

  it('tail shows the newest requests of a status', async () => {
    const parameters = ['logs', 'tail', '--account', shop.id, '--status', '4xx', '--no-follow'];
    const { out, exitCode } = await tillRaw(...parameters);
    expect(exitCode).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(20);
    expect(out).not.toMatch(/ 20[01] {2}/);
    const json = await tillRaw(...parameters, '--limit', '3', '--json');
    const lines = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatchObject({ account: shop.id, status: expect.any(Number) });
    expect((await tillRaw('logs', 'tail', '--status', 'bad')).exitCode).not.toBe(0);
  });
});
