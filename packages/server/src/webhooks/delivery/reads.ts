import { timeOfTenant } from '../../accounts/sql.ts';
import { textOfEvent } from '../../events/events.ts';
import { thinEvent } from '../../events/thin.ts';
import {
  bool,
  int,
  json,
  keyColumns,
  listOf,
  nullable,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { WebhookError } from '../errors.ts';

export type DeliveryState = 'pending' | 'succeeded' | 'failed' | 'parked';

export const deliveryColumns = {
  account_id: text,
  endpoint_id: text,
  ...keyColumns,
  livemode: bool,
  event_id: text,
  event_type: text,
  state: oneOf<DeliveryState>(),
  /** Attempts that ended since the event or the latest manual retry. */
  attempts: int,
  /** In account time, which the schedule's gaps follow; null if the delivery is due at once or is never attempted again. */
  next_attempt_at: nullable(time),
  /** Time of the event. */
  created_at: time,
  ended_at: nullable(time),
} as const;

export type DeliveryRow = RowOf<typeof deliveryColumns>;

/** SQL of the account time at which a delivery is attempted next. @param d the alias of its table */
export const nextAttemptOf = (
  d: string,
): string => `case when ${d}.state = 'pending' and isfinite(${d}.next_attempt_at)
    then ${timeOfTenant(`${d}.tenant`, `${d}.next_attempt_at`)} end`;

/** SQL of the columns of a delivery `d` that differ from the stored value. */
export const computedOfDelivery = {
  livemode: '(select livemode from tenants where tenant = d.tenant)',
  next_attempt_at: nextAttemptOf('d'),
} as const;

const columns = listOf(deliveryColumns, 'd', computedOfDelivery);

/** The stored columns of each attempt, which are written when it ends (`delivery-sql.ts`). */
export const attemptColumns = {
  url: text,
  request_headers: json<Readonly<Record<string, string>>>(),
  answer_status: nullable(int),
  answer_headers: nullable(json<Readonly<Record<string, string>>>()),
  /** The first 8 KiB, as text. */
  answer_body: nullable(text),
  /** Why there is no answer, in words for the merchant. */
  error: nullable(text),
  duration_ms: int,
  /** The event was sent without its object's data. */
  thin: bool,
} as const;
const listedAttemptColumns = {
  ...attemptColumns,
  number: int,
  /** Account time. */
  at: time,
  /** The event as it was sent. */
  request_body: text,
} as const;

export type AttemptRow = RowOf<typeof listedAttemptColumns>;

export interface DeliveryFilter {
  readonly livemode?: boolean | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  /** Time of the event, inclusive. */
  readonly since?: Date | undefined;
  /** The last id of the previous page. */
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
    text: `select ${columns} from deliveries d
           where d.account_id = $1 and d.endpoint_id = $2
             and ($3::boolean is null or d.tenant in (select tenant from tenants where account_id = $1 and livemode = $3))
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

/** The deliveries of an event of the account. */
export async function listDeliveriesOfEvent(
  db: Queryable,
  tenant: Tenant,
  eventId: string,
): Promise<DeliveryRow[]> {
  // A delivery's id begins with the time of its event, so that only a narrow range of the key is read for each endpoint.
  return db.query<DeliveryRow>({
    text: `select ${columns} from webhook_endpoints e join deliveries d on d.account_id = e.account_id
             and d.endpoint_id = e.id and d.id between 'dlv_' || substr($3, 5, 8) and 'dlv_' || substr($3, 5, 8) || 'z'
           where e.account_id = $1 and d.tenant = $2 and d.event_id = $3 order by d.endpoint_id`,
    values: [tenant.accountId, tenant.tenant, eventId],
    scope: tenant,
  });
}

/** The attempts of a delivery, first to last. Attempts are stored for 30 days. */
export async function listAttempts(
  db: Queryable,
  delivery: Pick<DeliveryRow, 'account_id' | 'endpoint_id' | 'id' | 'tenant'>,
): Promise<AttemptRow[]> {
  const rows = await db.query<AttemptRow>({
    text: `select ${listOf(listedAttemptColumns, 'a', { at: 'a.account_at', request_body: textOfEvent('v') })}
           from delivery_attempts a
           join events v on v.tenant = a.tenant and v.id = a.event_id
           where a.account_id = $1 and a.endpoint_id = $2 and a.delivery_id = $3 order by a.number`,
    values: [delivery.account_id, delivery.endpoint_id, delivery.id],
    scope: { tenant: delivery.tenant },
  });
  return rows.map((row) => (row.thin ? { ...row, request_body: thinEvent(row.request_body) } : row));
}

/** Finds the delivery of any account by its id alone, as an operator names it. @throws WebhookError `delivery_not_found` */
export async function findDelivery(db: Queryable, deliveryId: string): Promise<DeliveryRow> {
  const [row] = await db.query<DeliveryRow>({
    text: `select ${columns} from webhook_endpoints e
           join deliveries d on d.account_id = e.account_id and d.endpoint_id = e.id and d.id = $1`,
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
  /** How many of the pending deliveries failed at least once and wait for a later attempt. */
  readonly retrying: number;
  /** Time of the oldest event whose delivery is pending. */
  readonly oldest_pending: Date | null;
}

/** An endpoint's attempts since a real time, and its pending deliveries. */
export async function endpointHealth(
  db: Queryable,
  accountId: string,
  endpointId: string,
  since: Date,
): Promise<EndpointHealth> {
  const [row] = await db.query<EndpointHealth>({
    text: `select a.succeeded, a.attempted, p.pending, p.retrying, p.oldest_pending
           from (select count(*) filter (where answer_status between 200 and 299) as succeeded, count(*) as attempted
                 from delivery_attempts where account_id = $1 and endpoint_id = $2 and at >= $3) a,
                (select count(*) as pending, count(*) filter (where attempts > 0) as retrying,
                   min(created_at) as oldest_pending
                 from deliveries where account_id = $1 and endpoint_id = $2 and state = 'pending') p`,
    values: [accountId, endpointId, since],
    scope: { accountId },
  });
  return row ?? { succeeded: 0, attempted: 0, pending: 0, retrying: 0, oldest_pending: null };
}
