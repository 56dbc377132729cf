import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** A time under a name, in account time. */
export interface Span {
  readonly name: string;
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
}

const spanArrays = (spans: readonly Span[]) => [
  spans.map(({ name }) => name),
  spans.map(({ from }) => from),
  spans.map(({ to }) => to),
];
const spanRows = 'unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) as s (name, from_at, to_at)';

export interface SpanOfPayments {
  readonly name: string;
  readonly currency: string;
  readonly payments: number;
  readonly volume: number;
  readonly approved: number;
  readonly declined: number;
}

/** Payments by the span in which they were made, and by currency. */
export async function paymentsBySpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
): Promise<SpanOfPayments[]> {
  return db.query<SpanOfPayments>({
    name: 'figures_payments_by_span',
    text: `select s.name, f.currency,
             sum(succeeded)::bigint as payments, sum(amount)::bigint as volume, sum(approved)::bigint as approved,
             sum(declined)::bigint as declined
           from ${spanRows}
           join figures_payments f on f.tenant = $1 and f.quarter >= s.from_at
             and f.quarter < s.to_at
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans)],
    scope: tenant,
  });
}

export interface SpanSum {
  readonly name: string;
  readonly currency: string;
  readonly count: number;
  readonly amount: number;
}

/** Refunds that succeeded, by the span in which they, or their payments, were made. */
export async function refundsBySpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
  countedBy: 'refund' | 'payment',
): Promise<SpanSum[]> {
  return db.query<SpanSum>({
    name: 'figures_refunds_by_span',
    text: `select s.name, f.currency, sum(refunds)::bigint as count, sum(amount)::bigint as amount
           from ${spanRows}
           join figures_refunds f on f.tenant = $1 and f.counted_by = $5
             and f.quarter >= s.from_at and f.quarter < s.to_at
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans), countedBy],
    scope: tenant,
  });
}

const disputeSums = `count(*) as count, sum(coalesce(d.amount, p.amount))::bigint as amount`;
const withPayment = 'join payments p on p.tenant = d.tenant and p.id = d.payment_id';

