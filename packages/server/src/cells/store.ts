import { knownPrint } from '../accounts/known.ts';
import type { Activation, Environment } from '../accounts/store.ts';
import {
  bytes,
  listOf,
  nullable,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import { type Queryable, sqlState } from '../store/database.ts';
import type { TenantId } from '../store/tenant.ts';

/** The first cell: the database that `DATABASE_URL` names. */
export const home = 'home';

/** SQLSTATE of a foreign key violation: other rows still refer to this one. */
const stillReferred = '23503';

export type CellState = 'active' | 'draining';

export const cellColumns = {
  name: text,
  /** The encrypted URL; null for home. */
  url: nullable(bytes),
  master_key_id: nullable(text),
  state: oneOf<CellState>(),
  created_at: time,
} as const;

export type CellRow = RowOf<typeof cellColumns>;

/** Lists the cells: home first, then the others in the order in which they were added. */
export function listCells(db: Queryable): Promise<CellRow[]> {
  return db.query<CellRow>({
    name: 'list_cells',
    text: `select ${listOf(cellColumns)} from cells order by (name = '${home}') desc, created_at, name`,
    scope: 'nobody',
  });
}

export async function insertCell(db: Queryable, cell: CellRow): Promise<boolean> {
  const rows = await db.query({
    text: `insert into cells (${listOf(cellColumns)}) values (${parametersOf(cellColumns)})
           on conflict (name) do nothing returning name`,
    values: valuesOf(cellColumns, cell),
    scope: 'nobody',
  });
  return rows.length === 1;
}

/** @returns false if there is no such cell */
export async function setCellState(db: Queryable, name: string, state: CellState): Promise<boolean> {
  const rows = await db.query({
    text: 'update cells set state = $2 where name = $1 returning name',
    values: [name, state],
    scope: 'nobody',
  });
  return rows.length === 1;
}

/** @param url encrypted @returns false if there is no such cell */
export async function setCellAddress(
  db: Queryable,
  name: string,
  url: Buffer,
  masterKeyId: string,
): Promise<boolean> {
  const rows = await db.query({
    text: 'update cells set url = $2, master_key_id = $3 where name = $1 returning name',
    values: [name, url, masterKeyId],
    scope: 'nobody',
  });
  return rows.length === 1;
}

/** The accounts that the directory places in a cell, and those that are being moved to it or from it. */
export async function findPlacedIn(
  db: Queryable,
  cell: string,
): Promise<{ readonly accounts: readonly string[]; readonly moving: readonly string[] }> {
  const [row] = await db.query<{ accounts: string[]; moving: string[] }>({
    text: `select array(select account_id from account_cells where cell = $1 order by account_id) as accounts,
             array(select account_id from account_moves where $1 in (source, target) order by account_id) as moving`,
    values: [cell],
    scope: 'nobody',
  });
  if (row === undefined) throw new Error('a statement without a table gives one row');
  return row;
}

/** The accounts that the directory places outside home, without those that are being moved. */
export async function findPlacedElsewhere(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ account_id: string }>({
    text: `select account_id from account_cells c where cell <> '${home}'
             and not exists (select from account_moves m where m.account_id = c.account_id)`,
    scope: 'nobody',
  });
  return rows.map(({ account_id: id }) => id);
}

/** Removes accounts from the directory that exist in no database. */
export async function forgetAccounts(tx: Queryable, accounts: readonly string[]): Promise<void> {
  for (const table of ['cell_keys', 'account_cells']) {
    await tx.query({
      text: `delete from ${table} where account_id = any ($1)`,
      values: [accounts],
      scope: 'nobody',
    });
  }
}

/** Deletes a cell. @returns false if an account is placed there or is being moved to or from it */
export async function deleteCell(db: Queryable, name: string): Promise<boolean> {
  try {
    await db.query({ text: 'delete from cells where name = $1', values: [name], scope: 'nobody' });
    return true;
  } catch (error) {
    if (sqlState(error) === stillReferred) return false;
    throw error;
  }
}

/** Takes the next revision of the directory. The update serializes changes, so that a reader of one sees all earlier ones. */
export async function nextRevision(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ revision: number }>({
    text: `update cells set revision = revision + 1 where name = '${home}' returning revision`,
    scope: 'nobody',
  });
  if (row === undefined) throw new Error('the home database has no line of itself');
  return row.revision;
}

/** The data that home stores of an account in another cell. */
export interface AccountCopy {
  readonly account_id: string;
  readonly name: string;
  readonly processor: string;
  readonly environment: Environment;
  readonly activation: Activation;
  readonly time_zone: string;
}

