import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdInstance } from '../store/instance.ts';
import {
  checkMasterKey,
  deriveMasterKeys,
  keysOf,
  MasterKeyError,
  type MasterKeys,
  numberOf,
} from './master-keys.ts';
import { rewrapKeys, ServerWithoutKeyError } from './rewrap.ts';
import { createTestDatabase, TestClock, type TestDatabase } from './test-database.ts';
import { Vault } from './vault.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const before = deriveMasterKeys(oldKey, null);
const changing = deriveMasterKeys(newKey, oldKey);
const prepared = deriveMasterKeys(oldKey, newKey);
const after = deriveMasterKeys(newKey, null);
const foreign = deriveMasterKeys(randomBytes(32), randomBytes(32));

const clock = new TestClock();
let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const check = (keys: MasterKeys) => checkMasterKey(database.db, keys, clock.now());
const vaultWith = (masterKeys: MasterKeys) => new Vault({ db: database.db, clock, randomBytes, masterKeys });
const rewrap = (masterKeys: MasterKeys) => rewrapKeys({ db: database.db, clock, randomBytes, masterKeys });

describe('the check at start', () => {
  it('records the key of the first start and accepts it ever after', async () => {
    await check(before);
    await check(before);
    await check(changing);
    await check(prepared);
  });

  it('refuses any other key, and says where to look', async () => {
    await check(before);
    for (const keys of [foreign, after]) {
      await expect(check(keys)).rejects.toThrow(MasterKeyError);
      await expect(check(keys)).rejects.toThrow(/TILL_MASTER_KEY.*backup/);
    }
  });

  it('lets one of two servers with different keys own an empty database', async () => {
    const starts = await Promise.allSettled([before, after].map(check));
    expect(starts.map((start) => start.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses a record that was made with another key under the same name', async () => {
    await check(before);
    await database.db.query({
      text: `update master_keys set check_value = sha256('other')`,
      scope: 'everybody',
    });
    await expect(check(before)).rejects.toThrow(MasterKeyError);
  });

  it('refuses where an account’s key is wrapped by a master key that is not configured', async () => {
    await check(before);
    await vaultWith(before).addKey(await database.openAccount());
    await database.db.query({
      text: `update account_keys set master_key_id = 'lost'`,
      scope: 'everybody',
    });
    await expect(check(changing)).rejects.toThrow(MasterKeyError);
  });
});

describe('changing the master key', () => {
  it('keeps everything readable for servers with both keys before, during and after', async () => {
    await check(before);
    const account = await database.openAccount();
    const { sealed, keyVersion } = await vaultWith(before).seal(account, 'a row', 'token');
    const name = await vaultWith(before).name(account, 'token');
    const readable = async (keys: MasterKeys) => {
      await check(keys);
      expect(await vaultWith(keys).open(account, 'a row', sealed, keyVersion)).toBe('token');
      expect(await vaultWith(keys).name(account, 'token')).toEqual(name);
    };
    for (const keys of [before, prepared, changing]) await readable(keys);
    await rewrap(changing);
    for (const keys of [prepared, changing, after]) await readable(keys);
    await expect(check(before)).rejects.toThrow(MasterKeyError);
    await expect(vaultWith(before).open(account, 'a row', sealed, keyVersion)).rejects.toThrow(
      MasterKeyError,
    );
  });

  it('wraps every key anew, once', async () => {
    await check(before);
    const accounts = await Promise.all(Array.from({ length: 4 }, () => database.openAccount()));
    for (const account of accounts) await vaultWith(before).addKey(account);
    expect(await rewrap(changing)).toBe(4);
    expect(await rewrap(changing)).toBe(0);
  });

  it('leaves no key under the old one, however many are made meanwhile by servers with both', async () => {
    await check(before);
    const accounts = await Promise.all(Array.from({ length: 12 }, () => database.openAccount()));
    const [sealed] = await Promise.all([
      Promise.all(
        accounts.map((account, n) => vaultWith(n % 2 ? changing : prepared).seal(account, 'row', 'token')),
      ),
      rewrap(changing),
    ]);
    await check(after);
    for (const [n, account] of accounts.entries()) {
      const one = sealed[n];
      expect(await vaultWith(after).open(account, 'row', one?.sealed ?? Buffer.alloc(0), 1)).toBe('token');
    }
  });

  it('is all or nothing: a key that neither opens leaves everything as it was', async () => {
    await check(before);
    const good = await database.openAccount();
    const lost = await database.openAccount();
    const { sealed } = await vaultWith(before).seal(good, 'row', 'token');
    await vaultWith(before).addKey(lost);
    await database.db.query({
      text: `update account_keys set master_key_id = 'lost' where account_id = $1`,
      values: [lost],
      scope: 'everybody',
    });
    await expect(rewrap(changing)).rejects.toThrow(MasterKeyError);
    expect(await vaultWith(before).open(good, 'row', sealed, 1)).toBe('token');
  });

  it('is refused while a server runs that has the old key alone, and changes nothing', async () => {
    await check(before);
    const account = await database.openAccount();
    const { sealed } = await vaultWith(before).seal(account, 'row', 'token');
    const serverWith = (number: number, masterKeys: readonly number[]) =>
      holdInstance(database.db, { number, masterKeys, exclusive: false, clock, onLost: () => {} });
    const others = [
      await serverWith(2, keysOf(prepared).map(numberOf)),
      await serverWith(3, keysOf(changing).map(numberOf)),
      // A process without master keys, which opens no secret.
      await serverWith(4, []),
    ];
    const old = await serverWith(1, keysOf(before).map(numberOf));
    await expect(rewrap(changing)).rejects.toThrow(ServerWithoutKeyError);
    await check(before);
    expect(await vaultWith(before).open(account, 'row', sealed, 1)).toBe('token');
    old.release();
    await expect.poll(() => rewrap(changing).catch(() => 'refused')).toBe(1);
    for (const other of others) other.release();
  });

  it('can be taken back', async () => {
    await check(before);
    const account = await database.openAccount();
    const { sealed } = await vaultWith(before).seal(account, 'row', 'token');
    await rewrap(changing);
    await rewrap(prepared);
    await check(before);
    expect(await vaultWith(before).open(account, 'row', sealed, 1)).toBe('token');
  });
});
