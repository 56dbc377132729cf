import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkSecrets } from '../vault/check-secrets.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { rotateKeys } from '../vault/rotate.ts';
import { createTestDatabase, findTenant, TestClock } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import { openConnection, removeConnection, setConnection } from './connections.ts';
import { findCredentials, listRevisions } from './store.ts';

it('credentials of each mode are sealed anew with a new key, and stay what they are', async () => {
  const database = await createTestDatabase();
  const { db } = database;
  try {
    const clock = new TestClock();
    const masterKeys = deriveMasterKeys(randomBytes(32), null);
    await checkMasterKey(db, masterKeys, clock.now());
    const vault = new Vault({ db, clock, randomBytes, masterKeys });
    const deps = { db, clock, randomBytes, vault };
    const account = await database.openAccount();
    const tenants = [await findTenant(db, account), await findTenant(db, account, true)];
    for (const tenant of tenants) {
      const hosts = { baseUrl: 'https://upstream.example', disputesUrl: 'https://upstream.example' };
      await setConnection(deps, tenant, { ...hosts, credentials: { apiKey: `of ${tenant.tenant}` } });
    }
    expect(await rotateKeys(deps, [account])).toBe(2);
    for (const tenant of tenants) {
      expect((await findCredentials(db, tenant))?.key_version).toBe(2);
      expect((await openConnection(deps, tenant))?.credentials).toEqual({ apiKey: `of ${tenant.tenant}` });
    }
    expect(await checkSecrets(db, vault)).toBe(2);
    const revisions = (await listRevisions(db)).toSorted((one, other) => one.tenant - other.tenant);
    expect(revisions).toEqual(tenants.map((tenant) => ({ ...tenant, revision: 1 })));
    const [test, live] = await Promise.all(tenants.map((tenant) => removeConnection(deps, tenant)));
    expect([test, live, await checkSecrets(db, vault)]).toEqual([true, true, 0]);
  } finally {
    await database.drop();
  }
});
