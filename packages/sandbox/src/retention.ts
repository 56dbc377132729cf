import type { SandboxDatabase } from './lib/dependencies.ts';

/** How long repeats of a request are answered as it was, in milliseconds: longer than either upstream remembers a key. */
export const retentionMs = 60 * 86_400_000;

/** Rows of one statement, so that none locks many for long. */
const maxAtOnce = 5_000;

// A request without a status is still being worked on.
const removeRequests = `
delete from sandbox.requests where ctid = any (array(
  select ctid from sandbox.requests where started_at < $1 and status is not null limit $2))
returning 1`;

// When a refund went back or came back, and that a capture failed, stands in notifications alone, for the reports of payouts.
const removeNotifications = `
delete from sandbox.notifications where ctid = any (array(
  select ctid from sandbox.notifications where due_at < $1 and sent and id !~ '^(REFUND|CAPTURE_FAILED)' limit $2))
returning 1`;

/**
 * Removes answers for repeats, and notifications that were accepted, which are so old that nobody needs them; charges, refunds and
 * disputes stay. Times of accounts are never behind real time.
 * @param before real time @returns how many rows; there may be more where it is not 0
 */
export async function removeOld(database: SandboxDatabase, before: Date): Promise<number> {
  let removed = 0;
  for (const sql of [removeRequests, removeNotifications]) {
    removed += (await database.query(sql, [before, maxAtOnce])).rows.length;
  }
  return removed;
}
