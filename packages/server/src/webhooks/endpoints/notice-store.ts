import { type DueRows, dueTenants } from '../../jobs/due-tenants.ts';
import { listOf } from '../../store/columns.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { type EndpointRow, endpointColumns } from './store.ts';

/** What a mail to the owners of an endpoint is about. */
export type Notice = 'failing' | 'paused';

export type NoticeRow = EndpointRow & { readonly notice_due: Notice };

const columns = `${listOf(endpointColumns)}, notice_due`;

const unsentNotices: DueRows = {
  name: 'accounts_with_unsent_webhook_notices',
  table: 'webhook_endpoints',
  where: 'd.notice_due is not null',
  dueAt: 'coalesce(d.notice_mail_at, d.created_at)',
  bothModes: true,
};

/** The accounts that have endpoints with an unsent notice to their owners. */
export const accountsWithUnsentNotices = (db: Database) => dueTenants(db, unsentNotices);

/** Claims such endpoints of an account. If a mail cannot be written, its endpoint is due again later. @param now real time */
export async function takeUnsentNotices(
  db: Database,
  accountId: string,
  options: { readonly now: Date; readonly again: Date; readonly max: number },
): Promise<NoticeRow[]> {
  return db.query<NoticeRow>({
    name: 'take_unsent_webhook_notices',
    text: `with due as materialized (
             select id as due_id from webhook_endpoints
             where account_id = $1 and notice_due is not null and coalesce(notice_mail_at, created_at) <= $2
             order by id limit $4 for update skip locked)
           update webhook_endpoints set notice_mail_at = $3 from due
           where account_id = $1 and id = due_id returning ${columns}`,
    values: [accountId, options.now, options.again, options.max],
    scope: { accountId },
  });
}

/** Marks a notice as sent. If a different notice has become due meanwhile, that one stays due. */
export async function markNoticeSent(
  db: Queryable,
  { account_id: accountId, id, notice_due: notice }: NoticeRow,
): Promise<void> {
  await db.query({
    text: `update webhook_endpoints set notice_due = null, notice_mail_at = null
           where account_id = $1 and id = $2 and notice_due = $3`,
    values: [accountId, id, notice],
    scope: { accountId },
  });
}

/** Failures are counted among the attempts of this many hours, for at most this many of the latest deliveries. */
const spanHours = 1;
const countedDeliveries = 200;
/** Fewer attempts prove nothing. */
const minAttempts = 10;
const alertShare = 0.5;

const counted = `select count(*) as attempted,
    count(*) filter (where a.answer_status is null or a.answer_status not between 200 and 299) as failed
  from (
    select a.answer_status, a.at from delivery_attempts a
    where a.account_id = e.account_id and a.endpoint_id = e.id and a.url = e.url and a.at > $1::timestamptz - interval '${spanHours} hours'
    order by a.delivery_id desc limit ${countedDeliveries}) a`;

/**
 * Makes a notice due for each endpoint at which half of the attempts or more failed within an hour, and then not again
 * until an hour passes without a failure. Reads only endpoints that failed within the hour, and a bounded number of
 * attempts of each.
 * @param now real time
 */
export async function noteFailing(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'note_failing_webhook_endpoints',
    text: `with quiet as (
             update webhook_endpoints set last_failure_at = null, alerted_at = null
             where last_failure_at <= $1::timestamptz - interval '${spanHours} hours'),
           troubled as materialized (
             select e.account_id, e.id from webhook_endpoints e
             cross join lateral (${counted}) c
             where e.last_failure_at > $1::timestamptz - interval '${spanHours} hours' and e.alerted_at is null
               and e.status = 'active' and e.deleted_at is null
               and c.attempted >= ${minAttempts} and c.failed >= ${alertShare} * c.attempted)
           update webhook_endpoints e set notice_due = 'failing', notice_mail_at = null, alerted_at = $1 from troubled t
           where e.account_id = t.account_id and e.id = t.id and e.alerted_at is null and e.notice_due is null`,
    values: [now],
    scope: 'everybody',
  });
}
