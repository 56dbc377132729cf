import { cte, int, listOf, rowsOfJson } from '../store/columns.ts';
import { fencedAccount, isRefusedByData, type Queryable } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import { type LogEntry, logColumns } from './row.ts';

const columns = listOf(logColumns);
const inputColumns = { n: int, ...logColumns } as const;

/** Nobody waits for the disk: what a crash of PostgreSQL loses of the last moment is a log. */
const insertSql = `with asynchronous as (select set_config('synchronous_commit', 'off', true)),
  input as (
    select r.* from asynchronous cross join ${rowsOfJson(inputColumns)}),
  ${numbered('logged', 'request_logs', cte('input', inputColumns))}
  insert into request_logs (seq, ${columns}) select seq, ${columns} from logged`;

/**
 * Writes a batch in one statement. Where that is refused for its data, which may be of an account that is just being moved or of one
 * entry, the entries of each account are written for themselves, and of an account whose are refused in halves.
 * @returns how many were written
 * @throws what the database refused them with, where none was
 */
export async function insertEntries(db: Queryable, entries: readonly LogEntry[]): Promise<number> {
  try {
    await insertAll(db, entries);
    return entries.length;
  } catch (error) {
    const batches = isRefusedByData(error) ? apart(entries, fencedAccount(error) !== undefined) : [];
    let written = 0;
    for (const batch of batches) written += await insertEntries(db, batch).catch(() => 0);
    if (written === 0) throw error;
    return written;
  }
}

/** By account, or the two halves of one account's; nothing where none of them could be written either. */
function apart(entries: readonly LogEntry[], isMoving: boolean): LogEntry[][] {
  const tenants = [...new Set(entries.map(({ tenant }) => tenant))];
  if (tenants.length > 1) return tenants.map((one) => entries.filter(({ tenant }) => tenant === one));
  if (entries.length === 1 || isMoving) return [];
  const half = Math.ceil(entries.length / 2);
  return [entries.slice(0, half), entries.slice(half)];
}

async function insertAll(db: Queryable, entries: readonly LogEntry[]): Promise<void> {
  await db.query({
    name: 'insert_request_logs',
    text: insertSql,
    values: [JSON.stringify(entries.map((entry, n) => ({ n, ...entry })))],
    scope: entries,
  });
}
