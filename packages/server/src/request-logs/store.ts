import { cte, int, listOf, rowsOfJson } from '../store/columns.ts';
import { isRefusedByData, type Queryable } from '../store/database.ts';
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

/** Writes a batch in one statement; where one account's are refused, which is just being moved, those of each for themselves. */
export async function insertEntries(db: Queryable, entries: readonly LogEntry[]): Promise<void> {
  try {
    await insertAll(db, entries);
  } catch (error) {
    const tenants = new Set(entries.map(({ tenant }) => tenant));
    if (tenants.size === 1 || !isRefusedByData(error)) throw error;
    const all = await Promise.allSettled(
      [...tenants].map((one) =>
        insertAll(
          db,
          entries.filter(({ tenant }) => tenant === one),
        ),
      ),
    );
    if (all.every(({ status }) => status === 'rejected')) throw error;
  }
}

async function insertAll(db: Queryable, entries: readonly LogEntry[]): Promise<void> {
  await db.query({
    name: 'insert_request_logs',
    text: insertSql,
    values: [JSON.stringify(entries.map((entry, n) => ({ n, ...entry })))],
    scope: entries,
  });
}
