import { unfinishedCodes } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';

export interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

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
  declined: `sum(case when ${status} = 'failed' and ${code} <> all ($3) then ${n} else 0 end)`,
  unfinished: `sum(case when ${status} = 'failed' and ${code} = any ($3) then ${n} else 0 end)`,
});
const paymentSums = 'succeeded, amount, approved, declined, unfinished';
const sumsOf = (...parameters: Parameters<typeof countsAs>) =>
  Object.entries(countsAs(...parameters))
    .map(([name, sum]) => `${sum} as ${name}`)
    .join(', ');

const keyOf = ({ accountId, livemode }: Tenant) => [accountId, livemode];

/** The accounts after one of which something was not counted yet, in the order of their keys. */
export async function tenantsWithUpdates(db: Queryable, after: Tenant, most: number): Promise<Tenant[]> {
  return db.query<Tenant>({
    name: 'tenants_with_news',
    scope: 'everybody',
    text: `select distinct k.account_id as "accountId", k.livemode from counters k
           left join figures_progress f on f.account_id = k.account_id and f.livemode = k.livemode
           where (k.account_id, k.livemode) > ($1, $2)
             and ((k.list = 'events' and k.last > coalesce(f.events_seq, 0))
               or (k.list = 'request_logs' and k.last > coalesce(f.requests_seq, 0)))
           order by 1, 2 limit $3`,
    values: [after.accountId, after.livemode, most],
  });
}

/** The modes of an account, or of all, that have anything. */
export async function allTenants(db: Queryable, accountId: string | null): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select distinct account_id as "accountId", livemode from counters
           where $1::text is null or account_id = $1 order by account_id, livemode`,
    values: [accountId],
    scope: accountId === null ? 'everybody' : { accountId, livemode: null },
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
    text: `insert into figures_progress (account_id, livemode, events_seq, requests_seq) values ($1, $2, 0, 0)
           on conflict do nothing`,
    values: keyOf(tenant),
    scope: tenant,
  });
  const taken = await tx.query({
    text: `select account_id from figures_progress where account_id = $1 and livemode = $2
           for update ${wait ? '' : 'skip locked'}`,
    values: keyOf(tenant),
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
           left join figures_progress f on f.account_id = k.account_id and f.livemode = k.livemode
           where k.account_id = $1 and k.livemode = $2`,
    values: keyOf(tenant),
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
    text: `with told as (
             select object_id, type, sequence from events
             where account_id = $1 and livemode = $2 and seq > $4 and seq <= $5
               and (type like 'payment.%' or type like 'refund.%')),
           moves as (
             select object_id, type, 1 as n from told
             union all
             select t.object_id, e.type, -1 from told t
             join events e on e.account_id = $1 and e.livemode = $2 and e.object_id = t.object_id
               and e.sequence = t.sequence - 1
             where t.sequence > 1),
           payments_moved as (
             select ${quarterOf('p.created_at')} as quarter, p.currency, p.amount, p.failure_code,
               substr(m.type, 9) as status, m.n
             from moves m join payments p on p.account_id = $1 and p.livemode = $2 and p.id = m.object_id
             where m.type like 'payment.%'),
           payments_counted as (
             insert into figures_payments as f (account_id, livemode, quarter, currency, ${paymentSums})
             select $1, $2, quarter, currency, ${sumsOf('status', 'failure_code', 'n', 'amount')}
             from payments_moved where status <> 'requires_action' group by quarter, currency
             on conflict (account_id, livemode, quarter, currency) do update set
               succeeded = f.succeeded + excluded.succeeded, amount = f.amount + excluded.amount,
               approved = f.approved + excluded.approved, declined = f.declined + excluded.declined,
               unfinished = f.unfinished + excluded.unfinished),
           declines_counted as (
             insert into figures_declines as f (account_id, livemode, quarter, failure_code, payments)
             select $1, $2, quarter, failure_code, sum(n) from payments_moved
             where status = 'failed' and failure_code <> all ($3) group by quarter, failure_code
             on conflict (account_id, livemode, quarter, failure_code)
             do update set payments = f.payments + excluded.payments),
           refunds_moved as (
             select k.counted_by, ${quarterOf('k.at')} as quarter, r.currency, sum(m.n) as n,
               sum(m.n * r.amount) as amount
             from moves m join refunds r on r.account_id = $1 and r.livemode = $2 and r.id = m.object_id
             join payments p on p.account_id = $1 and p.livemode = $2 and p.id = r.payment_id
             cross join lateral (values ('refund', r.created_at), ('payment', p.created_at)) as k (counted_by, at)
             where m.type = 'refund.succeeded' group by 1, 2, 3)
           insert into figures_refunds as f (account_id, livemode, counted_by, quarter, currency, refunds, amount)
           select $1, $2, counted_by, quarter, currency, n, amount from refunds_moved where n <> 0 or amount <> 0
           on conflict (account_id, livemode, counted_by, quarter, currency)
           do update set refunds = f.refunds + excluded.refunds, amount = f.amount + excluded.amount`,
    values: [...keyOf(tenant), unfinishedCodes, from, to],
    scope: tenant,
  });
  await tx.query({
    text: 'update figures_progress set events_seq = $3 where account_id = $1 and livemode = $2',
    values: [...keyOf(tenant), to],
    scope: tenant,
  });
}

