import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, type Reply, target, till, tillRaw } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

/**
 * The limits of restricted keys: permissions, addresses, expiry and amounts (decisions, "Extensions of the second
 * plan").
 */
let shop: Merchant;
let holder: Merchant;
let owner: Browser;

beforeAll(async () => {
  [shop, holder] = await Promise.all([Merchant.open(), Merchant.open('processor_b')]);
  owner = await Browser.of(shop, 'owner');
});

const makeKey = (...options: string[]) => makeKeyOf(shop, ...options);
const makeKeyOf = (of: Merchant, ...options: string[]) =>
  till<{ id: string; secret_key: string }>('keys', 'create', '--account', of.id, ...options);
const path = (rest: string) => `/accounts/${shop.id}${rest}`;

const unknown = (prefix: string) => `${prefix}_000000000000000000000000`;
/** One request for each permission, none of which changes anything. */
const requests: Readonly<Record<string, readonly [method: string, path: string]>> = {
  'payments:read': ['GET', '/payments'],
  'payments:write': ['POST', `/payments/${unknown('pay')}/void`],
  'refunds:read': ['GET', `/refunds/${unknown('re')}`],
  'refunds:write': ['POST', `/payments/${unknown('pay')}/refunds`],
  'customers:read': ['GET', '/customers'],
  'customers:write': ['POST', '/customers'],
  'payouts:read': ['GET', '/payouts'],
  'events:read': ['GET', '/events'],
  'test_helpers:write': ['POST', '/test_helpers/clock/advance'],
};

/** The permissions that a key lacks for these requests. */
async function lackedBy(key: string): Promise<string[]> {
  const lacked: string[] = [];
  for (const [permission, [method, rest]] of Object.entries(requests)) {
    const body = method === 'POST' ? { body: {} } : {};
    const reply = await shop.call(method, `/api/v1${rest}`, { key, ...body });
    if (reply.body?.error?.code !== 'insufficient_scope') continue;
    expectError(reply, 'insufficient_scope');
    expect(reply.body.error.message).toContain(permission);
    lacked.push(reply.body.error.param);
  }
  return lacked;
}

describe('a restricted key', () => {
  it('begins with rk_ and may do what its permissions say, and nothing else', async () => {
    const { secret_key: key } = await makeKey('--permissions', 'payments:read,customers:*');
    expect(key).toMatch(/^rk_test_[0-9A-Za-z]{32}$/);
    const granted = ['payments:read', 'customers:read', 'customers:write'];
    const lacking = Object.keys(requests).filter((permission) => !granted.includes(permission));
    expect(await lackedBy(key)).toEqual(lacking);
  });

  it('with every permission may do everything, and so may a full key', async () => {
    const { secret_key: key } = await makeKey('--permissions', Object.keys(requests).join(','));
    expect(await lackedBy(key)).toEqual([]);
    expect(await lackedBy(shop.key)).toEqual([]);
  });

  it('needs events:read for the stream of events', async () => {
    const { secret_key: key } = await makeKey('--permissions', 'payments:*');
    expectError(await shop.call('GET', '/api/v1/events/stream', { key }), 'insufficient_scope');
  });

  it('that lacks a permission is seen in the log of requests, by its name', async () => {
    const { secret_key: key } = await makeKey('--permissions', 'events:read', '--name', 'Reporting');
    const refused = await shop.pay({}, { key });
    expectError(refused, 'insufficient_scope');
    const id = refused.headers.get('service-request-id') ?? '';
    const [line] = await until('the request is logged', async () => {
      const { data } = (await owner.get(path(`/request_logs?search=${id}`))).body;
      return data.length > 0 && data;
    });
    expect(line).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      key: { name: 'Reporting', permissions: ['events:read'] },
    });
  });

  it('is refused with 401 from its end on, in account time', async () => {
    const own = await Merchant.open();
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const { secret_key: key } = await makeKeyOf(own, '--permissions', 'payments:read', '--expires', ends);
    expect((await own.call('GET', '/api/v1/payments', { key })).status).toBe(200);
    await till('clock', 'advance', '--account', own.id, '--seconds', '3700');
    const over = await own.call('GET', '/api/v1/payments', { key });
    expectError(over, 'invalid_api_key');
    expect(over.body.error.message).toContain('ended');
    const late = await tillRaw(
      'keys',
      'create',
      '--account',
      own.id,
      '--permissions',
      'payments:read',
      '--expires',
      ends,
      '--json',
    );
    expect(JSON.parse(late.out)).toMatchObject({ error: { code: 'invalid_end' } });
  });

  it.each([
    ['an address of its own', '127.0.0.1', true],
    ['a network', '10.0.0.0/8,127.0.0.0/8', true],
    ['another network', '203.0.113.0/24,2001:db8::/32', false],
  ])('bound to %s is refused with 401 from elsewhere', async (_what, networks, allowed) => {
    const { secret_key: key } = await makeKey('--permissions', 'payments:read', '--cidr', networks);
    const url = new URL(target().baseUrl);
    expect(url.hostname).toBe('127.0.0.1');
    const reply = await shop.call('GET', '/api/v1/payments', { key });
    if (allowed) {
      expect(reply.status).toBe(200);
    } else {
      expectError(reply, 'invalid_api_key');
      expect(reply.body.error.message).toContain('127.0.0.1');
    }
  });

  it.each([
    ['an end on no day', ['--permissions', 'payments:read', '--expires', '2027-02-30'], 'invalid_usage'],
    ['no address', ['--permissions', 'payments:read', '--cidr', '10.0.0.0/40'], 'invalid_address'],
    ['an empty list of addresses', ['--permissions', 'payments:read', '--cidr', ''], 'invalid_address'],
    ['limits without permissions', ['--max-amount', '5'], 'permissions_missing'],
  ])('is not made with %s', async (_what, options, code) => {
    const made = await tillRaw('keys', 'create', '--account', shop.id, ...options, '--json');
    expect(JSON.parse(made.out)).toMatchObject({ error: { code } });
    const odd = await tillRaw('keys', 'create', '--account', shop.id, '--permissions', 'payments:all');
    expect(odd.err).toContain('payments:read');
  });
});

