import { unfinishedCodes } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** How far an account's sums have come, and how far they could. */
export interface Progress {
  readonly events: number;
  readonly lastEvent: number;
  readonly requests: number;
  readonly lastRequest: number;
}

/** A part of a log by its numbers: not with the first, with the last. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

const quarterOf = (time: string) => `date_bin('15 minutes', ${time}, timestamptz '2000-01-01 00:00:00Z')`;

/** The step of a duration: see `stepMs`. */
const stepOf = (ms: string) => `case when ${ms} <= 1 then 0 else ceil(ln(${ms}) / ln(1.1))::int end`;

/** About how many milliseconds the requests of a step took; exact for the shortest. */
export const stepMs = (step: number): number => Math.round(1.1 ** (step - 0.5));

/** How a payment counts, by its status and failure code. */
const countsAs = (status: string, code: string, n: string, amount: string) => ({
  succeeded: `sum(case when ${status} = 'succeeded' then ${n} else 0 end)`,
  amount: `sum(case when ${status} = 'succeeded' then ${n} * ${amount} else 0 end)`,
  approved: `sum(case when ${status} in ('succeeded', 'authorized', 'voided') then ${n} else 0 end)`,
  declined: `sum(case when ${status} = 'failed' and ${code} <> all ($2) then ${n} else 0 end)`,
  unfinished: `sum(case when ${status} = 'failed' and ${code} = any ($2) then ${n} else 0 end)`,
});
const paymentSums = 'succeeded, amount, approved, declined, unfinished';
const sumsOf = (...parameters: Parameters<typeof countsAs>) =>
  Object.entries(countsAs(...parameters))
    .map(([name, sum]) => `${sum} as ${name}`)
    .join(', ');

/** The tenants after one of which something was not counted yet, in the order of their keys. */
export async function tenantsWithUpdates(db: Queryable, after: Tenant, most: number): Promise<Tenant[]> {
  return db.query<Tenant>({
    name: 'tenants_with_news',
    scope: 'everybody',
    text: `select distinct t.tenant, t.account_id as "accountId", t.livemode
           from counters k join tenants t using (tenant) left join figures_progress f on f.tenant = k.tenant
           where k.tenant > $1
             and ((k.list = 'events' and k.last > coalesce(f.events_seq, 0))
               or (k.list = 'request_logs' and k.last > coalesce(f.requests_seq, 0)))
           order by 1 limit $2`,
    values: [after.tenant, most],
  });
}

/** The modes of an account that have anything. */
export async function tenantsOf(db: Queryable, accountId: string): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from tenants t
           where t.account_id = $1 and exists (select from counters k where k.tenant = t.tenant)
           order by t.livemode`,
    values: [accountId],
    scope: 'everybody',
  });
}

/**
 * Takes an account's sums until the transaction ends, and says how far they are.
 * @param wait whether to wait for somebody who has them. @returns undefined where somebody has them
 */
export async function takeProgress(
  tx: Queryable,
  tenant: Tenant,
  wait: boolean,
): Promise<Progress | undefined> {
  await tx.query({
    text: `insert into figures_progress (tenant, events_seq, requests_seq) values ($1, 0, 0)
           on conflict do nothing`,
    values: [tenant.tenant],
    scope: tenant,
  });
  const taken = await tx.query({
    text: `select 1 from figures_progress where tenant = $1
           for update ${wait ? '' : 'skip locked'}`,
    values: [tenant.tenant],
    scope: tenant,
  });
  // Read by itself: who waited sees what the other did.
  return taken.length === 0 ? undefined : readProgress(tx, tenant);
}

/** How far an account's sums are. */
export async function readProgress(db: Queryable, tenant: Tenant): Promise<Progress> {
  const [row] = await db.query<Progress>({
    name: 'figures_progress',
    text: `select coalesce(max(f.events_seq), 0) as events, coalesce(max(f.requests_seq), 0) as requests,
             coalesce(max(k.last) filter (where k.list = 'events'), 0) as "lastEvent",
             coalesce(max(k.last) filter (where k.list = 'request_logs'), 0) as "lastRequest"
           from counters k
           left join figures_progress f on f.tenant = k.tenant
           where k.tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row ?? { events: 0, lastEvent: 0, requests: 0, lastRequest: 0 };
}

/**
 * Counts a part of the event log: each event moves its payment from where the event before had put it, and a refund
 * that is taken back leaves the sums again.
 */