/** Sets the cell of an account in the directory. */
export async function setCellOfAccount(
  tx: Queryable,
  account: AccountCopy & { readonly test_tenant: TenantId; readonly live_tenant: TenantId },
  cell: string,
): Promise<void> {
  await tx.query({
    text: `insert into account_cells as c (account_id, cell, test_tenant, live_tenant, name, processor, environment,
             activation, time_zone, revision)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           on conflict (account_id) do update set cell = excluded.cell, name = excluded.name,
             environment = excluded.environment, activation = excluded.activation, time_zone = excluded.time_zone,
             revision = excluded.revision`,
    values: [
      account.account_id,
      cell,
      account.test_tenant,
      account.live_tenant,
      account.name,
      account.processor,
      account.environment,
      account.activation,
      account.time_zone,
      await nextRevision(tx),
    ],
    scope: 'nobody',
  });
}

/** Enters the hashes of an account's API keys into the directory. */
export async function insertCellKeys(
  tx: Queryable,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.query({
    text: `insert into cell_keys (secret_sha256, account_id) select unnest($1::bytea[]), $2
           on conflict (secret_sha256) do nothing`,
    values: [hashes, accountId],
    scope: 'nobody',
  });
}

/** The account of a key, the account's cell, and the directory's revision of that entry. */
interface FoundKey {
  readonly accountId: string;
  readonly cell: string;
  readonly revision: number;
}

/** Looks keys up in the directory. The results have the order of the hashes; undefined for a key that is not listed. */
export async function findKeys(db: Queryable, hashes: readonly Buffer[]): Promise<(FoundKey | undefined)[]> {
  const rows = await db.query<FoundKey & { readonly hash: Buffer }>({
    name: 'find_cell_keys',
    text: `select k.secret_sha256 as hash, k.account_id as "accountId", c.cell, c.revision
           from cell_keys k join account_cells c using (account_id) where k.secret_sha256 = any ($1::bytea[])`,
    values: [hashes],
    scope: 'nobody',
  });
  const found = new Map(rows.map(({ hash, ...row }) => [hash.toString('hex'), row]));
  return hashes.map((hash) => found.get(hash.toString('hex')));
}

/** The cell of an account in the directory; undefined for an account that was always at home, or does not exist. */
export async function findCellOf(db: Queryable, accountId: string): Promise<string | undefined> {
  const [row] = await db.query<{ cell: string }>({
    name: 'find_cell_of',
    text: 'select cell from account_cells where account_id = $1',
    values: [accountId],
    scope: 'nobody',
  });
  return row?.cell;
}

/** Changes of the directory. */
export interface DirectoryChanges {
  readonly revision: number;
  readonly cells: number;
  /** Accounts whose requests have to wait. */
  readonly held: readonly string[];
  readonly moved: readonly { readonly account: string; readonly cell: string }[];
}

/** Reads the changes of the directory since a revision. */
export async function readChanges(db: Queryable, since: number): Promise<DirectoryChanges> {
  const [row] = await db.query<DirectoryChanges>({
    name: 'read_directory_changes',
    text: `select (select revision from cells where name = '${home}') as revision,
             (select count(*)::int from cells) as cells,
             (select coalesce(json_agg(account_id), '[]') from account_moves where is_held) as held,
             (select coalesce(json_agg(json_build_object('account', account_id, 'cell', cell)), '[]')
              from account_cells where revision > $1) as moved`,
    values: [since],
    scope: 'nobody',
  });
  if (row === undefined) throw new Error('a statement without a table gives one row');
  return row;
}

/** The number of accounts in the directory for each cell other than home, by name. */
export async function countAccounts(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ cell: string; count: number }>({
    text: 'select cell, count(*)::int as count from account_cells group by cell',
    scope: 'nobody',
  });
  return new Map(rows.map(({ cell, count }) => [cell, count]));
}

/** Claims the copying between home and a cell. @returns false if another process has just claimed it */
export async function claimCopying(
  db: Queryable,
  cell: string,
  now: Date,
  pauseMs: number,
): Promise<boolean> {
  const rows = await db.query({
    name: 'claim_copying',
    text: `update cells set copied_at = $2
           where name = $1 and (copied_at < $2::timestamptz - $3 * interval '1 millisecond' or copied_at > $2) returning name`,
    values: [cell, now, pauseMs],
    scope: 'nobody',
  });
  return rows.length === 1;
}

/** A fingerprint of the copies at home of a cell's accounts. */
export async function fingerprintOfAccounts(db: Queryable, cell: string): Promise<string> {
  const [row] = await db.query<{ print: string }>({
    name: 'fingerprint_of_account_copies',
    text: `select ${knownPrint('c')} from account_cells c where c.cell = $1`,
    values: [cell],
    scope: 'nobody',
  });
  return row?.print ?? '';
}

/** Updates the copies at home of a cell's accounts. @param accounts the result of `readKnown` in the cell */
export async function updateAccountCopies(db: Queryable, cell: string, accounts: string): Promise<void> {
  await db.query({
    text: `update account_cells c set name = a.name, environment = a.environment, activation = a.activation,
             time_zone = a.time_zone
           from json_to_recordset($2::json) as a (account_id text, name text, environment text, activation text, time_zone text)
           where c.cell = $1 and c.account_id = a.account_id`,
    values: [cell, accounts],
    scope: 'nobody',
  });
}
