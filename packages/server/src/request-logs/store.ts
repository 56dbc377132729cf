import { cte, int, listOf, rowsOfJson } from '../store/columns.ts';
import { fencedAccount, isRefusedByData, type Queryable } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import { type LogEntry, logColumns } from './row.ts';

const columns = listOf(logColumns);
const inputColumns = { n: int, ...logColumns } as const;

/** Commits asynchronously, without waiting for the disk. A crash of PostgreSQL may lose the latest rows, which are only a log. */
const insertSql = `with asynchronous as (select set_config('synchronous_commit', 'off', true)),
  input as (
    select r.* from asynchronous cross join ${rowsOfJson(inputColumns)}),
  ${numbered('logged', 'request_logs', cte('input', inputColumns))}
  insert into request_logs (seq, ${columns}) select seq, ${columns} from logged`;

/**
 * Writes a batch in one statement. If the database refuses it because of its data (an account that is being moved, or one bad
 * entry), retries with one batch for each tenant, and then with halves of a tenant's batch.
 * @returns the number of entries written
 * @throws the database's error if it could write none
 */
export async function insertEntries(db: Queryable, entries: readonly LogEntry[]): Promise<number> {
  try {
    await insertAll(db, entries);
    return entries.length;
  } catch (error) {
    const batches = isRefusedByData(error) ? splitBatch(entries, fencedAccount(error) !== undefined) : [];
    let written = 0;
    for (const batch of batches) written += await insertEntries(db, batch).catch(() => 0);
    if (written === 0) throw error;
    return written;
  }
}

/**
 * Splits a refused batch by tenant, or one tenant's batch into halves.
 * @returns no batches if none of them could be written either
 */
function splitBatch(entries: readonly LogEntry[], isMoving: boolean): LogEntry[][] {
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
