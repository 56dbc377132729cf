import { fingerprintOfKnown, readKnown } from '../accounts/known.ts';
import type { Database, Queryable } from '../store/database.ts';
import {
  fingerprintOfCopies,
  fingerprintOfPeople,
  readPeople,
  replaceCopies,
} from '../users/people/copies.ts';
import { claimCopying, fingerprintOfAccounts, updateAccountCopies } from './store.ts';

/** Tables that home writes in the commits of users' changes, and whose rows belong into the cell of the account. */
const outboxes = ['audit_log', 'mails'] as const;
const batchSize = 200;
const intervalMs = 2_000;

export interface Copying {
  /** The home database. */
  readonly home: Database;
  /** The name of the cell. */
  readonly name: string;
  readonly cell: Database;
}

/**
 * Copies data between home and a cell: users of the cell's accounts to the cell, and the accounts' names and settings to home.
 * Entries of the audit log and mails that home wrote for such accounts move into the cell, exactly once even after a crash.
 * @param now real time
 * @returns false if another process has just done it
 */
export async function copyBetween(copying: Copying, now: Date): Promise<boolean> {
  const { home, name, cell } = copying;
  if (!(await claimCopying(home, name, now, intervalMs / 2))) return false;
  if ((await fingerprintOfKnown(cell)) !== (await fingerprintOfAccounts(home, name))) {
    await updateAccountCopies(home, name, await readKnown(cell));
  }
  const before = await fingerprintOfCopies(cell);
  if ((await fingerprintOfPeople(home, name)) !== before) {
    await replaceCopies(cell, before, await readPeople(home, name));
  }
  for (const outbox of outboxes) while (await forwardSome(copying, outbox));
  return true;
}

export { intervalMs as copyIntervalMs };

/** Moves one batch of rows from home's outbox to the cell. @returns whether there may be more */
async function forwardSome(
  { home, name, cell }: Copying,
  table: (typeof outboxes)[number],
): Promise<boolean> {
  const [found] = await home.query<{ rows: string | null; keys: string; count: number }>({
    name: `read_outbox_${table}`,
    text: `with found as materialized (
             select o.*, o.xmin::text as seen from account_cells c join ${table} o using (account_id)
             where c.cell = $1 limit ${batchSize})
           select json_agg(f)::text as rows, count(*)::int as count,
             json_agg(json_build_object('account_id', f.account_id, 'id', f.id, 'seen', f.seen))::text as keys from found f`,
    values: [name],
    scope: 'everybody',
  });
  if (found === undefined || found.rows === null) return false;
  await insertForwarded(cell, table, found.rows);
  // A row stays if it was written again meanwhile (xmin has changed): it came home together with its account.
  await home.query({
    name: `empty_outbox_${table}`,
    text: `delete from ${table} o using json_to_recordset($1::json) as k (account_id text, id text, seen text)
           where o.account_id = k.account_id and o.id = k.id and o.xmin::text = k.seen`,
    values: [found.keys],
    scope: 'everybody',
  });
  return found.count === batchSize;
}

async function insertForwarded(
  cell: Queryable,
  table: (typeof outboxes)[number],
  rows: string,
): Promise<void> {
  await cell.query({
    name: `insert_forwarded_${table}`,
    text: `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json) on conflict do nothing`,
    values: [rows],
    scope: 'everybody',
  });
}
