import { eventsNumbered, joinEventBefore } from '../../events/reads.ts';
import { allPayments, joinPaymentById } from '../../payments/sql.ts';
import { joinRefundById, succeededRefunds } from '../../refunds/reads.ts';
import { requestsNumbered, requestsSince } from '../../request-logs/reads.ts';
import type { Queryable } from '../../store/database.ts';
import { hasLists, lastNumber, tenantsWithCounters } from '../../store/sql.ts';
import type { Tenant } from '../../store/tenant.ts';
import { attemptsOfEverybody, attemptsSince } from '../../webhooks/lists/attempts.ts';
import {
  addToFigures,
  type Measure,
  measures,
  ofAttempts,
  ofPayments,
  ofRefunds,
  ofRequests,
} from './measures.ts';
import { attemptsCountedUntil } from './reads.ts';

/** How much of a tenant's logs is counted, and how long the logs are. */
export interface Progress {
  readonly events: number;
  readonly lastEvent: number;
  readonly requests: number;
  readonly lastRequest: number;
}

/** A range of a log by its row numbers: `from` is exclusive, `to` is inclusive. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Class of the advisory locks that let one transaction at a time count: the key is a tenant, or 0 for the webhook attempts
 * of all.
 */
const countingLocks = 7_110_417;

/** Locks what is counted until the transaction ends. @param wait whether to wait while another transaction holds the lock */
async function lockCounting(tx: Queryable, counted: number, wait: boolean): Promise<boolean> {
  const lock = wait
    ? 'pg_advisory_xact_lock($1::int, $2::int)::text is not null'
    : 'pg_try_advisory_xact_lock($1::int, $2::int)';
  const [row] = await tx.query<{ taken: boolean }>({
    text: `select ${lock} as taken`,
    values: [countingLocks, counted],
    scope: 'anybody',
  });
  return row?.taken === true;
}

/** The next tenants after `after` that have uncounted rows, in the order of their keys. */
export async function tenantsWithUpdates(db: Queryable, after: Tenant, max: number): Promise<Tenant[]> {
  return db.query<Tenant>({
    name: 'tenants_with_uncounted',
    scope: 'everybody',
    text: `select distinct t.tenant, t.account_id as "accountId", t.livemode
           from ${tenantsWithCounters} left join figures_progress f on f.tenant = k.tenant
           where k.tenant > $1
             and ((k.list = 'events' and k.last > coalesce(f.events_seq, 0))
               or (k.list = 'request_logs' and k.last > coalesce(f.requests_seq, 0)))
           order by 1 limit $2`,
    values: [after.tenant, max],
  });
}

/** The modes of an account that have any records. */
export async function tenantsOf(db: Queryable, accountId: string): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from tenants t
           where t.account_id = $1 and ${hasLists('t.tenant')}
           order by t.livemode`,
    values: [accountId],
    scope: 'everybody',
  });
}

/**
 * Locks a tenant's payments and requests until the transaction ends, and returns how far they are counted.
 * @param wait whether to wait while another transaction holds the lock
 * @returns undefined if another one holds it
 */
export async function takeProgress(
  tx: Queryable,
  tenant: Tenant,
  wait: boolean,
): Promise<Progress | undefined> {
  if (!(await lockCounting(tx, tenant.tenant, wait))) return undefined;
  await tx.query({
    text: 'insert into figures_progress (tenant) values ($1) on conflict do nothing',
    values: [tenant.tenant],
    scope: tenant,
  });
  // Read after the lock is taken, so that a transaction that waited sees what the other one counted.
  return readProgress(tx, tenant);
}

/** How far a tenant's rows are counted. */
export async function readProgress(db: Queryable, tenant: Tenant): Promise<Progress> {
  const [row] = await db.query<Progress>({
    name: 'figures_progress',
    text: `select coalesce(max(f.events_seq), 0) as events, coalesce(max(f.requests_seq), 0) as requests,
             coalesce(max(k.last) filter (where k.list = 'events'), 0) as "lastEvent",
             coalesce(max(k.last) filter (where k.list = 'request_logs'), 0) as "lastRequest"
           from ${tenantsWithCounters} left join figures_progress f on f.tenant = k.tenant
           where k.tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row ?? { events: 0, lastEvent: 0, requests: 0, lastRequest: 0 };
}

/**
 * Counts a range of the event log. Each event moves its payment from the measure to which the previous event had assigned
 * it, and a refund that is reversed leaves the sums again.
 */
