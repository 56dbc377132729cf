import { deliveryIdOf, insertDeliveries } from '../../events/events.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { WebhookDependencies } from '../dependencies.ts';
import { requireActive, requireEndpoint } from '../endpoints/endpoints.ts';
import { WebhookError } from '../errors.ts';

/** How many rows one statement changes, so that no statement locks many rows for long. */
export const recoveryBatch = 1000;

/**
 * Makes a delivery due at once, with the whole schedule ahead of it. Event and body stay as they were. The number of an
 * attempt that is in flight is outdated by this, so that its outcome cannot end the delivery again.
 */
const dueAgain = `state = 'pending', tries = tries + case when isfinite(lease_until) then 1 else 0 end, attempts = 0,
  crashes = 0, next_attempt_at = '-infinity', lease_until = '-infinity', ended_at = null`;

/**
 * Sends a delivery again, whatever its state: the same event and body with a fresh timestamp.
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`, `delivery_not_found`
 */
export async function retryDelivery(
  deps: Pick<WebhookDependencies, 'db' | 'wake'>,
  accountId: string,
  endpointId: string,
  deliveryId: string,
): Promise<void> {
  requireActive(await requireEndpoint(deps.db, accountId, endpointId));
  const rows = await deps.db.query({
    text: `update deliveries set ${dueAgain} where account_id = $1 and endpoint_id = $2 and id = $3 returning id`,
    values: [accountId, endpointId, deliveryId],
    scope: { accountId },
  });
  if (rows.length === 0) {
    throw new WebhookError('delivery_not_found', `There is no delivery ${deliveryId.slice(0, 100)}.`);
  }
  deps.wake(accountId);
}

/**
 * Sends an event to an endpoint, again or for the first time. The endpoint may have been added after the event, and need
 * not subscribe to events of this type.
 * @returns the delivery's id; undefined if there is no such event
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`
 */
export async function sendEventTo(
  deps: Pick<WebhookDependencies, 'db' | 'wake'>,
  tenant: Tenant,
  endpointId: string,
  eventId: string,
): Promise<string | undefined> {
  const { accountId } = tenant;
  requireActive(await requireEndpoint(deps.db, accountId, endpointId));
  const [row] = await deps.db.query<{ id: string; added: boolean }>({
    text: `with event as (
             select *, ${deliveryIdOf('id', '$3::text')} as delivery_id from events
             where tenant = $1 and id = $2),
           added as (
             ${insertDeliveries({
               account_id: '$4',
               endpoint_id: '$3',
               id: 'delivery_id',
               tenant: 'tenant',
               event_id: 'id',
               event_type: 'type',
               created_at: 'created_at',
             })} from event
             on conflict do nothing returning id)
           select delivery_id as id, exists (select from added) as added from event`,
    values: [tenant.tenant, eventId, endpointId, accountId],
    scope: tenant,
  });
  if (row?.added === false) await retryDelivery(deps, accountId, endpointId, row.id);
  else deps.wake(accountId);
  return row?.id;
}

/**
 * Sends all deliveries again that failed for good, for events since a time.
 * @param since time of the event, inclusive
 * @returns how many deliveries are sent again
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`
 */
export async function retryFailedSince(
  deps: Pick<WebhookDependencies, 'db' | 'wake'>,
  accountId: string,
  endpointId: string,
  since: Date,
): Promise<number> {
  requireActive(await requireEndpoint(deps.db, accountId, endpointId));
  const count = await retryFailed(deps.db, accountId, endpointId, since);
  deps.wake(accountId);
  return count;
}

async function retryFailed(
  db: Queryable,
  accountId: string,
  endpointId: string,
  since: Date,
): Promise<number> {
  let retried = 0;
  for (let last: string | null = ''; last !== null; ) {
    const [batch]: { count: number; last: string | null }[] = await db.query({
      name: 'retry_failed_deliveries',
      text: `with chosen as materialized (
               select id from deliveries
               where account_id = $1 and endpoint_id = $2 and state in ('failed', 'parked') and created_at >= $3 and id > $4
               order by id limit $5),
             retried as (
               update deliveries d set ${dueAgain} from chosen c
               where d.account_id = $1 and d.endpoint_id = $2 and d.id = c.id and d.state in ('failed', 'parked')
               returning d.id)
             select (select count(*)::int from retried) as count, (select max(id) from chosen) as last`,
      values: [accountId, endpointId, since, last, recoveryBatch],
      scope: { accountId },
    });
    retried += batch?.count ?? 0;
    last = batch?.last ?? null;
  }
  return retried;
}