const expectLimit = (reply: Reply, param: string, ...words: string[]) => {
  expectError(reply, 'limit_exceeded');
  expect(reply.body.error.param).toBe(param);
  for (const word of words) expect(reply.body.error.message).toContain(word);
};

it('a restricted key of the command line is audited with all that restricts it', async () => {
  const options = ['--max-amount', '5000', '--approval-above', '100', '--cidr', '127.0.0.1'];
  const { id } = await makeKey('--permissions', 'refunds:write', '--name', 'Agent', ...options);
  const { data } = (await owner.get(path(`/audit_log?action=api_key.created&object=${id}`))).body;
  const restriction = { permissions: ['refunds:write'], max_amount: 5000, approval_above: 100 };
  expect(data).toMatchObject([
    {
      actor: { type: 'operator' },
      after: { name: 'Agent', restriction: { ...restriction, addresses: ['127.0.0.1'] } },
    },
  ]);
});

describe('the largest amount of a restricted key', () => {
  it('holds for each payment and each refund', async () => {
    const { secret_key: key } = await makeKey(
      '--permissions',
      'payments:write,refunds:write',
      '--max-amount',
      '5000',
    );
    expectLimit(await shop.pay({ amount: 5001 }, { key }), 'max_amount', '5000', '5001');
    const paid = await shop.pay({ amount: 5000 }, { key });
    expect(paid.status).toBe(201);
    const large = (await shop.pay({ amount: 9000 })).body;
    const refunds = `/api/v1/payments/${large.id}/refunds`;
    // A refund without an amount means the whole remaining amount.
    expectLimit(await shop.post(refunds, {}, { key }), 'max_amount', '5000', '9000');
    expect((await shop.post(refunds, { amount: 4001 }, { key })).status).toBe(201);
    expect((await shop.post(refunds, {}, { key })).status).toBe(201);
  });

  it('holds for what another key held', async () => {
    const { secret_key: key } = await makeKeyOf(
      holder,
      '--permissions',
      'payments:write',
      '--max-amount',
      '5000',
      '--max-daily',
      '5000',
    );
    const hold = (amount: number) => holder.pay({ amount, capture_method: 'manual' });
    const [large, small] = [(await hold(5001)).body, (await hold(5000)).body];
    const capture = (id: string) => holder.post(`/api/v1/payments/${id}/capture`, {}, { key });
    expectLimit(await capture(large.id), 'max_amount', '5000', '5001');
    expect((await capture(small.id)).body).toMatchObject({ status: 'succeeded' });
    // A hold moves no money, but its capture would.
    const third = await holder.pay({ amount: 1000, capture_method: 'manual' }, { key });
    expect(third.body).toMatchObject({ status: 'authorized' });
    expectLimit(await capture(third.body.id), 'max_daily', '5000');
    expect((await holder.post(`/api/v1/payments/${third.body.id}/void`, {}, { key })).status).toBe(200);
  });
});

