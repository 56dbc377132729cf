import { idBound } from '../../accounts/sql.ts';
import { deliveryIdOf, insertDeliveries, isWanted } from '../../events/events.ts';
import { idsFrom } from '../../lib/ids.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { maxRecovered, type Recovery, recoveryBatch } from '../delivery/retry.ts';
import type { WebhookDependencies } from '../dependencies.ts';
import { requireActive, requireEndpoint } from '../endpoints/endpoints.ts';
import { beginReplay, endReplay } from '../endpoints/store.ts';
import { WebhookError } from '../errors.ts';

/**
 * A replay whose process ended no longer blocks another one after this time, which is longer than writing 100,000
 * deliveries takes.
 */
const maxWritingMs = 600_000;

/**
 * Sends the events of a time range to an endpoint again, including those that succeeded and those that were never sent to
 * it, if it subscribes to their type now. They become due oldest first at a steady rate. Deliveries that are being
 * attempted or still wait for their first attempt are left alone. An endpoint has one replay at a time, until the last of
 * its deliveries is due.
 * @param max maximum number of events of each mode; the oldest are taken
 * @returns how many are sent, and how many more match
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`, `replay_under_way`
 */
export async function replayEvents(
  deps: Pick<WebhookDependencies, 'db' | 'clock' | 'wake'>,
  accountId: string,
  endpointId: string,
  replay: Recovery,
  max: number = maxRecovered,
): Promise<{ sent: number; left: number }> {
  const { db, clock } = deps;
  requireActive(await requireEndpoint(db, accountId, endpointId));
  const now = clock.now();
  const reservedUntil = new Date(now.getTime() + maxWritingMs);
  if (!(await beginReplay(db, accountId, endpointId, { now, until: reservedUntil }))) {
    throw new WebhookError(
      'replay_under_way',
      `A replay to ${endpointId} is under way. Wait until its deliveries were due.`,
    );
  }
  let last = now;
  try {
    return await sendAll(deps, accountId, endpointId, { ...replay, max }, (due) => {
      last = due;
    });
  } finally {
    await endReplay(db, accountId, endpointId, { reservedUntil, until: last });
  }
}

/**
 * Makes deliveries due in batches.
 * @param noted called after each batch with the time at which the last written delivery is due
 */
async function sendAll(
  deps: Pick<WebhookDependencies, 'db' | 'clock' | 'wake'>,
  accountId: string,
  endpointId: string,
  replay: Recovery & { readonly max: number },
  noted: (due: Date) => void,
): Promise<{ sent: number; left: number }> {
  const { db, clock } = deps;
  const first = clock.now().getTime();
  const gapMs = 1000 / replay.perSecond;
  const dueAt = (place: number) => new Date(first + place * gapMs);
  let begun = 0;
  let sent = 0;
  let left = 0;
  for (const tenant of await tenantsOfAccount(db, accountId)) {
    const { ids, total } = await replayable(db, tenant, endpointId, replay);
    left += total - ids.length;
    for (let at = 0; at < ids.length; at += recoveryBatch) {
      const batch = ids.slice(at, at + recoveryBatch);
      sent += await sendAgain(db, tenant, endpointId, {
        batch,
        dueFrom: dueAt(begun),
        gapMs,
        now: clock.now(),
      });
      begun += batch.length;
      noted(dueAt(begun - 1));
      deps.wake(accountId);
    }
  }
  return { sent, left };
}

const tenantsOfAccount = (db: Queryable, accountId: string): Promise<Tenant[]> =>
  db.query<Tenant>({
    text: `select tenant, account_id as "accountId", livemode from tenants where account_id = $1 order by livemode`,
    values: [accountId],
    scope: { accountId },
  });

/** The events of one mode that a replay sends, oldest first, at most `max` of them. */
async function replayable(
  db: Queryable,
  tenant: Tenant,
  endpointId: string,
  { since, until, types, max }: Recovery & { readonly max: number },
): Promise<{ ids: string[]; total: number }> {
  const rows = await db.query<{ id: string; total: number }>({
    name: 'replayable_events',
    text: `select v.id, count(*) over () as total from webhook_endpoints e join events v on v.tenant = $4
           where e.account_id = $1 and e.id = $2 and v.id >= ${idBound('evt', '$3', 'first')}
             and v.created_at >= $5 and ($6::timestamptz is null or v.created_at < $6)
             and ($7::text[] is null or v.type = any($7)) and v.type <> 'endpoint.test' and ${isWanted('e', 'v.type')}
           order by v.id limit $8`,
    values: [
      tenant.accountId,
      endpointId,
      idsFrom('evt', since),
      tenant.tenant,
      since,
      until ?? null,
      types ?? null,
      max,
    ],
    scope: tenant,
  });
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

// The endpoint stays locked, so that a concurrent deletion waits and then ends the deliveries that were written.
const sendAgainSql = `with endpoint as (
    select id from webhook_endpoints where account_id = $1 and id = $2 and deleted_at is null for share),
  chosen as (
    select v.tenant, v.id, v.type, v.created_at, c.n, ${deliveryIdOf('v.id', '$2::text')} as delivery_id
    from unnest($4::text[]) with ordinality as c (id, n) join events v on v.tenant = $3 and v.id = c.id
    where exists (select from endpoint)),
  due as (
    select *, $5::timestamptz + (n - 1) * $6::float8 * interval '1 millisecond' as due_at from chosen),
  again as (
    update deliveries d set state = 'pending', attempts = 0, ended_at = null,
      crashes = case when d.state = 'pending' then d.crashes else 0 end,
      next_attempt_at = least(case when d.state = 'pending' then d.next_attempt_at end, c.due_at)
    from due c
    where d.account_id = $1 and d.endpoint_id = $2 and d.id = c.delivery_id and d.lease_until <= $7
      and (d.state <> 'pending' or d.attempts > 0)
    returning d.id),
  added as (
    ${insertDeliveries({
      account_id: '$1',
      endpoint_id: '$2',
      id: 'delivery_id',
      tenant: 'tenant',
      event_id: 'id',
      event_type: 'type',
      created_at: 'created_at',
    })} from due
    on conflict do nothing returning id)
  select (select count(*) from again) + (select count(*) from added) as count`;

/** @returns how many deliveries were made due */
async function sendAgain(
  db: Queryable,
  tenant: Tenant,
  endpointId: string,
  {
    batch,
    dueFrom,
    gapMs,
    now,
  }: {
    readonly batch: readonly string[];
    readonly dueFrom: Date;
    readonly gapMs: number;
    readonly now: Date;
  },
): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: 'replay_events',
    text: sendAgainSql,
    values: [tenant.accountId, endpointId, tenant.tenant, batch, dueFrom, gapMs, now],
    scope: tenant,
  });
  return row?.count ?? 0;
}