/** Which deliveries a recovery sends again, and how fast. */
export interface Recovery {
  /** Time of the event, inclusive. */
  readonly since: Date;
  /** Time of the event, exclusive. */
  readonly until?: Date | undefined;
  /** Types of events; undefined for all types. */
  readonly types?: readonly string[] | undefined;
  /** How many deliveries become due per second. */
  readonly perSecond: number;
}

/** How many deliveries become due per second by default. */
export const defaultPerSecond = 50;
export const maxPerSecond = 500;
/** The maximum number of deliveries per call. The rest takes another call. */
export const maxRecovered = 100_000;

/**
 * Sends deliveries that wait for a retry and deliveries that failed for good, oldest event first. Instead of sending them
 * in a loop, it brings their next attempts forward at a steady rate, so that the lanes still share their slots among
 * accounts. Deliveries that are being attempted now, or are due sooner anyway, are left alone.
 * @returns how many are sent, and how many more match
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`
 */
export async function recoverDeliveries(
  deps: Pick<WebhookDependencies, 'db' | 'clock' | 'wake'>,
  accountId: string,
  endpointId: string,
  recovery: Recovery,
): Promise<{ sent: number; left: number }> {
  const { db, clock } = deps;
  requireActive(await requireEndpoint(db, accountId, endpointId));
  const { ids, total } = await recoverable(db, accountId, endpointId, recovery, clock.now());
  const first = clock.now().getTime();
  const gapMs = 1000 / recovery.perSecond;
  let sent = 0;
  for (let begun = 0; begun < ids.length; begun += recoveryBatch) {
    const [row] = await db.query<{ count: number }>({
      name: 'recover_deliveries',
      text: recoverSql,
      values: [
        accountId,
        endpointId,
        ids.slice(begun, begun + recoveryBatch),
        new Date(first + begun * gapMs),
        gapMs,
        clock.now(),
      ],
      scope: { accountId },
    });
    sent += row?.count ?? 0;
    deps.wake(accountId);
  }
  return { sent, left: total - ids.length };
}

/** The deliveries that a recovery sends, oldest event first, at most `maxRecovered` of them. @param now real time */
async function recoverable(
  db: Queryable,
  accountId: string,
  endpointId: string,
  { since, until, types }: Recovery,
  now: Date,
): Promise<{ ids: string[]; total: number }> {
  const wanted = `created_at >= $3
    and ($4::timestamptz is null or created_at < $4) and ($5::text[] is null or event_type = any($5))`;
  const rows = await db.query<{ id: string; total: number }>({
    name: 'recoverable_deliveries',
    // Each half of the union uses the index of its states.
    text: `select id, count(*) over () as total from (
             select id from deliveries
             where account_id = $1 and endpoint_id = $2 and ${wanted} and state = 'pending' and attempts > 0 and next_attempt_at > $7 and lease_until <= $7
             union all
             select id from deliveries where account_id = $1 and endpoint_id = $2 and ${wanted} and state in ('failed', 'parked')) d
           order by id limit $6`,
    values: [accountId, endpointId, since, until ?? null, types ?? null, maxRecovered, now],
    scope: { accountId },
  });
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

const recoverSql = `with chosen as (
    select id, n from unnest($3::text[]) with ordinality as c (id, n)),
  recovered as (
    update deliveries d set state = 'pending', attempts = 0, ended_at = null,
      crashes = case when d.state = 'pending' then d.crashes else 0 end,
      next_attempt_at = least(case when d.state = 'pending' then d.next_attempt_at end,
        $4::timestamptz + (c.n - 1) * $5::float8 * interval '1 millisecond')
    from chosen c
    where d.account_id = $1 and d.endpoint_id = $2 and d.id = c.id and d.lease_until <= $6
      and (d.state in ('failed', 'parked') or d.state = 'pending' and d.attempts > 0)
    returning d.id)
  select count(*) as count from recovered`;
