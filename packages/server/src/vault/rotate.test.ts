import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkMasterKey, deriveMasterKeys } from './master-keys.ts';
import { endpointPlace, methodPlace, notificationPlace } from './places.ts';
import { rotateKeys } from './rotate.ts';
import { createTestDatabase, findTenant, TestClock, type TestDatabase } from './test-database.ts';
import { Vault } from './vault.ts';

const masterKeys = deriveMasterKeys(randomBytes(32), null);
let database: TestDatabase;
let clock: TestClock;
let account: string;
let server: Vault;

const open = () => new Vault({ db: database.db, clock, randomBytes, masterKeys });

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  clock = new TestClock();
  await checkMasterKey(database.db, masterKeys, clock.now());
  account = await database.openAccount();
  await addCustomer(account);
  server = open();
});
afterAll(() => database.drop());

const addCustomer = (accountId: string) =>
  database.db.query({
    text: `insert into customers (tenant, id, seq, email, email_folded, metadata, created_at)
           select tenant, 'cus_1', 1, 'a@shop.example', 'a@shop.example', '{}', $2
           from tenants where account_id = $1`,
    values: [accountId, clock.now()],
    scope: 'everybody',
  });

/** Saves a payment method like a server that has just sealed its token. */
async function save(accountId: string, livemode: boolean, id: string, token: string): Promise<void> {
  const { sealed, keyVersion } = await server.seal(accountId, methodPlace(accountId, livemode, id), token);
  const tenant = await findTenant(database.db, accountId, livemode);
  await database.db.query({
    text: `insert into payment_methods (tenant, id, customer_id, type, recurring_processing_model,
             provider, token, key_version, token_name, saved_by, created_at)
           values ($1, $2, 'cus_1', 'card', 'card_on_file', 'processor_b', $3, $4, $5, 'pay_1', $6)`,
    values: [tenant.tenant, id, sealed, keyVersion, await server.name(accountId, token), clock.now()],
    scope: tenant,
  });
}

interface Stored {
  id: string;
  livemode: boolean;
  token: Buffer;
  key_version: number;
}

const stored = (accountId: string) =>
  database.db.query<Stored>({
    text: `select id, livemode, token, key_version from payment_methods join tenants using (tenant)
           where account_id = $1 order by livemode, id`,
    values: [accountId],
    scope: 'everybody',
  });

const openedTokens = async (accountId: string, reader = open()) =>
  Promise.all(
    (await stored(accountId)).map((row) =>
      reader.open(accountId, methodPlace(accountId, row.livemode, row.id), row.token, row.key_version),
    ),
  );

const keyVersions = async (accountId: string) => [
  ...new Set((await stored(accountId)).map((row) => row.key_version)),
];

async function addEndpoint(secret: string): Promise<void> {
  await database.db.query({
    text: `insert into webhook_endpoints (account_id, id, url, secret, key_version, additional_events, status, created_at)
           values ($1, 'we_1', 'https://shop.example/hooks', '', 1, false, 'active', $2)`,
    values: [account, clock.now()],
    scope: 'everybody',
  });
  await setSecret(secret);
}

async function setSecret(secret: string): Promise<void> {
  const { sealed, keyVersion } = await server.seal(account, endpointPlace(account, 'we_1'), secret);
  await database.db.query({
    text: 'update webhook_endpoints set secret = $2, key_version = $3 where account_id = $1',
    values: [account, sealed, keyVersion],
    scope: 'everybody',
  });
}

async function endpointSecret(former: '' | 'previous_' = '') {
  const rows = await database.db.query<{ secret: Buffer; key_version: number }>({
    text: `select ${former}secret as secret, ${former}key_version as key_version from webhook_endpoints
           where account_id = $1`,
    values: [account],
    scope: 'everybody',
  });
  const { secret, key_version: keyVersion } = rows[0] ?? { secret: Buffer.alloc(0), key_version: 0 };
  const place = endpointPlace(account, 'we_1');
  return { keyVersion, secret: await open().open(account, place, secret, keyVersion) };
}

const processors = ['processor_a', 'processor_b'] as const;
const modes = [false, true] as const;

