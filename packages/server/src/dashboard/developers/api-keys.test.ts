import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '../../api-keys/api-keys.ts';
import { Authenticator } from '../../api-keys/authenticate.ts';
import { findTenant } from '../../vault/test-database.ts';
import { createDevelopersKit, type DevelopersKit } from './test-kit.ts';

let kit: DevelopersKit;
let account: string;
let developer: Awaited<ReturnType<DevelopersKit['signIn']>>;
beforeAll(async () => {
  kit = await createDevelopersKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
  developer = await kit.signIn(account, 'developer');
});
afterAll(() => kit.drop());

const keys = () => `/accounts/${account}/api_keys`;
const create = (name: string) => developer.call('POST', keys(), { body: { name } });
const accepts = (secret: string) =>
  new Authenticator(kit.db, kit.clock.now).authenticate(secret).then(
    () => true,
    (error: { code: string }) => error.code,
  );

describe('an API key', () => {
  it('is shown once, works, and is listed without its secret', async () => {
    const { status, body } = await create('  Shop server ');
    expect(status).toBe(201);
    expect(body.secret_key).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    expect(await accepts(body.secret_key)).toBe(true);
    expect(body.key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'Shop server',
      livemode: false,
      hint: `sk_test_…${body.secret_key.slice(-4)}`,
      state: 'active',
      created_by: developer.user.email,
      created_at: '2026-11-20T12:00:00Z',
      last_used_at: null,
      revoked_at: null,
      expires_at: null,
      restriction: null,
    });
    const listed = await developer.call('GET', keys());
    expect(listed.body).toEqual({ object: 'list', data: [body.key], has_more: false, total_count: 1 });
    expect(listed.text).not.toContain(body.secret_key);
  });

  it('is refused from the moment on that it is revoked; revoking again changes nothing', async () => {
    const { body } = await create('Old');
    const revoke = () => developer.call('DELETE', `${keys()}/${body.key.id}`);
    const first = await revoke();
    expect(first.body).toMatchObject({ state: 'revoked', revoked_at: expect.any(String) });
    expect(await accepts(body.secret_key)).toBe('invalid_api_key');
    kit.clock.move(60_000);
    expect((await revoke()).body).toEqual(first.body);
  });

  it('is rolled in one step: a new one of its name, and an end for the old one, audited', async () => {
    const { body } = await create('Shop');
    const roll = (id: string, seconds: number) =>
      developer.call('POST', `${keys()}/${id}/roll`, { body: { expires_in: seconds } });
    kit.clock.move(1000);
    const ends = new Date(kit.clock.now().getTime() + 3_600_000).toISOString().replace('.000', '');
    const rolled = await roll(body.key.id, 3600);
    expect(rolled.status).toBe(201);
    expect(rolled.body).toMatchObject({
      key: { name: 'Shop', state: 'active', expires_at: null, created_by: developer.user.email },
      old: { id: body.key.id, state: 'active', revoked_at: null, expires_at: ends },
    });
    expect(await accepts(rolled.body.secret_key)).toBe(true);
    expect(await accepts(body.secret_key)).toBe(true);
    expect((await roll(body.key.id, 60)).body.error.code).toBe('conflict');
    kit.clock.move(3_599_999);
    expect(await accepts(body.secret_key)).toBe(true);
    kit.clock.move(1);
    expect(await accepts(body.secret_key)).toBe('invalid_api_key');
    developer = await kit.signIn(account, 'developer');
    const { data } = (await developer.call('GET', keys())).body;
    expect(data.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [rolled.body.key.id, 'active'],
      [body.key.id, 'expired'],
    ]);
    const atOnce = await roll(rolled.body.key.id, 0);
    expect(atOnce.body.old).toMatchObject({ state: 'revoked', expires_at: null });
    expect(await accepts(rolled.body.secret_key)).toBe('invalid_api_key');
    expect(await accepts(atOnce.body.secret_key)).toBe(true);
    expect((await kit.audit(account)).filter(({ action }) => action === 'api_key.rolled')).toMatchObject([
      {
        object_id: body.key.id,
        before: { name: 'Shop', key: body.key.hint },
        after: { new_key: rolled.body.key.id, old_key_ends: ends },
      },
      { object_id: rolled.body.key.id },
    ]);
  });

  it('is rolled once by two people at once, and not by a stranger', async () => {
    const { body } = await create('Twice');
    const roll = (by: typeof developer, of = account) =>
      by.call('POST', `/accounts/${of}/api_keys/${body.key.id}/roll`, { body: { expires_in: 0 } });
    const other = await kit.openAccount();
    const stranger = await kit.signIn(other, 'owner');
    expect([(await roll(stranger)).status, (await roll(stranger, other)).status]).toEqual([404, 404]);
    expect(await accepts(body.secret_key)).toBe(true);
    const rolls = await Promise.all([roll(developer), roll(developer)]);
    expect(rolls.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([201, 409]);
    const { data } = (await developer.call('GET', keys())).body;
    expect(data.filter(({ state }: { state: string }) => state === 'active')).toHaveLength(1);
  });

  it('of nobody, of the other environment, or for more than 30 days is not rolled', async () => {
    const { body } = await create('Sandbox');
    const roll = async (by: typeof developer, id: string, seconds = 0) => {
      const reply = await by.call('POST', `${keys()}/${id}/roll`, { body: { expires_in: seconds } });
      return [reply.status, reply.body.error?.code];
    };
    expect(await roll(developer, 'key_nothing')).toEqual([404, 'not_found']);
    expect(await roll(developer, body.key.id, 30 * 86_400 + 1)).toEqual([422, 'invalid_params']);
    await kit.goLive(account);
    expect(await roll(developer, body.key.id)).toEqual([403, 'forbidden']);
    expect(await roll(await kit.signIn(account, 'owner'), body.key.id)).toEqual([409, 'conflict']);
    expect(await accepts(body.secret_key)).toBe('key_mode_mismatch');
  });

  it('of the other environment is marked, since it is refused', async () => {
    const { body } = await create('Sandbox');
    await kit.goLive(account);
    kit.clock.move(1000);
    const owner = await kit.signIn(account, 'owner');
    const live = await owner.call('POST', keys(), { body: { name: 'Live' } });
    expect(live.body.secret_key).toMatch(/^sk_live_/);
    expect(await accepts(body.secret_key)).toBe('key_mode_mismatch');
    const { data } = (await developer.call('GET', keys())).body;
    expect(data.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['Live', 'active'],
      ['Sandbox', 'other_environment'],
    ]);
  });

  it('of real money is made by owners and admins; developers see it and can revoke it', async () => {
    await kit.goLive(account);
    for (const role of ['developer', 'support', 'viewer'] as const) {
      const { call } = await kit.signIn(account, role);
      const { status, body } = await call('POST', keys(), { body: { name: 'Live' } });
      expect([role, status, body.error.code]).toEqual([role, 403, 'forbidden']);
    }
    const admin = await kit.signIn(account, 'admin');
    const { body } = await admin.call('POST', keys(), { body: { name: 'Live' } });
    expect((await developer.call('GET', keys())).body.data).toEqual([body.key]);
    expect((await developer.call('DELETE', `${keys()}/${body.key.id}`)).status).toBe(200);
    expect(await accepts(body.secret_key)).toBe('invalid_api_key');
  });

  it('is made in the environment that was looked at, or not at all', async () => {
    const deps = { db: kit.db, clock: kit.clock, randomBytes };
    const make = (livemode: boolean) =>
      kit.db.transaction((db) => createApiKey({ ...deps, db }, account, { name: 'Key', livemode }));
    await kit.goLive(account);
    await expect(make(false)).rejects.toMatchObject({ code: 'environment_changed' });
    expect((await make(true)).secretKey).toMatch(/^sk_live_/);
  });

  it('of 100 in use is the last of its environment: 422 with the number', async () => {
    await kit.db.query({
      text: `insert into api_keys (account_id, id, tenant, secret_sha256, hint, name, created_at)
             select $1, 'key_' || md5($1 || n), $3, sha256(($1 || n)::bytea), 'sk_test_…', 'Many', $2
             from generate_series(1, 98) n`,
      values: [account, kit.clock.now(), (await findTenant(kit.db, account)).tenant],
      scope: 'everybody',
    });
    const replies = await Promise.all(['99', '100', '101', '102'].map(create));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422]);
    const refused = await create('103');
    expect(refused.body.error).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining('100 API keys in the sandbox environment'),
    });
    const made = replies.find(({ status }) => status === 201)?.body.key.id;
    await developer.call('DELETE', `${keys()}/${made}`);
    expect((await create('instead')).status).toBe(201);
    await kit.goLive(account);
    const owner = await kit.signIn(account, 'owner');
    expect((await owner.call('POST', keys(), { body: { name: 'Live' } })).status).toBe(201);
  });

  it('has entries in the audit log that reveal nothing of the secret', async () => {
    const { body } = await create('Shop');
    kit.clock.move(1000);
    await developer.call('DELETE', `${keys()}/${body.key.id}`);
    const entries = await kit.audit(account);
    expect(entries).toMatchObject([
      { action: 'api_key.created', object_id: body.key.id, after: { name: 'Shop', key: body.key.hint } },
      { action: 'api_key.revoked', object_id: body.key.id, before: { name: 'Shop' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(body.secret_key);
  });

  it.each(['', '   ', 'x'.repeat(101)])('needs a name, not %j', async (name) => {
    const { status, body } = await create(name);
    expect([status, body.error.param]).toEqual([422, 'name']);
  });

  it('is not made with an end that no calendar has, which no later count of the keys could read', async () => {
    const restriction = { permissions: ['payments:read'], ends_at: '2027-02-30T00:00:00Z' };
    const { status, body } = await developer.call('POST', keys(), { body: { name: 'Agent', restriction } });
    const next = await create('Next');
    expect([status, body.error?.param, next.status]).toEqual([422, 'restriction.ends_at', 201]);
  });

  it('asks for the password where it was given long ago', async () => {
    kit.clock.move(11 * 60_000);
    expect((await create('Late')).body.error.code).toBe('confirmation_required');
  });

  it('of somebody else’s account is not there', async () => {
    const { body } = await create('Mine');
    const other = await kit.openAccount();
    const stranger = await kit.signIn(other, 'owner');
    const answer = await stranger.call('DELETE', `/accounts/${other}/api_keys/${body.key.id}`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    expect(await accepts(body.secret_key)).toBe(true);
  });

  it('is listed page by page, newest first', async () => {
    for (const name of ['1', '2', '3']) {
      await create(name);
      kit.clock.move(1000);
    }
    const { body } = await developer.call('GET', `${keys()}?page=2&per_page=2`);
    expect(body).toMatchObject({ data: [{ name: '1' }], has_more: false, total_count: 3 });
  });
});
