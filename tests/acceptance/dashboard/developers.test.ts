import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply, till, tillRaw } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
type Role = (typeof roles)[number];

let shop: Merchant;
let staff: Record<Role, Browser>;

beforeAll(async () => {
  shop = await Merchant.open();
  const browsers: [Role, Browser][] = [];
  // Sequentially: many concurrent sign-ins from one address would look like guessing.
  for (const role of roles) browsers.push([role, await Browser.of(shop, role)]);
  staff = Object.fromEntries(browsers) as Record<Role, Browser>;
});

const path = (rest: string, account = shop.id) => `/accounts/${account}${rest}`;
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];

/**
 * Every operation for developers. Those that change something refer to objects that do not exist, so that nothing
 * changes.
 */
const endpoint = '/webhook_endpoints/we_000000000000000000000000';
const since = '2026-11-20T00:00:00Z';
const forDevelopers: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/api_keys'],
  ['POST', '/api_keys', { name: '' }],
  ['DELETE', '/api_keys/key_000000000000000000000000'],
  ['GET', '/webhook_endpoints'],
  ['POST', '/webhook_endpoints', { url: 'none', additional_events: false }],
  ['GET', endpoint],
  ['PATCH', endpoint, { additional_events: true }],
  ['DELETE', endpoint],
  ['POST', `${endpoint}/roll`],
  ['POST', `${endpoint}/pause`],
  ['POST', `${endpoint}/resume`],
  ['POST', `${endpoint}/test`],
  ['GET', `${endpoint}/deliveries`],
  ['GET', `${endpoint}/deliveries/dlv_1`],
  ['POST', `${endpoint}/deliveries/dlv_1/resend`],
  ['POST', `${endpoint}/recover`, { since }],
  ['GET', `${endpoint}/recover?since=${since}`],
  ['POST', '/events/evt_000000000000000000000000/resend', { endpoint: 'we_1' }],
  ['GET', '/request_logs'],
  ['GET', '/request_logs/req_000000000000000000000000'],
];

const nameOf = ([method, rest]: (typeof forDevelopers)[number]) => `${method} ${rest}`;
const send = (browser: Browser, [method, rest, body]: (typeof forDevelopers)[number], account?: string) =>
  browser.call(method, path(rest, account), body === undefined ? {} : { body });

describe('the operations for developers', () => {
  it.each(['owner', 'admin', 'developer'] as const)('are open to the role %s', async (role) => {
    for (const operation of forDevelopers) {
      const reply = await send(staff[role], operation);
      expect([200, 404, 422], `${nameOf(operation)}: ${reply.text}`).toContain(reply.status);
    }
  });

  it.each(['support', 'viewer'] as const)('are refused to the role %s', async (role) => {
    for (const operation of forDevelopers) {
      expect(codeOf(await send(staff[role], operation)), nameOf(operation)).toEqual([403, 'forbidden']);
    }
    expect((await staff[role].get(path('/events'))).status).toBe(200);
    expect((await staff[role].get(path('/developer_filters'))).status).toBe(200);
  });

  it('are 404 for members of another account, and 401 without a session', async () => {
    const other = await Merchant.open();
    const stranger = await Browser.of(other, 'owner');
    for (const operation of forDevelopers) {
      expect(codeOf(await send(stranger, operation)), nameOf(operation)).toEqual([404, 'not_found']);
      expect((await send(new Browser(), operation)).status, nameOf(operation)).toBe(401);
    }
  });

  it('that write refuse requests of another site', async () => {
    for (const [method, rest, body] of forDevelopers.filter(([name]) => name !== 'GET')) {
      const options = body === undefined ? {} : { body };
      const forged = await staff.owner.call(method, path(rest), { ...options, csrf: null });
      expect(codeOf(forged), rest).toEqual([403, 'csrf_failed']);
      const foreign = await staff.owner.call(method, path(rest), {
        ...options,
        origin: 'https://evil.example',
      });
      expect(codeOf(foreign), rest).toEqual([403, 'csrf_failed']);
    }
  });
});

describe('an API key of the dashboard', () => {
  it('works at once, is logged by its name, and is refused at once when revoked', async () => {
    const { body } = await staff.developer.post(path('/api_keys'), { name: 'Shop server' });
    const key = { key: body.secret_key as string };
    const reply = await shop.call('GET', '/api/v1/payments', key);
    expect(reply.status).toBe(200);
    const id = reply.headers.get('service-request-id') ?? '';
    const [line] = await until('the request is logged', async () => {
      const { data } = (await staff.developer.get(path(`/request_logs?search=${id}`))).body;
      return data.length > 0 && data;
    });
    expect(line).toMatchObject({ id, status: 200, key: { id: body.key.id, name: 'Shop server' } });

    const revoked = await staff.developer.delete(path(`/api_keys/${body.key.id}`));
    expect(revoked.body).toMatchObject({ state: 'revoked' });
    expect(codeOf(await shop.call('GET', '/api/v1/payments', key))).toEqual([401, 'invalid_api_key']);
    const listed = await staff.developer.get(path('/api_keys'));
    expect(listed.text).not.toContain(body.secret_key);
  });

  it('is listed by its name at the command line too', async () => {
    await till('keys', 'create', '--account', shop.id, '--name', 'Night batch');
    const { out } = await tillRaw('keys', 'list', '--account', shop.id);
    expect(out).toContain('Night batch');
    const { data } = (await staff.owner.get(path('/api_keys'))).body;
    expect(data).toContainEqual(expect.objectContaining({ name: 'Night batch', created_by: null }));
    const blank = await tillRaw('keys', 'create', '--account', shop.id, '--name', ' ', '--json');
    expect(JSON.parse(blank.out)).toMatchObject({ error: { code: 'invalid_name' } });
  });

  it('of the other environment is refused, and its owners see that in the log', async () => {
    const live = await Merchant.open();
    const owner = await Browser.of(live, 'owner');
    await till('accounts', 'update', live.id, '--environment', 'live', '--activation', 'active');
    const reply = await live.get('/api/v1/payments');
    expect(codeOf(reply)).toEqual([401, 'key_mode_mismatch']);
    const lines = await until('the refusal is logged', async () => {
      const { data } = (await owner.get(path('/request_logs?code=key_mode_mismatch', live.id))).body;
      return data.length > 0 && data;
    });
    expect(lines).toMatchObject([{ id: reply.headers.get('service-request-id'), status: 401 }]);
    const { data } = (await owner.get(path('/api_keys', live.id))).body;
    expect(data).toMatchObject([{ state: 'other_environment' }]);
  });
});
