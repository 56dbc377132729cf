import { randomBytes, randomUUID } from 'node:crypto';
import { type DashboardOperation, dashboardApi, type Role, roles } from '@till/contract/dashboard';
import { sandboxSchema } from '@till/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeAccount } from '../accounts/store.ts';
import { composeServer } from '../compose/compose.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { deriveKeys } from '../lib/keys.ts';
import { createLogger } from '../lib/log/log.ts';
import { createMetrics } from '../lib/metrics.ts';
import { insertMembership, insertUser } from '../users/people/users.ts';
import { csrfTokenOf, startSession } from '../users/sign-in/sessions.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';

/*
 * Sends raw requests for every operation of the contract to a whole server. Which roles each must admit is computed here,
 * from the contract's lists of roles alone.
 */

const baseUrl = 'http://till.example';
const modes = ['sandbox', 'live'] as const;
type Mode = (typeof modes)[number];

const all: readonly DashboardOperation[] = Object.values(dashboardApi);
const ofAccounts = all.filter(({ path }) => path.startsWith('/accounts/:account'));
const ofPeople = all.filter(({ path }) => !path.startsWith('/accounts/:account'));
const named = (operations: readonly DashboardOperation[]) =>
  operations.map((operation) => [operation.id, operation] as const);

let database: TestDatabase;
let server: Awaited<ReturnType<typeof composeServer>>;
const accounts = {} as Record<Mode, string>;
const tokens = {} as Record<Mode, Record<Role, string>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await db.query({ text: sandboxSchema, scope: 'everybody' });
  const masterKeys = deriveMasterKeys(Buffer.alloc(32, 2), null);
  await checkMasterKey(db, masterKeys, systemClock.now());
  const environment = { BASE_URL: baseUrl, TILL_RATE_LIMIT_RPS: '0', TILL_LIVE_SIMULATION: 'on' };
  server = await composeServer({
    config: readConfig(environment, '/'),
    db,
    reads: db,
    clock: systemClock,
    keys: deriveKeys(Buffer.alloc(32, 1)),
    masterKeys,
    instance: { number: 1, release: () => {} },
    log: createLogger('silent', () => {}),
    metrics: createMetrics('test', () => 0),
  });
  for (const mode of modes) {
    accounts[mode] = await database.openAccount();
    if (mode === 'live') {
      await changeAccount(db, accounts[mode], { environment: 'live', activation: 'active' });
    }
    tokens[mode] = {} as Record<Role, string>;
    for (const role of roles) tokens[mode][role] = await signIn(accounts[mode], role);
  }
});
afterAll(async () => {
  await server.app.close();
  await database.drop();
});

/** Adds a member who has just entered their password. @returns the token of their session */
async function signIn(accountId: string, role: Role): Promise<string> {
  const deps = { db: database.db, clock: systemClock, randomBytes };
  const at = systemClock.now();
  const user = { id: newId('usr', at, randomBytes), email: `${randomUUID()}@shop.example` };
  await insertUser(database.db, { ...user, passwordHash: '', at });
  await insertMembership(database.db, { accountId, userId: user.id, role, at });
  return (await startSession(deps, user, { ip: '203.0.113.7', userAgent: null })).token;
}

/** Ids of resources that do not exist. */
const nothing: Readonly<Record<string, string>> = { id: 'pay_0123456789abcdefghijklmn' };

interface Sent {
  readonly token?: string | null;
  readonly csrf?: string | null;
  readonly origin?: string | null;
  readonly account?: string;
}

/** Sends what the page would send, except for the given options. */
async function send(
  { method, path }: DashboardOperation,
  { token = null, csrf = token && csrfTokenOf(token), origin = baseUrl, account = accounts.sandbox }: Sent,
): Promise<{ status: number; code: string | undefined }> {
  const url = path.replaceAll(/:([a-z_]+)/g, (_, name: string) =>
    name === 'account' ? account : (nothing[name] ?? nothing.id ?? ''),
  );
  const changes = method !== 'GET';
  const reply = await server.app.inject({
    method,
    url: `/dashboard/api${url}`,
    headers: {
      'idempotency-key': randomUUID(),
      ...(token === null ? {} : { cookie: `till_session=${token}` }),
      ...(changes && origin !== null ? { origin } : {}),
      ...(changes && csrf !== null ? { 'x-csrf-token': csrf } : {}),
    },
  });
  const isJson = String(reply.headers['content-type']).startsWith('application/json');
  return { status: reply.statusCode, code: isJson ? reply.json().error?.code : undefined };
}

/** In the path of an account, `signed_in` means every member. */
const isAllowed = ({ roles: allowed, sandboxRoles = [] }: DashboardOperation, role: Role, mode: Mode) =>
  allowed === 'signed_in' ||
  (allowed !== 'anyone' && allowed.includes(role)) ||
  (mode === 'sandbox' && sandboxRoles.includes(role));

const signedOut = { status: 401, code: 'not_signed_in' };
const forged = { status: 403, code: 'csrf_failed' };
const unknown = { status: 404, code: 'not_found' };

describe.each(named(ofAccounts))('%s', (_id, operation) => {
  it('answers nobody without a session', async () => {
    expect(await send(operation, {})).toEqual(signedOut);
    expect(await send(operation, { token: 'of-nobody' })).toEqual(signedOut);
  });

  it.each(modes)('in %s answers the roles that are named, and no other', async (mode) => {
    const account = accounts[mode];
    for (const role of roles) {
      const { status, code } = await send(operation, { account, token: tokens[mode][role] });
      if (isAllowed(operation, role, mode)) {
        expect([401, 403], `${role}: ${code}`).not.toContain(status);
        expect(status, `${role}: ${code}`).toBeLessThan(500);
      } else {
        expect({ status, code }, role).toEqual({ status: 403, code: 'forbidden' });
      }
    }
  });

  it('answers about a foreign account as about none', async () => {
    for (const role of roles) {
      const token = tokens.sandbox[role];
      expect(await send(operation, { token, account: accounts.live }), role).toEqual(unknown);
      expect(await send(operation, { token, account: 'acct_0123456789abcdefghijklmn' }), role).toEqual(
        unknown,
      );
    }
  });
});

describe.each(named(ofPeople))('%s', (_id, operation) => {
  it('answers the roles that it is for', async () => {
    expect(['anyone', 'signed_in']).toContain(operation.roles);
    const reply = await send(operation, {});
    if (operation.roles === 'signed_in') expect(reply).toEqual(signedOut);
    else expect(reply).not.toEqual(signedOut);
  });
});

describe.each(named(all.filter(({ method }) => method !== 'GET')))('the change %s', (_id, operation) => {
  it('takes nothing that comes from elsewhere than our page', async () => {
    const token = tokens.sandbox.owner;
    for (const origin of ['https://evil.example', 'null', `${baseUrl}.evil.example`, null]) {
      expect(await send(operation, { token, origin }), String(origin)).toEqual(forged);
    }
  });

  it("takes nothing without the session's own token", async () => {
    const token = tokens.sandbox.owner;
    for (const csrf of [null, '', csrfTokenOf('of another')]) {
      const reply = await send(operation, { token, csrf });
      // Before there is a session there is no CSRF token either, so the origin check has to suffice.
      if (operation.roles === 'anyone') expect(reply).not.toEqual(forged);
      else expect(reply).toEqual(forged);
    }
  });
});

it('the contract has no operation that changes something without an entry in the log', () => {
  const silent = all
    .filter(({ method, audit }) => method !== 'GET' && audit === undefined)
    .map(({ id }) => id);
  expect(silent).toEqual([]);
});
