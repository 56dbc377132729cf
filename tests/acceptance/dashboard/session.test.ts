import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { addStaff, Browser, staffPassword } from '../../support/dashboard.ts';
import { migratedDatabase, queryDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../../support/server.ts';

/**
 * This file has its own server, because wrong passwords count against the IP address that they come from. It has no
 * rate limit for requests, so that guesses reach the limit for guesses.
 */
const cleanUp = new CleanUp();
let server: RunningServer;
let databaseUrl: string;
let shop: Merchant;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  databaseUrl = await migratedDatabase(cleanUp);
  server = await startServer({
    DATABASE_URL: databaseUrl,
    TILL_DATA_DIR: folder.path,
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

const browser = () => new Browser(server);

/** Adds a new person with a password. */
async function person(role = 'owner'): Promise<string> {
  const email = freshEmail();
  await addStaff(server, shop.id, email, role);
  return email;
}

async function signedIn(email: string): Promise<Browser> {
  const one = browser();
  expect((await one.signIn(email)).status).toBe(200);
  return one;
}

function expectRefusal(reply: Reply, status: number, code: string): void {
  expect([reply.status, reply.body?.error?.code]).toEqual([status, code]);
  expect(reply.body.error).toMatchObject({
    message: expect.stringMatching(/\S/),
    request_id: reply.headers.get('service-request-id'),
  });
}

describe('the first start', () => {
  const link = () => /\/dashboard\/setup\/([0-9A-Za-z]+)/.exec(server.printed().out)?.[1] ?? '';

  it('prints a one-time link that makes a user the owner of both accounts', async () => {
    const path = `/setup/${link()}`;
    const shown = await browser().get(path);
    expect(shown.status).toBe(200);
    expect(shown.body.accounts).toMatchObject([{ name: 'Demo shop A' }, { name: 'Demo shop B' }]);
    const options = { token: link(), email: freshEmail(), password: staffPassword };
    expectRefusal(await browser().post('/setup', { ...options, password: 'short' }), 422, 'weak_password');
    const owner = browser();
    const reply = await owner.post('/setup', options);
    expect(reply.status).toBe(201);
    expect(reply.body.accounts).toMatchObject([
      { name: 'Demo shop A', processor: 'processor_a', environment: 'sandbox', role: 'owner' },
      { name: 'Demo shop B', processor: 'processor_b', environment: 'sandbox', role: 'owner' },
    ]);
    expect((await owner.get(`/accounts/${reply.body.accounts[0].id}`)).body).toMatchObject({ role: 'owner' });
    expectRefusal(await browser().get(path), 404, 'link_not_valid');
    expectRefusal(await browser().post('/setup', { ...options, email: freshEmail() }), 404, 'link_not_valid');
    expect((await browser().signIn(options.email)).status).toBe(200);
  });

  it('leaves further users to the command line', async () => {
    const bare = await Merchant.openAt(server);
    const { url, accounts } = await commandJson<{ url: string; accounts: string[] }>(server.environment, [
      'users',
      'setup-link',
      '--account',
      bare.id,
    ]);
    expect(accounts).toEqual([bare.id]);
    const token = url.split('/').at(-1);
    const options = { token, email: freshEmail(), password: staffPassword };
    expect((await browser().post('/setup', options)).body.accounts).toMatchObject([
      { id: bare.id, role: 'owner' },
    ]);
    const unknown = await runCommand(server.environment, [
      'users',
      'setup-link',
      '--account',
      'acct_x',
      '--json',
    ]);
    expect([unknown.exitCode, JSON.parse(unknown.out).error.code]).toEqual([1, 'account_not_found']);
  });
});

describe('signing in', () => {
  it('returns user and accounts, and sets an HttpOnly cookie', async () => {
    const email = await person('support');
    const reply = await browser().signIn(email);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      user: { email, totp_enabled: false },
      csrf_token: expect.stringMatching(/^\S{20,}$/),
      accounts: [
        { id: shop.id, name: 'Test shop', environment: 'sandbox', processor: 'processor_a', role: 'support' },
      ],
    });
    const [cookie = ''] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/^till_session=[0-9A-Za-z]{43};/);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const token = /till_session=([^;]+)/.exec(cookie)?.[1] ?? '';
    expect(reply.text).not.toContain(token);
    const sessions = await queryDatabase(databaseUrl, 'select s::text as row from sessions s');
    expect(JSON.stringify(sessions)).not.toContain(token);
  });

  it('creates a new session each time and ends the previous one', async () => {
    const email = await person();
    const one = await signedIn(email);
    const { cookie } = one;
    await one.signIn(email);
    expect(one.cookie).not.toBe(cookie);
    const old = browser();
    old.cookie = cookie;
    expectRefusal(await old.get('/session'), 401, 'not_signed_in');
    expect((await one.get('/session')).status).toBe(200);
  });

  it('refuses a wrong password and an unknown address with the same message', async () => {
    const email = await person();
    const [wrong, stranger] = [
      await browser().signIn(email, 'a wrong password'),
      await browser().signIn(freshEmail(), 'a wrong password'),
    ];
    expectRefusal(wrong, 401, 'invalid_credentials');
    expectRefusal(stranger, 401, 'invalid_credentials');
    expect(stranger.body.error.message).toBe(wrong.body.error.message);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  it('limits a thousand guesses, with Retry-After', { timeout: 180_000 }, async () => {
    const email = await person();
    const statuses = new Map<number, number>();
    let last: Reply | undefined;
    for (let guess = 0; guess < 1000; guess += 1) {
      last = await browser().signIn(email, `guess ${guess}`);
      statuses.set(last.status, (statuses.get(last.status) ?? 0) + 1);
    }
    expect([...statuses.keys()].toSorted()).toEqual([401, 429]);
    expect(statuses.get(429)).toBeGreaterThan(950);
    // Extends the block, so that it does not end just before the next request.
    await queryDatabase(
      databaseUrl,
      `update sign_in_throttles set blocked_until = now() + interval '1 hour'
       where blocked_until > to_timestamp(0) returning name`,
    );
    const right = await browser().signIn(email);
    expectRefusal(right, 429, 'too_many_attempts');
    expect(right.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await browser().signIn(await person())).status).toBe(200);
  });
});

describe('a request', () => {
  it('without a session, or after signing out, is 401', async () => {
    expectRefusal(await browser().get('/session'), 401, 'not_signed_in');
    expectRefusal(await browser().get(`/accounts/${shop.id}`), 401, 'not_signed_in');
    const one = await signedIn(await person());
    const { cookie } = one;
    expect((await one.delete('/session')).status).toBe(200);
    expect(one.cookie).toBeNull();
    one.cookie = cookie;
    expectRefusal(await one.get('/session'), 401, 'not_signed_in');
  });

  it("of another site's page is refused, signed in or not", async () => {
    const email = await person();
    const one = await signedIn(email);
    const body = { email, password: staffPassword };
    for (const origin of ['https://evil.example', 'null', null, `${server.baseUrl}.evil.example`]) {
      expectRefusal(await one.call('DELETE', '/security/sessions', { origin }), 403, 'csrf_failed');
      expectRefusal(await browser().post('/session', body, { origin }), 403, 'csrf_failed');
    }
    for (const csrf of [null, '', (await signedIn(email)).csrf]) {
      expectRefusal(await one.call('DELETE', '/security/sessions', { csrf }), 403, 'csrf_failed');
    }
    // Nothing happened: the session that the last request started still exists.
    expect((await one.get('/security')).body.sessions).toHaveLength(2);
  });

  it('with an API key in place of a session is 401, and the other way round', async () => {
    const headers = { authorization: `Bearer ${shop.key}` };
    expectRefusal(await browser().call('GET', `/accounts/${shop.id}`, { headers }), 401, 'not_signed_in');
    const one = await signedIn(await person());
    const reply = await shop.call('GET', '/api/v1/payments', {
      key: null,
      headers: { cookie: one.cookie ?? '' },
    });
    expectRefusal(reply, 401, 'missing_api_key');
  });

  it("into somebody else's account is 404, as into one that does not exist", async () => {
    const one = await signedIn(await person());
    const foreign = await Merchant.openAt(server);
    for (const path of ['', '/team', '/audit_log']) {
      const reply = await one.get(`/accounts/${foreign.id}${path}`);
      expectRefusal(reply, 404, 'not_found');
      const unknown = await one.get(`/accounts/acct_${'0'.repeat(24)}${path}`);
      expect(unknown.body.error.message).toBe(reply.body.error.message);
    }
  });

  it('to an unknown path, or with a wrong method, is an error in the envelope', async () => {
    expectRefusal(await browser().get('/nothing'), 404, 'not_found');
    const reply = await browser().get('/session/confirm');
    expectRefusal(reply, 405, 'method_not_allowed');
    expect(reply.headers.get('allow')).toContain('POST');
  });
});