/** Disputes by the span in which they were opened. They are few, so they are counted as they are. */
export async function disputesBySpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
): Promise<SpanSum[]> {
  return db.query<SpanSum>({
    name: 'disputes_by_span',
    text: `select s.name, coalesce(d.currency, p.currency) as currency, ${disputeSums}
           from ${spanRows}
           join disputes d on d.tenant = $1 and d.created_at >= s.from_at
             and d.created_at < s.to_at and d.state <> 'information_request' ${withPayment}
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans)],
    scope: tenant,
  });
}

/** Disputes by the span in which their payments were made. */
export async function disputesByPaymentSpan(
  db: Queryable,
  tenant: Tenant,
  spans: readonly Span[],
): Promise<SpanSum[]> {
  return db.query<SpanSum>({
    name: 'disputes_by_payment_span',
    text: `select s.name, coalesce(d.currency, p.currency) as currency, ${disputeSums}
           from disputes d ${withPayment} join ${spanRows}
             on p.created_at >= s.from_at and p.created_at < s.to_at
           where d.tenant = $1 and d.state <> 'information_request'
           group by 1, 2`,
    values: [tenant.tenant, ...spanArrays(spans)],
    scope: tenant,
  });
}

/** Sums of one place in a row of days. */
export interface DayOfPayments {
  /** From 0. */
  readonly day: number;
  readonly currency: string;
  readonly succeeded: number;
  /** Of those that succeeded. */
  readonly amount: number;
  readonly approved: number;
  readonly declined: number;
  readonly unfinished: number;
}

/** A row of days: when each begins, oldest first, and when the last one ends. */
export interface DayRow {
  readonly days: readonly Date[];
  readonly to: Date;
}

/** Payments by the day on which they were made. */
export async function paymentsByDay(
  db: Queryable,
  tenant: Tenant,
  { days, to }: DayRow,
): Promise<DayOfPayments[]> {
  return db.query<DayOfPayments>({
    name: 'figures_payments_by_day',
    text: `select width_bucket(quarter, $2::timestamptz[]) - 1 as day, currency, sum(succeeded)::bigint as succeeded,
             sum(amount)::bigint as amount, sum(approved)::bigint as approved, sum(declined)::bigint as declined,
             sum(unfinished)::bigint as unfinished
           from figures_payments
           where tenant = $1 and quarter >= $3 and quarter < $4
           group by 1, 2`,
    values: [tenant.tenant, days, days[0], to],
    scope: tenant,
  });
}

export interface DayOfDeclines {
  readonly day: number;
  readonly failure_code: string;
  readonly payments: number;
}

/** Declined payments by the day on which they were made, and by reason. */
export async function declinesByDay(
  db: Queryable,
  tenant: Tenant,
  { days, to }: DayRow,
): Promise<DayOfDeclines[]> {
  return db.query<DayOfDeclines>({
    name: 'figures_declines_by_day',
    text: `select width_bucket(quarter, $2::timestamptz[]) - 1 as day, failure_code, sum(payments)::bigint as payments
           from figures_declines
           where tenant = $1 and quarter >= $3 and quarter < $4
           group by 1, 2`,
    values: [tenant.tenant, days, days[0], to],
    scope: tenant,
  });
}

export interface DayOfRequests {
  readonly day: number;
  readonly step: number;
  readonly requests: number;
}

/** Requests by day and by how long they took. In real time. */
export async function requestsByDay(
  db: Queryable,
  tenant: Tenant,
  days: readonly Date[],
): Promise<DayOfRequests[]> {
  return db.query<DayOfRequests>({
    name: 'figures_requests_by_day',
    text: `select width_bucket(hour, $2::timestamptz[]) - 1 as day, step, sum(requests)::bigint as requests
           from figures_requests where tenant = $1 and hour >= $3
           group by 1, 2 order by 1, 2`,
    values: [tenant.tenant, days, days[0]],
    scope: tenant,
  });
}

export interface DayOfAttempts {
  readonly day: number;
  readonly endpoint_id: string;
  readonly first_attempts: number;
  readonly first_succeeded: number;
  readonly retries: number;
  readonly retries_succeeded: number;
}

/** Webhook attempts by day and endpoint, those of the last moments included. In real time. */
export async function attemptsByDay(
  db: Queryable,
  tenant: Tenant,
  days: readonly Date[],
): Promise<DayOfAttempts[]> {
  return db.query<DayOfAttempts>({
    name: 'figures_attempts_by_day',
    text: `with attempts as (
             select endpoint_id, hour as at, first_attempts, first_succeeded, retries, retries_succeeded
             from figures_attempts where tenant = $1 and hour >= $3
             union all
             select endpoint_id, at, (number = 1)::int, (number = 1 and answer_status between 200 and 299)::int,
               (number > 1)::int, (number > 1 and answer_status between 200 and 299)::int
             from delivery_attempts
             where account_id = $4 and tenant = $1 and at >= $3 and at >= (select until from figures_attempts_until))
           select width_bucket(at, $2::timestamptz[]) - 1 as day, endpoint_id,
             sum(first_attempts)::bigint as first_attempts, coalesce(sum(first_succeeded), 0)::bigint as first_succeeded,
             sum(retries)::bigint as retries, coalesce(sum(retries_succeeded), 0)::bigint as retries_succeeded
           from attempts group by 1, 2`,
    values: [tenant.tenant, days, days[0], tenant.accountId],
    scope: tenant,
  });
}

export interface EndpointState {
  readonly id: string;
  readonly url: string;
  readonly status: 'active' | 'paused';
  readonly pending: number;
  readonly oldest_pending_at: Date | null;
}

/** The account's endpoints with what still waits for each, of one mode, counted up to 10,000. */
export async function endpointStates(db: Queryable, tenant: Tenant): Promise<EndpointState[]> {
  return db.query<EndpointState>({
    name: 'figures_endpoint_states',
    text: `select e.id, e.url, e.status, w.pending, w.oldest_pending_at from webhook_endpoints e
           cross join lateral (
             select count(*) as pending, min(created_at) as oldest_pending_at from (
               select d.created_at from deliveries d
               where d.account_id = $1 and d.endpoint_id = e.id and d.state = 'pending' and d.tenant = $2
               order by d.next_attempt_at, d.id limit 10000) waiting) w
           where e.account_id = $1 and e.deleted_at is null order by e.id`,
    values: [tenant.accountId, tenant.tenant],
    scope: tenant,
  });
}
