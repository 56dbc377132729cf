import type { SandboxDatabase } from './lib/dependencies.ts';

/**
 * How long a request with a known key gets the stored response, in milliseconds. Longer than either upstream
 * remembers a key.
 */
export const retentionMs = 60 * 86_400_000;

/** Maximum number of rows that one statement deletes, so that it does not hold many locks for long. */
const maxAtOnce = 5_000;

// A request without a status is still in progress.
const removeRequests = `
delete from sandbox.requests where ctid = any (array(
  select ctid from sandbox.requests where started_at < $1 and status is not null limit $2))
returning 1`;

// Keeps the notifications of refunds and failed captures: settlement reports read from them alone when a
// refund was sent or came back, and that a capture failed.
const removeNotifications = `
delete from sandbox.notifications where ctid = any (array(
  select ctid from sandbox.notifications where due_at < $1 and sent and id !~ '^(REFUND|CAPTURE_FAILED)' limit $2))
returning 1`;

/**
 * Deletes stored responses and accepted notifications that are too old to be needed. Charges, refunds and
 * disputes stay. The rows' times are those of their accounts, which are never behind real time.
 * @param before a point in real time
 * @returns the number of deleted rows; if it is not 0, there may be more to delete
 */
export async function removeOld(database: SandboxDatabase, before: Date): Promise<number> {
  let removed = 0;
  for (const sql of [removeRequests, removeNotifications]) {
    removed += (await database.query(sql, [before, maxAtOnce])).rows.length;
  }
  return removed;
}
