import { tenantsWithTime } from '../../accounts/sql.ts';
import { backoff, type DueRows, dueTenants } from '../../jobs/due-tenants.ts';
import { isOperationOpen } from '../../operations/sql.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DisputeRow } from '../present.ts';
import { shownColumns, withPayment } from '../store.ts';

const dueAt = 'greatest(d.respond_by, d.sweep_try_at)';
const unanswered: DueRows = {
  name: 'tenants_with_overdue_disputes',
  table: 'disputes',
  where: `d.status = 'action_required'`,
  dueAt,
  accountTime: true,
};
const toRemindOf: DueRows = {
  name: 'tenants_with_disputes_to_remind_of',
  table: 'disputes',
  where: `d.status = 'action_required' and d.reminders < 2`,
  dueAt: 'd.respond_by',
  accountTime: true,
  ahead: `interval '72 hours'`,
};

/** The tenants with disputes that nobody answered in time. */
export const tenantsWithOverdueDisputes = (db: Database) => dueTenants(db, unanswered);

/** The tenants with disputes within 72 hours of their deadline that have not had all reminders. */
export const tenantsWithDisputesToRemindOf = (db: Database) => dueTenants(db, toRemindOf);

interface Options {
  /** Real time. */
  readonly now: Date;
  readonly max: number;
}

/**
 * SQL that takes a tenant's due disputes. Counts each try before it is made, so that the backoff grows if it fails. A try more
 * than two hours ago was for something else, such as an earlier reminder, and does not count.
 */
const taking = (condition: string, order: string) => `with due as materialized (
    select d.id as due_id, t.account_now, ${isOperationOpen('d')} as is_busy
    from ${tenantsWithTime('$2')}
    join disputes d on d.tenant = o.tenant
    where o.tenant = $1 and d.status = 'action_required' and ${condition}
    order by ${order} limit $3 for update of d skip locked),
  tried as (
    update disputes d set sweep_try_at = due.account_now + ${backoff('case when due.is_busy then 0 else d.sweep_tries end')},
      sweep_tries = case when due.is_busy then d.sweep_tries
        when d.sweep_try_at > due.account_now - interval '2 hours' then d.sweep_tries + 1 else 1 end
    from due where d.tenant = $1 and d.id = due.due_id
    returning d.*)
  select ${shownColumns} from tried d ${withPayment}`;

/** Takes disputes of a tenant that nobody answered in time. A try does not count while an operation is in flight. */
export async function takeOverdueDisputes(
  db: Queryable,
  { tenant }: Tenant,
  { now, max }: Options,
): Promise<DisputeRow[]> {
  return db.query<DisputeRow>({
    name: 'take_overdue_disputes',
    text: taking(`${dueAt} <= t.account_now`, dueAt),
    values: [tenant, now, max],
    scope: { tenant },
  });
}

const remindersDue = `d.respond_by > t.account_now and (d.sweep_try_at is null or d.sweep_try_at <= t.account_now)
  and ((d.reminders = 0 and d.respond_by <= t.account_now + interval '72 hours'
        and (d.action_since is null or d.action_since < d.respond_by - interval '72 hours'))
    or (d.reminders <= 1 and d.respond_by <= t.account_now + interval '24 hours'
        and (d.action_since is null or d.action_since < d.respond_by - interval '24 hours')))`;

/** Takes disputes of a tenant that are due for their next reminder. */
export async function takeDisputesToRemindOf(
  db: Queryable,
  { tenant }: Tenant,
  { now, max }: Options,
): Promise<DisputeRow[]> {
  return db.query<DisputeRow>({
    name: 'take_disputes_to_remind_of',
    text: taking(remindersDue, 'd.respond_by'),
    values: [tenant, now, max],
    scope: { tenant },
  });
}
