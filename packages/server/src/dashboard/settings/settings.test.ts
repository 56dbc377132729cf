import { randomBytes } from 'node:crypto';
import { roles } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../accounts/accounts.ts';
import { changeAccount } from '../../accounts/store.ts';
import { createApiKey, revokeApiKey } from '../../api-keys/api-keys.ts';
import { createDashboardKit, type DashboardKit } from '../test-kit.ts';
import { codeOf } from '../test-things.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { settingsDashboardRoutes } from './routes.ts';

let kit: DashboardKit;
let deps: SettingsDependencies;
/** Whether live payments of the accounts reach a processor; `liveUrl` is its address. */
let liveReady = false;
/** Whether simulators stand in for live processors, so that only the activation is required. */
let simulated = false;
const liveUrl = { of: 'https://simulator.example' };

beforeAll(async () => {
  kit = await createDashboardKit();
  const { db, clock } = kit;
  const connect = ({ livemode }: { livemode: boolean }) =>
    livemode && !liveReady ? undefined : { connection: { baseUrl: liveUrl.of } };
  deps = {
    db,
    clock,
    randomBytes,
    connect: connect as unknown as SettingsDependencies['connect'],
    get liveSimulation() {
      return simulated;
    },
    checkConnection: async () => [],
    publicAddress: () => 'https://pay.example',
    sendsMail: true,
  };
  settingsDashboardRoutes(kit.api, deps);
});
afterAll(() => kit.drop());

const open = async (role: (typeof roles)[number] = 'owner') => {
  const account = await kit.openAccount();
  const person = await kit.signIn(account, role);
  const at = (rest: string) => `/accounts/${account}${rest}`;
  return { account, ...person, at };
};

