import { deliveryIdOf } from '../../events/events.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { WebhookDependencies } from '../dependencies.ts';
import { requireActive, requireEndpoint } from '../endpoints/endpoints.ts';
import { WebhookError } from '../errors.ts';

/**
 * Due at once, with the whole schedule ahead. Event and body stay as they were. An attempt that is under way counts as
 * overtaken: how it ends must not end this.
 */
const again = `state = 'pending', tries = tries + case when isfinite(lease_until) then 1 else 0 end, attempts = 0,
  crashes = 0, next_attempt_at = '-infinity', lease_until = '-infinity', ended_at = null`;

/**
 * Sends a delivery once more, whatever became of it: the same event and body with a fresh timestamp.
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
    text: `update deliveries set ${again} where account_id = $1 and endpoint_id = $2 and id = $3 returning id`,
    values: [accountId, endpointId, deliveryId],
    scope: { accountId },
  });
  if (rows.length === 0) {
    throw new WebhookError('delivery_not_found', `There is no delivery ${deliveryId.slice(0, 100)}.`);
  }
  deps.wake(accountId);
}

/**
 * Sends an event to an endpoint, once more or for the first time: also to one that was added later, or that does not ask
 * for events of this type.
 * @returns the delivery's id; undefined where there is no such event
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
             insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, created_at)
             select $4, $3, delivery_id, tenant, id, type, 'pending', created_at from event
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
 * Sends everything once more that failed for good, of events since a time.
 * @param since time of the event, inclusive
 * @returns how many deliveries
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
  const [row] = await db.query<{ count: number }>({
    text: `with retried as (
             update deliveries set ${again}
             where account_id = $1 and endpoint_id = $2 and state in ('failed', 'parked') and created_at >= $3
             returning id)
           select count(*) as count from retried`,
    values: [accountId, endpointId, since],
    scope: { accountId },
  });
  return row?.count ?? 0;
}
