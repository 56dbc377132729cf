import type { Queryable } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import type { LogEntry } from './entry.ts';

const columns = `account_id, livemode, id, at, method, route, path, query, status, code, duration_ms, key_id, ip,
  idempotency_hash, idempotency_hint, replayed, payment_id, refund_id, customer_id, request_body, request_note,
  request_bytes, answer_body, answer_note, answer_bytes, warnings`;

/** Nobody waits for the disk: what a crash of PostgreSQL loses of the last moment is a log. */
const insertSql = `with unhurried as (select set_config('synchronous_commit', 'off', true)),
  input as (
    select r.* from unhurried cross join json_to_recordset($1::json) as r (n int, account_id text, livemode boolean,
      id text, at timestamptz, method text, route text, path text, query text, status int, code text, duration_ms int,
      key_id text, ip text, idempotency_hash text, idempotency_hint text, replayed boolean, payment_id text,
      refund_id text, customer_id text, request_body text, request_note text, request_bytes int, answer_body text,
      answer_note text, answer_bytes int, warnings text)),
  ${numbered('logged', 'request_logs', 'input')}
  insert into request_logs (seq, ${columns}) select seq, ${columns} from logged`;

/** Writes a batch in one statement. */
export async function insertEntries(db: Queryable, entries: readonly LogEntry[]): Promise<void> {
  await db.query({
    name: 'insert_request_logs',
    text: insertSql,
    values: [JSON.stringify(entries.map((entry, n) => ({ n, ...entry })))],
    scope: entries,
  });
}