export async function countEvents(tx: Queryable, tenant: Tenant, { from, to }: Part): Promise<void> {
  await tx.query({
    name: 'count_events',
    text: `with logged as (
             select object_id, type, sequence from events
             where tenant = $1 and seq > $3 and seq <= $4
               and (type like 'payment.%' or type like 'refund.%')),
           moves as (
             select object_id, type, 1 as n from logged
             union all
             select t.object_id, e.type, -1 from logged t
             join events e on e.tenant = $1 and e.object_id = t.object_id
               and e.sequence = t.sequence - 1
             where t.sequence > 1),
           payments_moved as (
             select ${quarterOf('p.created_at')} as quarter, p.currency, p.amount, p.failure_code,
               substr(m.type, 9) as status, m.n
             from moves m join payments p on p.tenant = $1 and p.id = m.object_id
             where m.type like 'payment.%'),
           payments_counted as (
             insert into figures_payments as f (tenant, quarter, currency, ${paymentSums})
             select $1, quarter, currency, ${sumsOf('status', 'failure_code', 'n', 'amount')}
             from payments_moved where status <> 'requires_action' group by quarter, currency
             on conflict (tenant, quarter, currency) do update set
               succeeded = f.succeeded + excluded.succeeded, amount = f.amount + excluded.amount,
               approved = f.approved + excluded.approved, declined = f.declined + excluded.declined,
               unfinished = f.unfinished + excluded.unfinished),
           declines_counted as (
             insert into figures_declines as f (tenant, quarter, failure_code, payments)
             select $1, quarter, failure_code, sum(n) from payments_moved
             where status = 'failed' and failure_code <> all ($2) group by quarter, failure_code
             on conflict (tenant, quarter, failure_code)
             do update set payments = f.payments + excluded.payments),
           refunds_moved as (
             select k.counted_by, ${quarterOf('k.at')} as quarter, r.currency, sum(m.n) as n,
               sum(m.n * r.amount) as amount
             from moves m join refunds r on r.tenant = $1 and r.id = m.object_id
             join payments p on p.tenant = $1 and p.id = r.payment_id
             cross join lateral (values ('refund', r.created_at), ('payment', p.created_at)) as k (counted_by, at)
             where m.type = 'refund.succeeded' group by 1, 2, 3)
           insert into figures_refunds as f (tenant, counted_by, quarter, currency, refunds, amount)
           select $1, counted_by, quarter, currency, n, amount from refunds_moved where n <> 0 or amount <> 0
           on conflict (tenant, counted_by, quarter, currency)
           do update set refunds = f.refunds + excluded.refunds, amount = f.amount + excluded.amount`,
    values: [tenant.tenant, unfinishedCodes, from, to],
    scope: tenant,
  });
  await tx.query({
    text: 'update figures_progress set events_seq = $2 where tenant = $1',
    values: [tenant.tenant, to],
    scope: tenant,
  });
}