/** Stores, per processor and mode, a notification with this id, and an applied one, which has no content. */
async function receiveNotifications(id: string): Promise<void> {
  for (const processor of processors) {
    for (const livemode of modes) {
      const place = notificationPlace(account, livemode, processor, id);
      const { sealed, keyVersion } = await server.seal(account, place, `body ${place}`);
      const { tenant } = await findTenant(database.db, account, livemode);
      await database.db.query({
        text: `insert into processor_notifications (tenant, processor, id, type, body, key_version, state,
                 next_try_at, received_at, applied_at)
               values ($1, $2, $3, 'TEST', $4, $5, 'received', $6, $6, null),
                 ($1, $2, $3 || ' applied', 'TEST', null, null, 'applied', $6, $6, $6)`,
        values: [tenant, processor, id, sealed, keyVersion, clock.now()],
        scope: 'everybody',
      });
    }
  }
}

interface KeptNotification {
  id: string;
  livemode: boolean;
  processor: string;
  body: Buffer | null;
  key_version: number | null;
}

const keptNotifications = () =>
  database.db.query<KeptNotification>({
    text: `select id, livemode, processor, body, key_version from processor_notifications
           join tenants using (tenant) where account_id = $1
           order by processor, livemode, id`,
    values: [account],
    scope: 'everybody',
  });

const rotate = (accountIds: readonly string[] = [account]) =>
  rotateKeys({ db: database.db, clock, vault: open() }, accountIds);

