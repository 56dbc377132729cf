import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { checkMasterKey, deriveMasterKeys, type MasterKeys } from './master-keys.ts';
import { methodPlace } from './places.ts';
import { createTestDatabase, TestClock, type TestDatabase } from './test-database.ts';
import { keyCacheMs, Vault } from './vault.ts';

const masterKeys = deriveMasterKeys(randomBytes(32), null);
let database: TestDatabase;
let clock: TestClock;
let account: string;
let vault: Vault;

const open = (keys: MasterKeys = masterKeys) =>
  new Vault({ db: database.db, clock, randomBytes, masterKeys: keys });

beforeAll(async () => {
  database = await createTestDatabase();
  clock = new TestClock();
  await checkMasterKey(database.db, masterKeys, clock.now());
});
beforeEach(async () => {
  account = await database.openAccount();
  vault = open();
});
afterAll(() => database.drop());

const versions = async (accountId: string) => {
  const rows = await database.db.query<{ version: number }>({
    text: 'select version from account_keys where account_id = $1 order by version',
    values: [accountId],
    scope: { accountId },
  });
  return rows.map((row) => row.version);
};

describe('a sealed text', () => {
  it('opens in its place, in this process and in another one', async () => {
    const { sealed, keyVersion } = await vault.seal(account, 'a row', 'tok_ünïcode');
    expect(sealed.includes('tok_')).toBe(false);
    expect(await vault.open(account, 'a row', sealed, keyVersion)).toBe('tok_ünïcode');
    expect(await open().open(account, 'a row', sealed, keyVersion)).toBe('tok_ünïcode');
  });

  it('is another one every time, also for the empty text', async () => {
    const [one, two] = [await vault.seal(account, 'a row', ''), await vault.seal(account, 'a row', '')];
    expect(one.sealed.equals(two.sealed)).toBe(false);
    expect(await vault.open(account, 'a row', two.sealed, two.keyVersion)).toBe('');
  });

  it('does not open in the place of another row, mode or account', async () => {
    const place = methodPlace(account, false, 'pm_1');
    const { sealed, keyVersion } = await vault.seal(account, place, 'token');
    const other = await database.openAccount();
    await vault.seal(other, 'anything', 'x');
    for (const wrong of [methodPlace(account, false, 'pm_2'), methodPlace(account, true, 'pm_1'), '']) {
      await expect(vault.open(account, wrong, sealed, keyVersion)).rejects.toThrow('does not belong');
    }
    await expect(vault.open(other, place, sealed, keyVersion)).rejects.toThrow('does not belong');
  });

  it('does not open after a change of any byte, nor cut off', async () => {
    const { sealed, keyVersion } = await vault.seal(account, 'a row', 'token');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      await expect(vault.open(account, 'a row', changed, keyVersion)).rejects.toThrow('was changed');
    }
    for (const length of [0, 12, 20, sealed.length - 1]) {
      const cut = sealed.subarray(0, length);
      await expect(vault.open(account, 'a row', cut, keyVersion)).rejects.toThrow('was changed');
    }
  });

  it('needs a key that exists', async () => {
    const { sealed } = await vault.seal(account, 'a row', 'token');
    await expect(vault.open(account, 'a row', sealed, 7)).rejects.toThrow('no key of version 7');
  });
});

describe("an account's key", () => {
  it('is made once, however many seal first at the same time', async () => {
    const vaults = [vault, open(), open()];
    const sealed = await Promise.all(
      vaults.flatMap((one) =>
        Array.from({ length: 5 }, (_none, n) => one.seal(account, `row ${n}`, `secret ${n}`)),
      ),
    );
    expect(await versions(account)).toEqual([1]);
    const opened = await Promise.all(
      sealed.map((one, index) => open().open(account, `row ${index % 5}`, one.sealed, one.keyVersion)),
    );
    expect(opened).toEqual(sealed.map((_one, index) => `secret ${index % 5}`));
  });

  it('is looked up once, however many need it at the same time, and again after a failure', async () => {
    const { sealed, keyVersion } = await vault.seal(account, 'a row', 'token');
    let lookUps = 0;
    let isAway = true;
    const query: Database['query'] = (statement) => {
      lookUps += 1;
      return isAway ? Promise.reject(new Error('the database is away')) : database.db.query(statement);
    };
    const other = new Vault({ db: { ...database.db, query }, clock, randomBytes, masterKeys });
    const openMany = () =>
      Promise.allSettled(Array.from({ length: 48 }, () => other.open(account, 'a row', sealed, keyVersion)));
    expect(new Set((await openMany()).map(({ status }) => status))).toEqual(new Set(['rejected']));
    isAway = false;
    expect(await openMany()).toEqual(
      Array.from({ length: 48 }, () => ({ status: 'fulfilled', value: 'token' })),
    );
    expect(lookUps).toBe(2);
  });

  it('does not open where its row was copied to another account or version', async () => {
    const { sealed, keyVersion } = await vault.seal(account, 'a row', 'token');
    const other = await database.openAccount();
    await database.db.query({
      text: `insert into account_keys (account_id, version, master_key_id, wrapped, created_at)
             select $2, version, master_key_id, wrapped, created_at from account_keys where account_id = $1
             union all
             select account_id, 2, master_key_id, wrapped, created_at from account_keys where account_id = $1`,
      values: [account, other],
      scope: 'everybody',
    });
    await expect(open().open(other, 'a row', sealed, keyVersion)).rejects.toThrow('does not belong');
    await expect(open().open(account, 'a row', sealed, 2)).rejects.toThrow('does not belong');
  });

  it('that is new is used by another process within seconds, and the former one still opens', async () => {
    const former = await vault.seal(account, 'a row', 'old');
    expect(await open().addKey(account)).toBe(2);
    clock.move(keyCacheMs);
    expect((await vault.seal(account, 'a row', 'new')).keyVersion).toBe(2);
    expect(await vault.open(account, 'a row', former.sealed, former.keyVersion)).toBe('old');
  });
});

describe('a name', () => {
  it('is the same for the same text in every process, and another one for any other text or account', async () => {
    const name = await vault.name(account, 'token');
    expect(name).toHaveLength(32);
    expect(await open().name(account, 'token')).toEqual(name);
    expect(await vault.name(account, 'token2')).not.toEqual(name);
    expect(await vault.name(await database.openAccount(), 'token')).not.toEqual(name);
  });

  it('stays the same when the account gets a new key', async () => {
    const name = await vault.name(account, 'token');
    await vault.addKey(account);
    expect(await vault.name(account, 'token')).toEqual(name);
    expect(await open().name(account, 'token')).toEqual(name);
  });
});