/** Counts a part of the log of requests. */
export async function countRequests(tx: Queryable, tenant: Tenant, { from, to }: Part): Promise<void> {
  await tx.query({
    name: 'count_requests',
    text: `insert into figures_requests as f (tenant, hour, step, requests)
           select $1, date_trunc('hour', at, 'UTC'), ${stepOf('duration_ms')}, count(*) from request_logs
           where tenant = $1 and seq > $2 and seq <= $3 group by 2, 3
           on conflict (tenant, hour, step) do update set requests = f.requests + excluded.requests`,
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
  await tx.query({
    text: 'update figures_progress set requests_seq = $2 where tenant = $1',
    values: [tenant.tenant, to],
    scope: tenant,
  });
}

const attemptSums = `count(*) filter (where number = 1),
  count(*) filter (where number = 1 and answer_status between 200 and 299), count(*) filter (where number > 1),
  count(*) filter (where number > 1 and answer_status between 200 and 299)`;
const attemptColumns =
  'tenant, endpoint_id, hour, first_attempts, first_succeeded, retries, retries_succeeded';

/** Takes the sums of webhook attempts until the transaction ends. @returns up to when they go; undefined: somebody has them */
export async function takeAttempts(tx: Queryable, wait: boolean): Promise<Date | undefined> {
  const [row] = await tx.query<{ until: Date | null }>({
    text: `select case when isfinite(until) then until else timestamptz '1970-01-01 00:00:00Z' end as until
           from figures_attempts_until for update ${wait ? '' : 'skip locked'}`,
    scope: 'nobody',
  });
  return row?.until ?? undefined;
}

/** Counts the webhook attempts of all accounts that began in a time. @param to not included */
export async function countAttempts(tx: Queryable, from: Date, to: Date): Promise<void> {
  await tx.query({
    name: 'count_attempts',
    scope: 'everybody',
    text: `insert into figures_attempts as f (${attemptColumns})
           select tenant, endpoint_id, date_trunc('hour', at, 'UTC'), ${attemptSums}
           from delivery_attempts where at >= $1 and at < $2 group by tenant, endpoint_id, 3
           on conflict (tenant, endpoint_id, hour) do update set
             first_attempts = f.first_attempts + excluded.first_attempts,
             first_succeeded = f.first_succeeded + excluded.first_succeeded,
             retries = f.retries + excluded.retries,
             retries_succeeded = f.retries_succeeded + excluded.retries_succeeded`,
    values: [from, to],
  });
  await tx.query({ text: 'update figures_attempts_until set until = $1', values: [to], scope: 'nobody' });
}

/** Counts an account's payments and refunds anew, and goes on from the last event. Needs `takeProgress`. */
export async function recountPayments(tx: Queryable, tenant: Tenant): Promise<void> {
  for (const table of ['figures_payments', 'figures_declines', 'figures_refunds']) {
    await tx.query({
      text: `delete from ${table} where tenant = $1`,
      values: [tenant.tenant],
      scope: tenant,
    });
  }
  // One statement sees payments, refunds and the number of the last event as of one moment.
  await tx.query({
    text: `with payments_counted as (
             insert into figures_payments (tenant, quarter, currency, ${paymentSums})
             select $1, ${quarterOf('created_at')}, currency, ${sumsOf('status', 'failure_code', '1', 'payments.amount')}
             from payments
             where tenant = $1 and status not in ('processing', 'requires_action') group by 2, 3),
           declines_counted as (
             insert into figures_declines (tenant, quarter, failure_code, payments)
             select $1, ${quarterOf('created_at')}, failure_code, count(*) from payments
             where tenant = $1 and status = 'failed' and failure_code <> all ($2) group by 2, 3),
           refunds_counted as (
             insert into figures_refunds (tenant, counted_by, quarter, currency, refunds, amount)
             select $1, k.counted_by, ${quarterOf('k.at')}, r.currency, count(*), sum(r.amount)
             from refunds r
             join payments p on p.tenant = r.tenant and p.id = r.payment_id
             cross join lateral (values ('refund', r.created_at), ('payment', p.created_at)) as k (counted_by, at)
             where r.tenant = $1 and r.status = 'succeeded' group by 2, 3, 4)
           update figures_progress set events_seq = coalesce((
             select last from counters where tenant = $1 and list = 'events'), 0)
           where tenant = $1`,
    values: [tenant.tenant, unfinishedCodes],
    scope: tenant,
  });
}

/** Counts an account's requests since an hour anew. Needs `takeProgress`. */
export async function recountRequests(tx: Queryable, tenant: Tenant, since: Date): Promise<void> {
  await tx.query({
    text: 'delete from figures_requests where tenant = $1 and hour >= $2',
    values: [tenant.tenant, since],
    scope: tenant,
  });
  await tx.query({
    text: `with requests_counted as (
             insert into figures_requests (tenant, hour, step, requests)
             select $1, date_trunc('hour', at, 'UTC'), ${stepOf('duration_ms')}, count(*) from request_logs
             where tenant = $1 and at >= $2 group by 2, 3)
           update figures_progress set requests_seq = coalesce((
             select last from counters where tenant = $1 and list = 'request_logs'), 0)
           where tenant = $1`,
    values: [tenant.tenant, since],
    scope: tenant,
  });
}

/** Counts an account's webhook attempts since an hour anew. Needs `takeAttempts`. @param until up to when they go */
export async function recountAttempts(
  tx: Queryable,
  tenant: Tenant,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<void> {
  await tx.query({
    text: 'delete from figures_attempts where tenant = $1 and hour >= $2',
    values: [tenant.tenant, since],
    scope: tenant,
  });
  await tx.query({
    text: `insert into figures_attempts (${attemptColumns})
           select tenant, endpoint_id, date_trunc('hour', at, 'UTC'), ${attemptSums}
           from delivery_attempts where account_id = $1 and tenant = $2 and at >= $3 and at < $4
           group by tenant, endpoint_id, 3`,
    values: [tenant.accountId, tenant.tenant, since, until],
    scope: tenant,
  });
}