describe('the settings', () => {
  it('say what the account is, and what live payments lack', async () => {
    const { account, call, at } = await open('viewer');
    const reply = await call('GET', at('/settings'));
    expect(reply.body).toMatchObject({
      id: account,
      processor: expect.stringMatching(/^processor_/),
      environment: 'sandbox',
      store_payment_method_default: expect.any(Boolean),
      connection: { status: 'connected', live: 'credentials_missing' },
    });
    liveReady = true;
    expect((await call('GET', at('/settings'))).body.connection.live).toBe('ready');
    liveReady = false;
  });

  it('change one by one, and the log keeps what was there before', async () => {
    const { account, call, at } = await open('admin');
    const before = (await call('GET', at('/settings'))).body;
    const renamed = await call('PATCH', at('/settings/business'), { body: { name: '  <b>Ada & Co</b> ' } });
    expect(renamed.body.name).toBe('<b>Ada & Co</b>');
    kit.clock.move(1);
    const saving = { store_payment_method_default: !before.store_payment_method_default };
    expect((await call('PATCH', at('/settings/payments'), { body: saving })).body).toMatchObject(saving);
    kit.clock.move(1);
    const secure = await call('PATCH', at('/settings/connection'), { body: { three_d_secure: 'always' } });
    expect(secure.body.connection).toMatchObject({ three_d_secure: 'always', status: 'connected' });
    expect((await call('GET', at('/settings'))).body).toEqual(secure.body);
    expect((await kit.audit(account)).slice(-3)).toMatchObject([
      {
        action: 'business.changed',
        object_id: account,
        before: { name: before.name },
        after: { name: '<b>Ada & Co</b>' },
      },
      {
        action: 'payment_settings.changed',
        before: { store_payment_method_default: before.store_payment_method_default },
        after: saving,
      },
      {
        action: 'connection.changed',
        before: { three_d_secure: before.connection.three_d_secure },
        after: { three_d_secure: 'always' },
      },
    ]);
  });

  it('refuse what no account can be', async () => {
    const { call, at } = await open();
    const refused = async (path: string, body: object) =>
      (await call('PATCH', at(path), { body })).body.error;
    for (const name of ['', '   ', 'x'.repeat(256)]) {
      expect(await refused('/settings/business', { name })).toMatchObject({ param: 'name' });
    }
    expect(await refused('/settings/connection', { three_d_secure: 'maybe' })).toMatchObject({
      param: 'three_d_secure',
    });
  });

  it('say whose fields take live cards, and let it be chosen where the processor has such fields', async () => {
    const { account, call, at } = await open();
    const fields = async () => (await call('GET', at('/settings'))).body.connection.card_fields;
    const choose = (options: string) =>
      call('PATCH', at('/settings/connection'), { body: { card_fields: options } });
    expect(await fields()).toEqual({ chosen: 'default', default: null });
    liveReady = true;
    expect(await fields()).toEqual({ chosen: 'default', default: 'first_party' });
    liveUrl.of = 'https://api-m.paypal.com';
    expect(await fields()).toEqual({ chosen: 'default', default: 'processor' });
    liveUrl.of = 'https://api-m.paypal.com.evil.example';
    expect(await fields()).toEqual({ chosen: 'default', default: 'first_party' });
    liveReady = false;
    expect((await choose('first_party')).body.connection.card_fields.chosen).toBe('first_party');
    kit.clock.move(1);
    // Another change of the connection leaves the choice unchanged.
    await call('PATCH', at('/settings/connection'), { body: { three_d_secure: 'always' } });
    expect((await fields()).chosen).toBe('first_party');
    kit.clock.move(1);
    expect((await choose('default')).body.connection.card_fields.chosen).toBe('default');
    expect((await choose('theirs')).body.error).toMatchObject({ param: 'card_fields' });
    const log = (await kit.audit(account)).filter(({ after }) => 'card_fields' in (after as object));
    expect(log).toMatchObject([
      {
        action: 'connection.changed',
        before: { card_fields: 'default' },
        after: { card_fields: 'first_party' },
      },
      { before: { card_fields: 'first_party' }, after: { card_fields: 'default' } },
    ]);
    const options = { name: 'A', processor: 'processor_a', environment: 'sandbox' } as const;
    const { account_id: other } = await createAccount(deps, options);
    const { call: there } = await kit.signIn(other, 'owner');
    expect((await there('GET', `/accounts/${other}/settings`)).body.connection.card_fields).toBeNull();
    const body = { card_fields: 'processor' };
    const refused = await there('PATCH', `/accounts/${other}/settings/connection`, { body });
    expect([refused.status, refused.body.error.param]).toEqual([422, 'card_fields']);
  });

  it('ask for the password again before the connection and the environment change', async () => {
    const { call, at } = await open();
    kit.clock.move(10 * 60_000);
    const change = await call('PATCH', at('/settings/connection'), { body: { status: 'disconnected' } });
    expect([change.status, codeOf(change)]).toEqual([401, 'confirmation_required']);
    const body = { environment: 'live', name: 'x', keys: [] };
    expect(codeOf(await call('POST', at('/environment'), { body }))).toBe('confirmation_required');
    expect((await call('GET', at('/environment'))).status).toBe(200);
  });
});