describe('what a restricted key may move on one day', () => {
  it('is a sum of payments and refunds, in each currency by itself, which begins anew at midnight UTC of account time', async () => {
    const own = await Merchant.open();
    const { secret_key: key } = await makeKeyOf(
      own,
      '--permissions',
      'payments:write,refunds:write',
      '--max-daily',
      '10000',
    );
    const first = await own.pay({ amount: 6000 }, { key });
    expect(first.status).toBe(201);
    expectLimit(await own.pay({ amount: 4001 }, { key }), 'max_daily', '10000', '6000', '4001');
    expect((await own.pay({ amount: 10_000, currency: 'USD' }, { key })).status).toBe(201);
    const refunds = `/api/v1/payments/${first.body.id}/refunds`;
    expect((await own.post(refunds, { amount: 4000 }, { key })).status).toBe(201);
    expectLimit(await own.post(refunds, { amount: 1 }, { key }), 'max_daily', '10000');
    expect((await own.post(refunds, { amount: 1 })).status).toBe(201);
    await till('clock', 'advance', '--account', own.id, '--seconds', String(24 * 3600));
    expect((await own.pay({ amount: 10_000 }, { key })).status).toBe(201);
    expectLimit(await own.pay({ amount: 1 }, { key }), 'max_daily', '10000');
  });

  it('is never exceeded by requests at once, and what is refused does not count', async () => {
    const { secret_key: key } = await makeKey('--permissions', 'payments:write', '--max-daily', '10000');
    expectLimit(await shop.pay({ amount: 10_001 }, { key }), 'max_daily');
    expectError(await shop.pay({ amount: 9000, customer: unknown('cus') }, { key }), 'customer_not_found');
    const replies = await Promise.all(Array.from({ length: 8 }, () => shop.pay({ amount: 3000 }, { key })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const reply of replies) {
      if (reply.status !== 201) expectLimit(reply, 'max_daily');
    }
  });

  it('counts a repeat under the same Idempotency-Key once', async () => {
    const { secret_key: key } = await makeKey('--permissions', 'payments:write', '--max-daily', '3000');
    const options = { key, idempotencyKey: randomUUID() };
    const first = await shop.pay({ amount: 3000 }, options);
    const again = await shop.pay({ amount: 3000 }, options);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  });
});

describe('a restricted key of the dashboard', () => {
  it('is made with its restriction, listed and audited with it, and keeps it when it is rolled', async () => {
    const restriction = {
      permissions: ['payments:read', 'refunds:*'],
      addresses: ['127.0.0.1'],
      max_amount: 5000,
      max_daily: 20_000,
    };
    const made = await owner.post(path('/api_keys'), { name: 'Agent', restriction });
    expect(made.status).toBe(201);
    expect(made.body.secret_key).toMatch(/^rk_test_/);
    const kept = { ...restriction, ends_at: null, approval_above: null };
    expect(made.body.key.restriction).toEqual(kept);
    const rolled = await owner.post(path(`/api_keys/${made.body.key.id}/roll`), { expires_in: 0 });
    expect(rolled.body.secret_key).toMatch(/^rk_test_/);
    expect(rolled.body.key).toMatchObject({ name: 'Agent', restriction: kept });
    expectError(await shop.pay({}, { key: rolled.body.secret_key }), 'insufficient_scope');
    const audit = (await owner.get(path(`/audit_log?action=api_key.created&object=${made.body.key.id}`))).body
      .data;
    expect(audit[0]).toMatchObject({ after: { name: 'Agent', restriction: kept } });
  });

  it('names the field where it is not possible', async () => {
    const ask = (restriction: object) => owner.post(path('/api_keys'), { name: 'Odd', restriction });
    const read = { permissions: ['payments:read'] };
    for (const [restriction, param] of [
      [{ permissions: [] }, 'restriction.permissions'],
      [{ permissions: ['payments:all'] }, 'restriction.permissions[0]'],
      [{ ...read, addresses: ['localhost'] }, 'restriction.addresses'],
      [{ ...read, ends_at: '2020-01-01T00:00:00Z' }, 'restriction.ends_at'],
      [{ ...read, max_amount: 0 }, 'restriction.max_amount'],
    ] as const) {
      const refused = await ask(restriction);
      expectError(refused, 'invalid_params');
      expect(refused.body.error.param).toBe(param);
    }
  });
});
