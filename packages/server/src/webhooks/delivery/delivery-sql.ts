import { timeOfTenant } from '../../accounts/sql.ts';
import { textOfEvent } from '../../events/events.ts';
import {
  bytes,
  int,
  keyColumns,
  listOf,
  nullable,
  oneOf,
  rowsOfJson,
  text,
  time,
} from '../../store/columns.ts';
import { attemptColumns, type DeliveryState } from './reads.ts';

/** An endpoint is paused after failing for this long without one success. */
const pauseAfter = `interval '5 days'`;

/**
 * A claim need not reach the disk before it counts: if PostgreSQL loses it, the delivery is claimed again, and an event may
 * arrive more than once. The outcome of an attempt is committed synchronously like everything else.
 */
const asynchronousCommit = `asynchronous as (select set_config('synchronous_commit', 'off', true))`;

/** The columns of the endpoint that an attempt needs, as they are when it begins. */
export const recipientColumns = {
  url: text,
  secret: bytes,
  key_version: int,
  payload: oneOf<'full' | 'thin'>(),
  previous_secret: nullable(bytes),
  previous_key_version: nullable(int),
  /** Real time until which the previous secret signs too. */
  previous_secret_until: nullable(time),
} as const;

/**
 * Claims due deliveries, account by account in the order of `candidates`, each within its share, and counts each attempt
 * before it begins. `offset 0` keeps the planner from sorting or hashing rows that are to be read in order, so that the
 * statement reads no further than it needs.
 * @param candidates CTE named `candidates` with `account_id`
 * @param endpoints SQL of the account's endpoints in their order, as `endpoint_id`; `s` is the candidate
 */
const claim = (candidates: string, endpoints: string) => `with recursive ${asynchronousCommit}, ${candidates},
  picked as (
    select p.* from asynchronous cross join candidates s
    cross join lateral (
      select d.account_id, d.endpoint_id, d.id, d.crashes, ${listOf(recipientColumns, 'e')}
      from (${endpoints}) w
      cross join lateral (
        select e.id, ${listOf(recipientColumns, 'e')} from webhook_endpoints e
        where e.account_id = s.account_id and e.id = w.endpoint_id and e.status = 'active' and e.deleted_at is null
          and (e.first_failure_at is not null or $5::jsonb ? e.id) = $6
        offset 0) e
      cross join lateral (
        select d.account_id, d.endpoint_id, d.id, d.crashes from deliveries d
        where d.account_id = s.account_id and d.endpoint_id = e.id and d.state = 'pending'
          and d.next_attempt_at <= $1 and d.lease_until <= $1
        order by d.next_attempt_at, d.id limit coalesce(($4::jsonb ->> e.id)::int, $3)
        for update skip locked) d
      limit coalesce(($9::jsonb ->> s.account_id)::int, $8)) p
    limit $7)
  update deliveries d set lease_until = $2, crashes = greatest(d.crashes, 1),
    tries = d.tries + case when p.crashes = 0 then 1 else 0 end
  from picked p
  where d.account_id = p.account_id and d.endpoint_id = p.endpoint_id and d.id = p.id
  returning d.account_id, d.endpoint_id, d.id, d.tenant, d.event_id, d.tries, d.attempts, p.crashes,
    ${listOf(recipientColumns, 'p')},
    (select ${textOfEvent('v')} from events v
     where v.tenant = d.tenant and v.id = d.event_id) as body`;

/** Endpoints with nothing in flight come first, so that a busy endpoint of the same account does not make them wait. */
const idleFirst = (id: string) => `$4::jsonb ? ${id}`;

export const claimHintedSql = claim(
  `candidates as (
    select h.account_id from unnest($10::text[]) with ordinality as h (account_id, n) order by h.n)`,
  `select e.id as endpoint_id from webhook_endpoints e
   where e.account_id = s.account_id and e.deleted_at is null
   order by ${idleFirst('e.id')}, e.id`,
);

/** Selects the account's first endpoint too, which saves reading the index for it again. */
const nextAccount = (
  after: string,
) => `select d.account_id, d.endpoint_id, d.next_attempt_at from deliveries d
    where d.state = 'pending' and d.account_id > ${after}
    order by d.account_id, d.endpoint_id, d.next_attempt_at limit 1`;

