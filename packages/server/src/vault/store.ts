import { bytes, int, listOf, parametersOf, type RowOf, text, time, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { masterKeyLockClass } from '../store/instance.ts';
import type { Tenant } from '../store/tenant.ts';

const keysLock = 7_110_418;

/**
 * Takes a lock until the transaction ends: `alone` to change the master key in force, `shared` to wrap a key under it. Without
 * the lock, a key could be wrapped under a master key that is just being retired.
 */
export async function lockKeys(tx: Queryable, how: 'alone' | 'shared'): Promise<void> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await tx.query({ text: `select ${lock}($1)`, values: [keysLock], scope: 'anybody' });
}

/** The record of the master key in force, under which new keys are wrapped; empty before the first start. */
export function masterKeysOnRecord(db: Queryable): Promise<{ id: string; check_value: Buffer }[]> {
  return db.query({ text: 'select id, check_value from master_keys', scope: 'nobody' });
}

export const masterKeyColumns = { id: text, check_value: bytes, created_at: time } as const;

export async function insertMasterKey(
  db: Queryable,
  key: { id: string; checkValue: Buffer },
  now: Date,
): Promise<void> {
  await db.query({
    text: `insert into master_keys (${listOf(masterKeyColumns)}) values (${parametersOf(masterKeyColumns)})`,
    values: valuesOf(masterKeyColumns, { id: key.id, check_value: key.checkValue, created_at: now }),
    scope: 'nobody',
  });
}

export async function forgetMasterKeys(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from master_keys', scope: 'nobody' });
}

/** The sessions of running servers that have a master key, but not this one. */
export function serversWithout(
  db: Queryable,
  keyNumber: number,
): Promise<{ name: string; address: string | null }[]> {
  return db.query({
    text: `select a.application_name as name, host(a.client_addr) as address
           from pg_locks l join pg_stat_activity a using (pid)
           where l.locktype = 'advisory' and l.granted and l.classid = $1::int::oid
             and l.database = (select oid from pg_database where datname = current_database())
           group by a.pid, a.application_name, a.client_addr
           having not bool_or(l.objid = $2::int::oid) order by name, address`,
    values: [masterKeyLockClass, keyNumber],
    scope: 'everybody',
  });
}

/** Whether any key or secret is sealed under a master key other than these. */
export async function wrappedUnderOthers(db: Queryable, masterKeyIds: readonly string[]): Promise<boolean> {
  const rows = await db.query({
    text: `select 1 where exists (select account_id from account_keys where master_key_id <> all ($1::text[]))
             or exists (select user_id from user_totp where master_key_id <> all ($1::text[]))
             or exists (select name from cells where master_key_id <> all ($1::text[]))`,
    values: [masterKeyIds],
    scope: 'everybody',
  });
  return rows.length > 0;
}

const wrappedColumns = { account_id: text, version: int, master_key_id: text, wrapped: bytes } as const;
export const accountKeyColumns = { ...wrappedColumns, created_at: time } as const;

export type WrappedKey = RowOf<typeof wrappedColumns>;

export async function findWrappedKey(
  db: Queryable,
  accountId: string,
  version: number,
): Promise<WrappedKey | undefined> {
  const [row] = await db.query<WrappedKey>({
    name: 'find_account_key',
    text: `select ${listOf(wrappedColumns)} from account_keys
           where account_id = $1 and version = $2`,
    values: [accountId, version],
    scope: { accountId },
  });
  return row;
}