export async function countEvents(tx: Queryable, tenant: Tenant, { from, to }: Part): Promise<void> {
  const payments = `select p.*, substr(m.type, 9) as new_status, m.n from moves m
    ${joinPaymentById('m.object_id')} where m.type like 'payment.%'`;
  const refunds = `select r.*, m.n from moves m
    ${joinRefundById('m.object_id')} where m.type = 'refund.succeeded'`;
  await tx.query({
    name: 'count_events',
    text: `with counted_now as (
             ${eventsNumbered('$2', '$3')}
               and (type like 'payment.%' or type like 'refund.%')),
           moves as (
             select object_id, type, 1 as n from counted_now
             union all
             select t.object_id, e.type, -1 from counted_now t
             ${joinEventBefore('t')}
             where t.sequence > 1),
           added as (${addToFigures(`${ofPayments(payments)} union all ${ofRefunds(refunds)}`)})
           update figures_progress set events_seq = $3 where tenant = $1`,
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
}

/** Counts a range of the request log. */
export async function countRequests(tx: Queryable, tenant: Tenant, { from, to }: Part): Promise<void> {
  const requests = requestsNumbered('$2', '$3');
  await tx.query({
    name: 'count_requests',
    text: `with added as (${addToFigures(ofRequests(requests))})
           update figures_progress set requests_seq = $3 where tenant = $1`,
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
}

/**
 * Locks webhook attempts until the transaction ends.
 * @returns up to when they are counted; undefined if another one holds the lock
 */
export async function takeAttempts(tx: Queryable, wait: boolean): Promise<Date | undefined> {
  return (await lockCounting(tx, 0, wait)) ? attemptsCountedUntil(tx) : undefined;
}

/** Counts the webhook attempts of all accounts that began in a time range. Needs `takeAttempts`. @param to exclusive */
export async function countAttempts(tx: Queryable, from: Date, to: Date): Promise<void> {
  const { sql: attempts, scope } = attemptsOfEverybody;
  await tx.query({
    name: 'count_attempts',
    scope,
    text: `with added as (${addToFigures(ofAttempts(attempts))} returning tenant)
           insert into figures_progress (tenant, attempts_until) select distinct tenant, $2::timestamptz from added
           on conflict (tenant) do update set attempts_until = excluded.attempts_until`,
    values: [from, to],
  });
}

/** Recounts a tenant's payments and refunds, and sets its progress to the last event. Needs `takeProgress`. */
export async function recountPayments(tx: Queryable, tenant: Tenant): Promise<void> {
  const payments = allPayments('*, status as new_status, 1 as n');
  const refunds = succeededRefunds('*, 1 as n');
  await removeFigures(tx, tenant, [...measures.payments, ...measures.declines, ...measures.refunds], null);
  // One statement sees payments, refunds and the number of the last event in one snapshot.
  await tx.query({
    text: `with added as (${addToFigures(`${ofPayments(payments)} union all ${ofRefunds(refunds)}`)})
           update figures_progress set events_seq = ${lastNumber("'events'")}
           where tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
}

/** Recounts a tenant's requests since an hour. Needs `takeProgress`. */
export async function recountRequests(tx: Queryable, tenant: Tenant, since: Date): Promise<void> {
  await removeFigures(tx, tenant, measures.requests, since);
  const requests = requestsSince('$2');
  await tx.query({
    text: `with added as (${addToFigures(ofRequests(requests))})
           update figures_progress set requests_seq = ${lastNumber("'request_logs'")}
           where tenant = $1`,
    values: [tenant.tenant, since],
    scope: tenant,
  });
}

/**
 * Recounts a tenant's webhook attempts since an hour. Needs `takeAttempts`.
 * @param until the time up to which attempts are counted
 */
export async function recountAttempts(
  tx: Queryable,
  tenant: Tenant,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<void> {
  await removeFigures(tx, tenant, measures.attempts, since);
  const attempts = `${attemptsSince({ account: '$1', tenant: '$2', since: '$3' })} and at < $4`;
  await tx.query({
    text: addToFigures(ofAttempts(attempts)),
    values: [tenant.accountId, tenant.tenant, since, until],
    scope: tenant,
  });
}

/** @param since null for all time */
async function removeFigures(
  tx: Queryable,
  tenant: Tenant,
  removed: readonly Measure[],
  since: Date | null,
): Promise<void> {
  await tx.query({
    text: `delete from figures where tenant = $1 and measure = any ($2)
             and at >= coalesce($3::timestamptz, '-infinity')`,
    values: [tenant.tenant, removed, since],
    scope: tenant,
  });
}