/** Counts a part of the log of requests. */
export async function countRequests(tx: Queryable, tenant: Tenant, { from, to }: Part): Promise<void> {
  await tx.query({
    name: 'count_requests',
    text: `insert into figures_requests as f (account_id, livemode, hour, step, requests)
           select $1, $2, date_trunc('hour', at, 'UTC'), ${stepOf('duration_ms')}, count(*) from request_logs
           where account_id = $1 and livemode = $2 and seq > $3 and seq <= $4 group by 3, 4
           on conflict (account_id, livemode, hour, step) do update set requests = f.requests + excluded.requests`,
    values: [...keyOf(tenant), from, to],
    scope: tenant,
  });
  await tx.query({
    text: 'update figures_progress set requests_seq = $3 where account_id = $1 and livemode = $2',
    values: [...keyOf(tenant), to],
    scope: tenant,
  });
}

const attemptSums = `count(*) filter (where number = 1),
  count(*) filter (where number = 1 and answer_status between 200 and 299), count(*) filter (where number > 1),
  count(*) filter (where number > 1 and answer_status between 200 and 299)`;
const attemptColumns =
  'account_id, livemode, endpoint_id, hour, first_attempts, first_succeeded, retries, retries_succeeded';

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
           select account_id, livemode, endpoint_id, date_trunc('hour', at, 'UTC'), ${attemptSums}
           from delivery_attempts where at >= $1 and at < $2 group by account_id, livemode, endpoint_id, 4
           on conflict (account_id, livemode, endpoint_id, hour) do update set
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
      text: `delete from ${table} where account_id = $1 and livemode = $2`,
      values: keyOf(tenant),
      scope: tenant,
    });
  }
  // One statement sees payments, refunds and the number of the last event as of one moment.
  await tx.query({
    text: `with payments_counted as (
             insert into figures_payments (account_id, livemode, quarter, currency, ${paymentSums})
             select $1, $2, ${quarterOf('created_at')}, currency, ${sumsOf('status', 'failure_code', '1', 'payments.amount')}
             from payments
             where account_id = $1 and livemode = $2 and status not in ('processing', 'requires_action') group by 3, 4),
           declines_counted as (
             insert into figures_declines (account_id, livemode, quarter, failure_code, payments)
             select $1, $2, ${quarterOf('created_at')}, failure_code, count(*) from payments
             where account_id = $1 and livemode = $2 and status = 'failed' and failure_code <> all ($3) group by 3, 4),
           refunds_counted as (
             insert into figures_refunds (account_id, livemode, counted_by, quarter, currency, refunds, amount)
             select $1, $2, k.counted_by, ${quarterOf('k.at')}, r.currency, count(*), sum(r.amount)
             from refunds r
             join payments p on p.account_id = r.account_id and p.livemode = r.livemode and p.id = r.payment_id
             cross join lateral (values ('refund', r.created_at), ('payment', p.created_at)) as k (counted_by, at)
             where r.account_id = $1 and r.livemode = $2 and r.status = 'succeeded' group by 3, 4, 5)
           update figures_progress set events_seq = coalesce((
             select last from counters where account_id = $1 and livemode = $2 and list = 'events'), 0)
           where account_id = $1 and livemode = $2`,
    values: [...keyOf(tenant), unfinishedCodes],
    scope: tenant,
  });
}

/** Counts an account's requests since an hour anew. Needs `takeProgress`. */
export async function recountRequests(tx: Queryable, tenant: Tenant, since: Date): Promise<void> {
  await tx.query({
    text: 'delete from figures_requests where account_id = $1 and livemode = $2 and hour >= $3',
    values: [...keyOf(tenant), since],
    scope: tenant,
  });
  await tx.query({
    text: `with requests_counted as (
             insert into figures_requests (account_id, livemode, hour, step, requests)
             select $1, $2, date_trunc('hour', at, 'UTC'), ${stepOf('duration_ms')}, count(*) from request_logs
             where account_id = $1 and livemode = $2 and at >= $3 group by 3, 4)
           update figures_progress set requests_seq = coalesce((
             select last from counters where account_id = $1 and livemode = $2 and list = 'request_logs'), 0)
           where account_id = $1 and livemode = $2`,
    values: [...keyOf(tenant), since],
    scope: tenant,
  });
}

/** Counts an account's webhook attempts since an hour anew. Needs `takeAttempts`. @param until up to when they go */
export async function recountAttempts(
  tx: Queryable,
  { accountId, livemode }: Tenant,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<void> {
  await tx.query({
    text: 'delete from figures_attempts where account_id = $1 and livemode = $2 and hour >= $3',
    values: [accountId, livemode, since],
    scope: { accountId, livemode },
  });
  await tx.query({
    text: `insert into figures_attempts (${attemptColumns})
           select account_id, livemode, endpoint_id, date_trunc('hour', at, 'UTC'), ${attemptSums}
           from delivery_attempts where account_id = $1 and livemode = $2 and at >= $3 and at < $4
           group by account_id, livemode, endpoint_id, 4`,
    values: [accountId, livemode, since, until],
    scope: { accountId, livemode },
  });
}