/** The version of the account's newest key; 0 if it has none yet. */
export async function newestVersion(db: Queryable, accountId: string): Promise<number> {
  const [row] = await db.query<{ version: number }>({
    name: 'newest_account_key',
    text: 'select coalesce(max(version), 0) as version from account_keys where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  return row?.version ?? 0;
}

/** Inserts a key, unless another process has just created this version. */
export async function insertWrappedKey(db: Queryable, key: WrappedKey, now: Date): Promise<void> {
  await db.query({
    text: `insert into account_keys (${listOf(accountKeyColumns)}) values (${parametersOf(accountKeyColumns)})
           on conflict (account_id, version) do nothing`,
    values: valuesOf(accountKeyColumns, { ...key, created_at: now }),
    scope: { accountId: key.account_id },
  });
}

/** Reads up to `max` account keys that are wrapped under other master keys than this one. */
export function takeWrappedUnderOthers(
  db: Queryable,
  masterKeyId: string,
  max: number,
): Promise<WrappedKey[]> {
  return db.query<WrappedKey>({
    text: `select account_id, version, master_key_id, wrapped from account_keys where master_key_id <> $1
           order by account_id, version limit $2`,
    values: [masterKeyId, max],
    scope: 'everybody',
  });
}

export async function updateWrappedKeys(db: Queryable, keys: readonly WrappedKey[]): Promise<void> {
  await db.query({
    text: `update account_keys k set master_key_id = i.master_key_id, wrapped = decode(i.wrapped, 'hex')
           from json_to_recordset($1::json) as i (account_id text, version int, master_key_id text, wrapped text)
           where k.account_id = i.account_id and k.version = i.version`,
    values: [JSON.stringify(keys.map((key) => ({ ...key, wrapped: key.wrapped.toString('hex') })))],
    scope: 'everybody',
  });
}

/** The ids of the accounts that have a key, sorted. */
export async function accountsWithKeys(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>({
    text: 'select distinct account_id from account_keys order by account_id',
    scope: 'everybody',
  });
  return rows.map((row) => row.account_id);
}

/** The tenants of these accounts, in both modes. */
export function tenantsOf(db: Queryable, accountIds: readonly string[]): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select tenant, account_id as "accountId", livemode from tenants where account_id = any ($1::text[])
           order by tenant`,
    values: [accountIds],
    scope: 'nobody',
  });
}

/** The secret of a user's authenticator, which is sealed with the master key, not with an account's key. */
export interface SealedTotp {
  readonly user_id: string;
  readonly master_key_id: string;
  readonly secret: Buffer;
}

/** Reads up to `max` authenticator secrets that are sealed under other master keys than this one. */
export function takeTotpUnderOthers(db: Queryable, masterKeyId: string, max: number): Promise<SealedTotp[]> {
  return db.query<SealedTotp>({
    text: `select user_id, master_key_id, secret from user_totp where master_key_id <> $1
           order by user_id limit $2 for update`,
    values: [masterKeyId, max],
    scope: 'everybody',
  });
}

export async function updateTotp(db: Queryable, rows: readonly SealedTotp[]): Promise<void> {
  await db.query({
    text: `update user_totp t set master_key_id = i.master_key_id, secret = decode(i.secret, 'hex')
           from json_to_recordset($1::json) as i (user_id text, master_key_id text, secret text)
           where t.user_id = i.user_id`,
    values: [JSON.stringify(rows.map((row) => ({ ...row, secret: row.secret.toString('hex') })))],
    scope: 'everybody',
  });
}

/** The address of a cell's database, which is sealed with the master key, not with an account's key. */
export interface SealedCell {
  readonly name: string;
  readonly master_key_id: string;
  readonly url: Buffer;
}

/** Reads the addresses of cells that are sealed under other master keys than this one. */
export function takeCellsUnderOthers(db: Queryable, masterKeyId: string): Promise<SealedCell[]> {
  return db.query<SealedCell>({
    text: 'select name, master_key_id, url from cells where master_key_id <> $1 order by name for update',
    values: [masterKeyId],
    scope: 'everybody',
  });
}

export async function updateCell(
  db: Queryable,
  { name, master_key_id: keyId, url }: SealedCell,
): Promise<void> {
  await db.query({
    text: 'update cells set url = $2, master_key_id = $3 where name = $1',
    values: [name, url, keyId],
    scope: 'everybody',
  });
}
