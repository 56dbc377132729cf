import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkSecrets } from '../vault/check-secrets.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { rotateKeys } from '../vault/rotate.ts';
import { createTestDatabase, findTenant, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import { openConnection, removeConnection, setConnection } from './connections.ts';
import { KnownConnections } from './known.ts';
import { findCredentials, listRevisions } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const clock = new TestClock();
const hosts = { baseUrl: 'https://upstream.example', disputesUrl: 'https://upstream.example' };

/** The dependencies for storing credentials, with a vault of their own. */
async function opened() {
  const { db } = database;
  const masterKeys = deriveMasterKeys(Buffer.alloc(32, 3), null);
  await checkMasterKey(db, masterKeys, clock.now());
  return { db, clock, randomBytes, vault: new Vault({ db, clock, randomBytes, masterKeys }) };
}

it('credentials of each mode are sealed anew with a new key, and stay what they are', async () => {
  const deps = await opened();
  const { db, vault } = deps;
  const account = await database.openAccount();
  const tenants = [await findTenant(db, account), await findTenant(db, account, true)];
  const setAt = clock.now();
  for (const tenant of tenants) {
    await setConnection(deps, tenant, { ...hosts, credentials: { apiKey: `of ${tenant.tenant}` } });
  }
  expect(await rotateKeys(deps, [account])).toBe(2);
  for (const tenant of tenants) {
    expect((await findCredentials(db, tenant))?.key_version).toBe(2);
    expect((await openConnection(deps, tenant))?.credentials).toEqual({ apiKey: `of ${tenant.tenant}` });
  }
  expect(await checkSecrets(db, vault)).toBe(2);
  const revisions = (await listRevisions(db)).toSorted((one, other) => one.tenant - other.tenant);
  expect(revisions).toEqual(tenants.map((tenant) => ({ ...tenant, revision: 1, updated_at: setAt })));
  const [test, live] = await Promise.all(tenants.map((tenant) => removeConnection(deps, tenant)));
  expect([test, live, await checkSecrets(db, vault)]).toEqual([true, true, 0]);
});

it('credentials that were removed and set anew at once are those that a running server uses', async () => {
  const deps = await opened();
  const tenant = await findTenant(deps.db, await database.openAccount(), true);
  const set = (apiKey: string) => setConnection(deps, tenant, { ...hosts, credentials: { apiKey } });
  const known = new KnownConnections(deps, () => {});
  const used = async () => {
    await known.refresh();
    return known.find(tenant.accountId, true)?.credentials.apiKey;
  };
  await set('former');
  expect(await used()).toBe('former');
  await removeConnection(deps, tenant);
  clock.move(1);
  await set('present');
  expect(await used()).toBe('present');
});