const nextWaiting = (after: string) => `select d.endpoint_id, d.next_attempt_at from deliveries d
      where d.account_id = s.account_id and d.state = 'pending' and d.endpoint_id > ${after}
      order by d.endpoint_id, d.next_attempt_at limit 1`;

/**
 * Walks the index from account to account and from endpoint to endpoint, so that the number of deliveries of each does
 * not matter.
 */
export const claimSweepSql = claim(
  `candidates as (
    (${nextAccount('$10::text')})
    union all
    select n.* from candidates c cross join lateral (${nextAccount('c.account_id')}) n)`,
  `with recursive waiting as (
      select s.endpoint_id, s.next_attempt_at
      union all
      select n.* from waiting w cross join lateral (${nextWaiting('w.endpoint_id')}) n)
    select endpoint_id from waiting where next_attempt_at <= $1
    order by ${idleFirst('endpoint_id')}, endpoint_id`,
);

/** The input columns of `finishSql`: the outcome of an attempt. */
export const endedColumns = {
  n: int,
  ...keyColumns,
  account_id: text,
  endpoint_id: text,
  event_id: text,
  tries: int,
  state: oneOf<DeliveryState>(),
  next_attempt_at: nullable(time),
  ...attemptColumns,
  started_at: time,
  ended_at: time,
} as const;

/** Records attempts, updates the state of their deliveries, and records for each endpoint whether it is failing. */
export const finishSql = `with input as (
    select * from ${rowsOfJson(endedColumns)}),
  ended as (
    update deliveries d set state = i.state, attempts = d.attempts + 1, crashes = 0, lease_until = '-infinity',
      next_attempt_at = coalesce(i.next_attempt_at, d.next_attempt_at),
      ended_at = case when i.state = 'pending' then null else i.ended_at end
    from input i
    where d.account_id = i.account_id and d.endpoint_id = i.endpoint_id and d.id = i.id and d.tries = i.tries
      -- Not "= 'pending'": the index of what is pending would do for that, read along all that waits.
      and d.state not in ('succeeded', 'failed', 'parked')
    returning i.n),
  recorded as (
    insert into delivery_attempts (account_id, endpoint_id, delivery_id, number, tenant, event_id, at, account_at,
      ${listOf(attemptColumns)})
    select account_id, endpoint_id, id, tries, tenant, event_id, started_at,
      ${timeOfTenant('i.tenant', 'i.started_at')}, ${listOf(attemptColumns)}
    from input i
    on conflict do nothing),
  outcomes as (
    select account_id, endpoint_id, bool_or(state = 'succeeded') as good, bool_or(state <> 'succeeded') as bad,
      min(started_at) as first, max(ended_at) as latest
    from input group by 1, 2),
  changes as (
    select o.*, not o.good and e.status = 'active' and e.deleted_at is null
        and e.first_failure_at <= o.latest - ${pauseAfter} as gives_up,
      o.bad and coalesce(e.last_failure_at <= o.latest - interval '1 minute', true) as is_noted
    from outcomes o join webhook_endpoints e on e.account_id = o.account_id and e.id = o.endpoint_id
    where o.good and e.first_failure_at is not null or not o.good and e.first_failure_at is null
      or o.bad and coalesce(e.last_failure_at <= o.latest - interval '1 minute', true)
      or not o.good and e.status = 'active' and e.first_failure_at <= o.latest - ${pauseAfter}),
  noted as (
    update webhook_endpoints e set
      first_failure_at = case when c.good then null else coalesce(e.first_failure_at, c.first) end,
      last_failure_at = case when c.is_noted then c.latest else e.last_failure_at end,
      status = case when c.gives_up then 'paused' else e.status end,
      paused_reason = case when c.gives_up then 'failing' else e.paused_reason end,
      notice_due = case when c.gives_up then 'paused' else e.notice_due end,
      notice_mail_at = case when c.gives_up then null else e.notice_mail_at end
    from changes c where e.account_id = c.account_id and e.id = c.endpoint_id)
  select n from ended`;
