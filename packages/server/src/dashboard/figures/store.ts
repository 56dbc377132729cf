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

/** Class of the advisory locks under which one transaction at a time counts: a tenant's, and 0 for webhook attempts of all. */
const countingLocks = 7_110_417;

/** Locks what is counted until the transaction ends. @param wait whether to wait for another transaction that has it */
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

/** The tenants after one of which something was not counted yet, in the order of their keys. */
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

/** The modes of an account that have anything. */
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
 * Locks an account's payments and requests until the transaction ends, and says how far they are counted.
 * @param wait whether to wait for another transaction that has them. @returns undefined where another one has them
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
  // Read after the lock: a transaction that waited sees what the other did.
  return readProgress(tx, tenant);
}

/** How far an account's sums are. */
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
 * Counts a part of the event log: each event moves its payment from where the event before had put it, and a refund
 * that is taken back leaves the sums again.
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

/** Counts a part of the log of requests. */
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

/** Locks webhook attempts until the transaction ends. @returns up to when they are counted; undefined: another one has them */
export async function takeAttempts(tx: Queryable, wait: boolean): Promise<Date | undefined> {
  return (await lockCounting(tx, 0, wait)) ? attemptsCountedUntil(tx) : undefined;
}

/** Counts the webhook attempts of all accounts that began in a time. Needs `takeAttempts`. @param to not included */
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

/** Counts an account's payments and refunds anew, and goes on from the last event. Needs `takeProgress`. */
export async function recountPayments(tx: Queryable, tenant: Tenant): Promise<void> {
  const payments = allPayments('*, status as new_status, 1 as n');
  const refunds = succeededRefunds('*, 1 as n');
  await removeFigures(tx, tenant, [...measures.payments, ...measures.declines, ...measures.refunds], null);
  // One statement sees payments, refunds and the number of the last event as of one moment.
  await tx.query({
    text: `with added as (${addToFigures(`${ofPayments(payments)} union all ${ofRefunds(refunds)}`)})
           update figures_progress set events_seq = ${lastNumber("'events'")}
           where tenant = $1`,
    values: [tenant.tenant],
    scope: tenant,
  });
}

/** Counts an account's requests since an hour anew. Needs `takeProgress`. */
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

/** Counts an account's webhook attempts since an hour anew. Needs `takeAttempts`. @param until up to when they go */
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

/** @param since null: of all times */
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