describe('rotating an account’s key', () => {
  it('seals every row anew, in both modes, and leaves the secrets as they are', async () => {
    await save(account, false, 'pm_1', 'one');
    await save(account, false, 'pm_2', 'two');
    await save(account, true, 'pm_1', 'live');
    const former = await stored(account);
    expect(await rotate()).toBe(3);
    expect(await keyVersions(account)).toEqual([2]);
    expect(await openedTokens(account)).toEqual(['one', 'two', 'live']);
    const now = await stored(account);
    expect(now.some((row, n) => row.token.equals(former[n]?.token ?? row.token))).toBe(false);
  });

  it('seals the signing secrets of webhook endpoints anew as well, and those that they replaced', async () => {
    await addEndpoint('whsec_first');
    expect(await rotate()).toBe(1);
    expect(await endpointSecret()).toEqual({ keyVersion: 2, secret: 'whsec_first' });
    await database.db.query({
      text: 'update webhook_endpoints set previous_secret = secret, previous_key_version = key_version',
      scope: 'everybody',
    });
    expect(await rotate()).toBe(2);
    expect(await endpointSecret('previous_')).toEqual({ keyVersion: 3, secret: 'whsec_first' });
  });

  it('reseals notifications, on each processor and in each mode, and leaves what has no content', async () => {
    await receiveNotifications('n1');
    expect(await rotate()).toBe(4);
    for (const { id, livemode, processor, body, key_version: keyVersion } of await keptNotifications()) {
      const place = notificationPlace(account, livemode, processor, id);
      const text = body && keyVersion && (await open().open(account, place, body, keyVersion));
      expect([id, keyVersion, text]).toEqual(id === 'n1' ? [id, 2, `body ${place}`] : [id, null, null]);
    }
    expect(await keptNotifications()).toHaveLength(8);
    expect(await rotate()).toBe(4);
  });

  it('leaves a notification without content that was applied between reading and writing it', async () => {
    await receiveNotifications('n1');
    const vault = open();
    const openSealed = vault.open.bind(vault);
    vault.open = async (...call) => {
      const text = await openSealed(...call);
      await database.db.query({
        text: `update processor_notifications set state = 'applied', applied_at = $2, body = null, key_version = null
               where tenant in (select tenant from tenants where account_id = $1)`,
        values: [account, clock.now()],
        scope: 'everybody',
      });
      return text;
    };
    await rotateKeys({ db: database.db, clock, vault }, [account]);
    const kept = await keptNotifications();
    expect(kept.map(({ body, key_version: keyVersion }) => [body, keyVersion])).toEqual(
      Array.from({ length: 8 }, () => [null, null]),
    );
  });

  it('keeps a secret that is changed between reading and writing it', async () => {
    await addEndpoint('whsec_first');
    const vault = open();
    const openSealed = vault.open.bind(vault);
    let isRolled = false;
    vault.open = async (...call) => {
      const text = await openSealed(...call);
      if (!isRolled) await setSecret('whsec_rolled');
      isRolled = true;
      return text;
    };
    await rotateKeys({ db: database.db, clock, vault }, [account]);
    expect(await endpointSecret()).toEqual({ keyVersion: 2, secret: 'whsec_rolled' });
  });

  it('does more rows than fit one batch', async () => {
    const ids = Array.from({ length: 1_203 }, (_none, n) => `pm_${String(n).padStart(5, '0')}`);
    for (let at = 0; at < ids.length; at += 50) {
      await Promise.all(ids.slice(at, at + 50).map((id) => save(account, false, id, `token ${id}`)));
    }
    expect(await rotate()).toBe(1_203);
    expect(await keyVersions(account)).toEqual([2]);
    expect(await openedTokens(account)).toEqual(ids.map((id) => `token ${id}`));
  });

  it('does again what servers that do not know the new key yet seal meanwhile', async () => {
    await save(account, false, 'pm_1', 'before');
    clock.whileWaiting = () => save(account, false, 'pm_2', 'meanwhile');
    expect(await rotate()).toBe(2);
    expect(await keyVersions(account)).toEqual([2]);
    expect(await openedTokens(account)).toEqual(['before', 'meanwhile']);
  });

  it('reports a number of rows that never falls, and ends with their total', async () => {
    await save(account, false, 'pm_1', 'before');
    await save(account, true, 'pm_1', 'before');
    clock.whileWaiting = () => save(account, false, 'pm_2', 'meanwhile');
    const reported: number[] = [];
    const onRows = (rows: number) => reported.push(rows);
    expect(await rotateKeys({ db: database.db, clock, vault: open(), onRows }, [account])).toBe(3);
    expect(reported).toEqual(reported.toSorted((one, other) => one - other));
    expect(reported.at(-1)).toBe(3);
  });

  it('loses nothing while others save and remove', async () => {
    const saving = Array.from({ length: 60 }, (_none, n) => `pm_${String(n).padStart(3, '0')}`);
    await save(account, false, 'pm_first', 'first');
    await Promise.all([
      rotate(),
      (async () => {
        for (const id of saving) await save(account, false, id, `token ${id}`);
      })(),
    ]);
    await rotate();
    expect(await keyVersions(account)).toEqual([3]);
    expect(await openedTokens(account)).toEqual([...saving.map((id) => `token ${id}`), 'first']);
  });

  it('twice at the same time ends like one after the other', async () => {
    for (const n of [1, 2, 3]) await save(account, false, `pm_${n}`, `token ${n}`);
    await Promise.all([rotate(), rotate()]);
    expect(await openedTokens(account)).toEqual(['token 1', 'token 2', 'token 3']);
    expect(Math.min(...(await keyVersions(account)))).toBeGreaterThanOrEqual(2);
  });

  it('leaves other accounts alone', async () => {
    const other = await database.openAccount();
    await addCustomer(other);
    await save(other, false, 'pm_1', 'theirs');
    await save(account, false, 'pm_1', 'ours');
    expect(await rotate()).toBe(1);
    expect(await keyVersions(other)).toEqual([1]);
    expect(await openedTokens(other)).toEqual(['theirs']);
  });

  it('stops at a row that was swapped with another one, and names its place', async () => {
    await save(account, false, 'pm_1', 'one');
    await save(account, false, 'pm_2', 'two');
    await database.db.query({
      text: `update payment_methods m set token = o.token from payment_methods o
             where m.tenant = $1 and o.tenant = $1 and o.id <> m.id`,
      values: [(await findTenant(database.db, account)).tenant],
      scope: 'everybody',
    });
    await expect(rotate()).rejects.toThrow(methodPlace(account, false, 'pm_'));
  });

  it('has nothing to do for nobody', async () => {
    expect(await rotate([])).toBe(0);
  });
});
