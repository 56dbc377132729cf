import type { Queryable } from '../../store/database.ts';
import type { Tenant, TenantId } from '../../store/tenant.ts';
import { WebhookError } from '../errors.ts';

export type DeliveryState = 'pending' | 'succeeded' | 'failed' | 'parked';

export interface DeliveryRow {
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly id: string;
  readonly tenant: TenantId;
  readonly livemode: boolean;
  readonly event_id: string;
  readonly event_type: string;
  readonly state: DeliveryState;
  /** Ended attempts since the event or the latest manual retry. */
  readonly attempts: number;
  /** Real time; null where it is due at once or never again. */
  readonly next_attempt_at: Date | null;
  /** Time of the event. */
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

export interface AttemptRow {
  readonly number: number;
  readonly at: Date;
  readonly url: string;
  /** The event as it was sent. */
  readonly request_body: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly answer_status: number | null;
  readonly answer_headers: Readonly<Record<string, string>> | null;
  readonly answer_body: string | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

const columns = `d.account_id, d.endpoint_id, d.id, d.tenant, t.livemode, d.event_id, d.event_type, d.state, d.attempts,
  case when d.state = 'pending' and isfinite(d.next_attempt_at) then d.next_attempt_at end as next_attempt_at,
  d.created_at, d.ended_at`;

export interface DeliveryFilter {
  readonly livemode?: boolean | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  /** Time of the event, inclusive. */
  readonly since?: Date | undefined;
  /** The last id of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** One page of an endpoint's deliveries, newest event first. */
export async function listDeliveries(
  db: Queryable,
  accountId: string,
  endpointId: string,
  filter: DeliveryFilter,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>({
    text: `select ${columns} from deliveries d join tenants t on t.tenant = d.tenant
           where d.account_id = $1 and d.endpoint_id = $2 and ($3::boolean is null or t.livemode = $3)
             and ($4::text is null or d.state = $4) and ($5::text is null or d.event_type = $5)
             and ($6::timestamptz is null or d.created_at >= $6) and ($7::text is null or d.id < $7)
           order by d.id desc limit $8`,
    values: [
      accountId,
      endpointId,
      filter.livemode ?? null,
      filter.state ?? null,
      filter.type ?? null,
      filter.since ?? null,
      filter.before ?? null,
      filter.limit,
    ],
    scope: { accountId },
  });
}

/** Where an event of the account was sent to. */
export async function listDeliveriesOfEvent(
  db: Queryable,
  tenant: Tenant,
  eventId: string,
): Promise<DeliveryRow[]> {
  // A delivery's id begins with the time of its event, so that each endpoint's part of the key is a narrow range.
  return db.query<DeliveryRow>({
    text: `select ${columns} from webhook_endpoints e join deliveries d on d.account_id = e.account_id
             and d.endpoint_id = e.id and d.id between 'dlv_' || substr($3, 5, 8) and 'dlv_' || substr($3, 5, 8) || 'z'
           join tenants t on t.tenant = d.tenant
           where e.account_id = $1 and d.tenant = $2 and d.event_id = $3 order by d.endpoint_id`,
    values: [tenant.accountId, tenant.tenant, eventId],
    scope: tenant,
  });
}

/** The attempts of a delivery, first to last; those of the last 30 days are kept. */
export async function listAttempts(
  db: Queryable,
  delivery: Pick<DeliveryRow, 'account_id' | 'endpoint_id' | 'id' | 'tenant'>,
): Promise<AttemptRow[]> {
  return db.query<AttemptRow>({
    text: `select a.number, a.at, a.url, a.request_headers, v.body as request_body, a.answer_status,
             a.answer_headers, a.answer_body, a.error, a.duration_ms
           from delivery_attempts a
           join events v on v.tenant = a.tenant and v.id = a.event_id
           where a.account_id = $1 and a.endpoint_id = $2 and a.delivery_id = $3 order by a.number`,
    values: [delivery.account_id, delivery.endpoint_id, delivery.id],
    scope: { tenant: delivery.tenant },
  });
}

/**
 * A delivery that an operator names by its id alone, whosever it is.
 * @throws WebhookError `delivery_not_found`
 */
export async function findDelivery(db: Queryable, deliveryId: string): Promise<DeliveryRow> {
  const [row] = await db.query<DeliveryRow>({
    text: `select ${columns} from webhook_endpoints e
           join deliveries d on d.account_id = e.account_id and d.endpoint_id = e.id and d.id = $1
           join tenants t on t.tenant = d.tenant`,
    values: [deliveryId],
    scope: 'everybody',
  });
  if (row === undefined) {
    throw new WebhookError('delivery_not_found', `There is no delivery ${deliveryId.slice(0, 100)}.`);
  }
  return row;
}

export interface EndpointHealth {
  readonly succeeded: number;
  readonly attempted: number;
  readonly pending: number;
  /** Time of the oldest event that is still to be delivered. */
  readonly oldest_pending: Date | null;
}

/** How an endpoint has done since a real time, and what waits for it. */
export async function endpointHealth(
  db: Queryable,
  accountId: string,
  endpointId: string,
  since: Date,
): Promise<EndpointHealth> {
  const [row] = await db.query<EndpointHealth>({
    text: `select a.succeeded, a.attempted, p.pending, p.oldest_pending
           from (select count(*) filter (where answer_status between 200 and 299) as succeeded, count(*) as attempted
                 from delivery_attempts where account_id = $1 and endpoint_id = $2 and at >= $3) a,
                (select count(*) as pending, min(created_at) as oldest_pending
                 from deliveries where account_id = $1 and endpoint_id = $2 and state = 'pending') p`,
    values: [accountId, endpointId, since],
    scope: { accountId },
  });
  return row ?? { succeeded: 0, attempted: 0, pending: 0, oldest_pending: null };
}
