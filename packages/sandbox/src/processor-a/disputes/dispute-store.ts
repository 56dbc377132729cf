import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import type { PlannedNotification } from '../../outbox/outbox.ts';
import { notificationId } from '../notifications/notification-items.ts';
import type { Dispute } from './dispute.ts';
import { stepNotification } from './dispute-events.ts';

/** A dispute as read from the database. The version detects concurrent changes. */
export interface FoundDispute {
  readonly merchantAccount: string;
  readonly upstreamId: string;
  readonly version: number;
  readonly dispute: Dispute;
}

const findSql = `
select version, state from sandbox.disputes
where processor = 'processor_a' and merchant_account = $1 and upstream_id = $2`;

export async function findDispute(
  database: SandboxDatabase,
  merchantAccount: string,
  upstreamId: string,
): Promise<FoundDispute | null> {
  const { rows } = await database.query(findSql, [merchantAccount, upstreamId]);
  if (rows.length === 0) return null;
  const { version, state } = columnsOf(rows[0]);
  return { merchantAccount, upstreamId, version: Number(version), dispute: state as Dispute };
}

const planning = (rows: string, allowed: string): string => `
  insert into sandbox.notifications as known (processor, merchant_account, id, due_at, body)
  select processor, "merchantAccount", id, "dueAt", body
  from json_to_recordset(${rows}::json) as r
    (processor text, "merchantAccount" text, id text, "dueAt" timestamptz, body text)
  where exists (select from ${allowed})
  on conflict (processor, merchant_account, id) do update
    set due_at = excluded.due_at, body = excluded.body
    where not known.sent`;

const openSql = `
with opened as (
  insert into sandbox.disputes
    (merchant_account, upstream_id, processor, payment_reference, version, state, created_at)
  values ($1, $2, 'processor_a', $3, 1, $4, $5)
  returning upstream_id
), planned as (${planning('$6', 'opened')})
select upstream_id from opened`;

// The deleted notifications must not include those planned again: one statement cannot delete and insert the
// same row.
const changeSql = `
with changed as (
  update sandbox.disputes set version = version + 1, state = $4
  where processor = 'processor_a' and merchant_account = $1 and upstream_id = $2 and version = $3
  returning upstream_id
), forgotten as (
  delete from sandbox.notifications
  where processor = 'processor_a' and merchant_account = $1 and id = any($5) and not sent
    and exists (select from changed)
), planned as (${planning('$6', 'changed')})
select upstream_id from changed`;

function notificationsOf(
  merchantAccount: string,
  upstreamId: string,
  dispute: Dispute,
  known: ReadonlySet<string>,
): readonly PlannedNotification[] {
  return dispute.steps.flatMap(({ eventCode, ...step }) =>
    eventCode === null || known.has(`${eventCode} ${step.at}`)
      ? []
      : stepNotification(merchantAccount, upstreamId, dispute, { ...step, eventCode }),
  );
}

/** Stores a new dispute and plans the notifications of its steps. */
export async function insertDispute(
  database: SandboxDatabase,
  merchantAccount: string,
  upstreamId: string,
  dispute: Dispute,
  now: Date,
): Promise<void> {
  const notifications = notificationsOf(merchantAccount, upstreamId, dispute, new Set());
  await database.query(openSql, [
    merchantAccount,
    upstreamId,
    dispute.reference,
    JSON.stringify(dispute),
    now,
    JSON.stringify(notifications),
  ]);
}

/**
 * Replaces a dispute and the notifications of the steps that changed.
 * @returns false if the dispute was changed concurrently
 */
export async function replaceDispute(
  database: SandboxDatabase,
  { merchantAccount, upstreamId, version, dispute: before }: FoundDispute,
  after: Dispute,
): Promise<boolean> {
  const known = new Set(before.steps.map(({ eventCode, at }) => `${eventCode} ${at}`));
  const notifications = notificationsOf(merchantAccount, upstreamId, after, known);
  const remaining = new Set(after.steps.map(({ eventCode }) => eventCode));
  const forgotten = before.steps.flatMap(({ eventCode }) =>
    eventCode === null || remaining.has(eventCode) ? [] : notificationId(eventCode, upstreamId, true),
  );
  const { rows } = await database.query(changeSql, [
    merchantAccount,
    upstreamId,
    version,
    JSON.stringify(after),
    forgotten,
    JSON.stringify(notifications),
  ]);
  return rows.length === 1;
}