describe('the environment', () => {
  beforeAll(() => {
    simulated = true;
  });
  afterAll(() => {
    simulated = false;
  });
  const switching = async () => {
    const opened = await open();
    const { account, call, at } = opened;
    await changeAccount(kit.db, account, { activation: 'active' });
    const { name } = (await call('GET', at('/settings'))).body;
    const go = (environment: string, keys: readonly string[], typed: string = name) =>
      call('POST', at('/environment'), { body: { environment, name: typed, keys } });
    const preview = async () => (await call('GET', at('/environment'))).body;
    return { ...opened, go, preview };
  };

  it('changes with exactly the keys that were shown, and back', async () => {
    const { account, go, preview } = await switching();
    const makeKey = async (name: string) => {
      kit.clock.move(1);
      return (await createApiKey(deps, account, { name })).id;
    };
    const [shop, old, job] = [await makeKey('shop'), await makeKey('old'), await makeKey('job')];
    await revokeApiKey(deps, old, account);
    const shown = await preview();
    expect(shown).toMatchObject({ environment: 'sandbox', target: 'live', refusal: null });
    expect(shown.stopping_keys).toMatchObject([
      { id: job, name: 'job', hint: expect.stringMatching(/^sk_test_…/), last_used_at: null },
      { id: shop, name: 'shop' },
    ]);
    expect(shown.returning_keys).toEqual([]);
    for (const seen of [[shop], [shop, job, old], [shop, old]]) {
      expect(codeOf(await go('live', seen))).toBe('conflict');
    }
    const done = await go('live', [shop, job]);
    expect(done.body.environment).toBe('live');
    expect((await kit.audit(account)).at(-1)).toMatchObject({
      action: 'environment.switched',
      before: { environment: 'sandbox' },
      after: { environment: 'live', keys_stopped: expect.arrayContaining([expect.stringContaining(shop)]) },
    });
    const live = await makeKey('live');
    const back = await preview();
    expect(back).toMatchObject({ target: 'sandbox', stopping_keys: [{ id: live }] });
    expect(back.returning_keys).toMatchObject([{ id: job }, { id: shop }]);
    expect((await go('sandbox', [live])).body.environment).toBe('sandbox');
  });

  it('needs the name, and another environment than the present one', async () => {
    const { go } = await switching();
    const wrong = await go('live', [], 'another name');
    expect([wrong.status, wrong.body.error.param]).toEqual([422, 'name']);
    expect(codeOf(await go('sandbox', []))).toBe('conflict');
  });

  it('stays the sandbox until the account is activated; one that was active once may go back', async () => {
    const { account, go, preview } = await switching();
    await changeAccount(kit.db, account, { activation: 'not_activated' });
    expect((await preview()).refusal).toMatchObject({ code: 'processing_not_enabled' });
    const refused = await go('live', []);
    expect([refused.status, codeOf(refused)]).toEqual([422, 'processing_not_enabled']);
    await changeAccount(kit.db, account, { activation: 'suspended' });
    expect((await preview()).refusal).toBeNull();
    expect((await go('live', [])).status).toBe(200);
    await changeAccount(kit.db, account, { activation: 'not_activated' });
    expect((await go('sandbox', [])).status).toBe(200);
  });

  it('is changed by one of two people who press at once', async () => {
    const { account, go } = await switching();
    const both = await Promise.all([go('live', []), go('live', [])]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const switched = (await kit.audit(account)).filter(({ action }) => action === 'environment.switched');
    expect(switched).toHaveLength(1);
  });
});

it('every role looks, owners and admins change, and nobody from elsewhere', async () => {
  const { account, at } = await open();
  for (const role of roles) {
    const { call } = await kit.signIn(account, role);
    const may = role === 'owner' || role === 'admin';
    const statusOf = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) =>
      (await call(method, at(path), { body })).status;
    expect(await statusOf('GET', '/settings'), role).toBe(200);
    expect(await statusOf('GET', '/environment'), role).toBe(may ? 200 : 403);
    expect(await statusOf('PATCH', '/settings/business', { name: 'Shop' }), role).toBe(may ? 200 : 403);
    const payments = { store_payment_method_default: true };
    expect(await statusOf('PATCH', '/settings/payments', payments), role).toBe(may ? 200 : 403);
    expect(await statusOf('PATCH', '/settings/connection', {}), role).toBe(may ? 200 : 403);
    const body = { environment: 'live', name: 'Shop', keys: [] };
    expect(await statusOf('POST', '/environment', body), role).toBe(may ? 422 : 403);
  }
  const { call } = await kit.signIn(await kit.openAccount(), 'owner');
  expect((await call('GET', at('/settings'))).status).toBe(404);
  expect((await call('PATCH', at('/settings/business'), { body: { name: 'Mine' } })).status).toBe(404);
});
