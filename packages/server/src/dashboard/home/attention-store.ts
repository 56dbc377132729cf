import { type Attention, attentionLimits } from '@till/contract/dashboard';
import { isUnresolved } from '../../refunds/failed-refunds.ts';
import type { Queryable } from '../../store/database.ts';
import type { Scope } from '../../store/scope.ts';
import type { Tenant } from '../../store/tenant.ts';

/** The first few of what was found, and how many there are. */
export interface Some<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

type Kind<Name extends keyof Attention> = NonNullable<Attention[Name]>['data'][number];
/** An item as the database gives it: its times are dates. */
type Dated<T, Times extends keyof T> = Omit<T, Times> & {
  readonly [Name in Times]: Date | Extract<T[Name], null>;
};

export type DueDispute = Dated<Kind<'disputes'>, 'respond_by'>;
export type OpenAlert = Dated<Kind<'alerts'>, 'created_at'>;
export type EndingHold = Dated<Kind<'holds'>, 'authorization_expires'>;
export type EndingGuarantee = Dated<Kind<'guarantees'>, 'authorization_guaranteed_until'>;
export type FailedRefund = Dated<Kind<'failed_refunds'>, 'created_at'>;
export type TroubledEndpoint = Dated<NonNullable<Attention['endpoints']>['data'][number], 'failing_since'>;
export type StuckRefund = Dated<Kind<'refunds'>, 'created_at'>;
export type DoubtfulOperation = Dated<Kind<'in_doubt'>, 'since' | 'next_try_at'>;

/** @param matching `from … where …` */
async function some<Row extends object>(
  db: Queryable,
  query: {
    readonly name: string;
    readonly columns: string;
    readonly matching: string;
    readonly order: string;
    readonly values: readonly unknown[];
    readonly scope: Scope;
  },
): Promise<Some<Row>> {
  const rows = await db.query<Row & { total: number; found: true | null }>({
    name: `attention_${query.name}`,
    text: `select t.total, r.* from (
             select count(*) as total from (
               select 1 ${query.matching} limit ${attentionLimits.countedUpTo}) counted) t
           left join lateral (
             select true as found, ${query.columns} ${query.matching}
             order by ${query.order} limit ${attentionLimits.shown}) r on true`,
    values: query.values,
    scope: query.scope,
  });
  return {
    total: rows[0]?.total ?? 0,
    rows: rows.filter((row) => row.found === true),
  };
}

/** Disputes that wait for an answer; the nearest deadline first. */
export const disputesDue = (db: Queryable, tenant: Tenant) =>
  some<DueDispute>(db, {
    name: 'disputes',
    columns: `d.id, coalesce(d.amount, p.amount) as amount, coalesce(d.currency, p.currency) as currency,
      coalesce(d.reason, 'general') as reason, d.respond_by`,
    matching: `from disputes d join payments p on p.tenant = d.tenant and p.id = d.payment_id
      where d.tenant = $1 and d.status = 'action_required'`,
    order: 'd.respond_by, d.seq',
    values: [tenant.tenant],
    scope: tenant,
  });

/** What processors said against settled payments and nobody has dealt with; the newest first. */
export const openAlerts = (db: Queryable, tenant: Tenant) =>
  some<OpenAlert>(db, {
    name: 'alerts',
    columns: 'a.payment_id as payment, p.amount, p.currency, a.kind, a.created_at',
    matching: `from payment_alerts a join payments p on p.tenant = a.tenant and p.id = a.payment_id
      where a.tenant = $1 and a.acknowledged_at is null`,
    order: 'a.created_at desc, a.payment_id, a.kind',
    values: [tenant.tenant],
    scope: tenant,
  });

/** Holds that end between two times. */
export const holdsEnding = (db: Queryable, tenant: Tenant, from: Date, to: Date) =>
  some<EndingHold>(db, {
    name: 'holds',
    columns: 'id, amount, currency, reference, authorization_expires',
    matching: `from payments where tenant = $1 and status = 'authorized'
      and authorization_expires > $2 and authorization_expires <= $3`,
    order: 'authorization_expires',
    values: [tenant.tenant, from, to],
    scope: tenant,
  });

/** A hold's guarantee ends 3 days and the hold itself 29 days after it (spec, "Limits"). */
const afterGuarantee = `interval '26 days'`;

/** Holds whose guarantee ends between two times, by the index of their own ends. */
export const guaranteesEnding = (db: Queryable, tenant: Tenant, from: Date, to: Date) =>
  some<EndingGuarantee>(db, {
    name: 'guarantees',
    columns: 'id, amount, currency, reference, authorization_guaranteed_until',
    matching: `from payments where tenant = $1 and status = 'authorized'
      and authorization_guaranteed_until > $2 and authorization_guaranteed_until <= $3
      and authorization_expires > $2 + ${afterGuarantee} - interval '1 hour'
      and authorization_expires <= $3 + ${afterGuarantee} + interval '1 hour'`,
    order: 'authorization_expires',
    values: [tenant.tenant, from, to],
    scope: tenant,
  });

/** Refunds that failed and that nobody has dealt with; the newest first. */
export const failedRefunds = (db: Queryable, tenant: Tenant) =>
  some<FailedRefund>(db, {
    name: 'failed_refunds',
    columns: 'r.id, r.payment_id as payment, r.amount, r.currency, r.failure_message as reason, r.created_at',
    matching: `from refunds r where r.tenant = $1 and ${isUnresolved('r')}`,
    order: 'r.seq desc',
    values: [tenant.tenant],
    scope: tenant,
  });

/** Endpoints that fail now, or were paused. */
export const troubledEndpoints = (db: Queryable, accountId: string) =>
  some<TroubledEndpoint>(db, {
    name: 'endpoints',
    columns: 'id, name, url, status, paused_reason, first_failure_at as failing_since',
    matching: `from webhook_endpoints where account_id = $1 and deleted_at is null
      and (status = 'paused' or first_failure_at is not null)`,
    order: 'id',
    values: [accountId],
    scope: { accountId },
  });

const isUnanswered = `exists (select from operations o
  where o.tenant = $1 and o.subject = refunds.id and o.kind = 'refund' and o.state = 'unknown')`;

/** Refunds that are pending since before a time, or of which the processor said nothing. */
export const stuckRefunds = (db: Queryable, tenant: Tenant, before: Date) =>
  some<StuckRefund>(db, {
    name: 'refunds',
    columns: `id, payment_id as payment, amount, currency, ${isUnanswered} as unanswered, created_at`,
    matching: `from refunds where tenant = $1 and status = 'pending'
      and (created_at <= $2 or ${isUnanswered})`,
    order: 'seq',
    values: [tenant.tenant, before],
    scope: tenant,
  });

/** What was asked of the processor before a time and has no answer. */
export const operationsInDoubt = (db: Queryable, tenant: Tenant, before: Date) =>
  some<DoubtfulOperation>(db, {
    name: 'operations',
    columns: `o.subject as payment, p.amount, p.currency, o.kind, p.status <> 'processing' as shown,
      o.created_at as since, case when isfinite(o.next_try_at) then o.next_try_at end as next_try_at`,
    matching: `from operations o join payments p on p.tenant = o.tenant and p.id = o.subject
      where o.tenant = $1 and o.created_at <= $2
        -- What was certainly not carried out only waits for the merchant's retry.
        and not (o.kind = 'expire' and p.status = 'processing')`,
    order: 'o.created_at',
    values: [tenant.tenant, before],
    scope: tenant,
  });
