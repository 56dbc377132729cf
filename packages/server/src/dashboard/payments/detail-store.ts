import type { EventDelivery } from '@till/contract/dashboard';
import type { PaymentOperationKind } from '../../payments/operations/recoveries.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** What of a payment's refunds is under way, and what is asked of its processor without an answer. */
export interface PaymentFacts {
  /** Pending refunds, in minor units. */
  readonly pending: number;
  readonly doubt_kind: PaymentOperationKind | null;
  readonly doubt_since: Date | null;
}

export async function paymentFacts(db: Database, tenant: Tenant, paymentId: string): Promise<PaymentFacts> {
  const [row] = await db.query<PaymentFacts>({
    name: 'dashboard_payment_facts',
    text: `select o.kind as doubt_kind, o.created_at as doubt_since,
             coalesce((select sum(r.amount) from refunds r where r.tenant = $1
                         and r.payment_id = $2 and r.status = 'pending'), 0)::bigint as pending
           from payments p
           left join operations o on o.tenant = $1 and o.subject = $2
           where p.tenant = $1 and p.id = $2`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
  return row ?? { pending: 0, doubt_kind: null, doubt_since: null };
}

export interface EventRow {
  readonly id: string;
  readonly object_id: string;
  readonly type: string;
  readonly created_at: Date;
}

/** The events of some objects, in the order of their commits. */
export function eventsOf(db: Database, tenant: Tenant, objects: readonly string[]): Promise<EventRow[]> {
  return db.query<EventRow>({
    name: 'dashboard_events_of',
    text: `select id, object_id, type, created_at from events
           where tenant = $1 and object_id = any($2) order by seq limit 500`,
    values: [tenant.tenant, objects],
    scope: tenant,
  });
}

export interface DeliveryRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly name: string | null;
  readonly url: string;
  readonly event_id: string;
  readonly state: EventDelivery['state'];
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
}

/** Where some events were sent to. */
export function deliveriesOf(
  db: Database,
  tenant: Tenant,
  events: readonly string[],
): Promise<DeliveryRow[]> {
  // A delivery's id begins with the time of its event, so that each endpoint's part of the key is a narrow range.
  return db.query<DeliveryRow>({
    name: 'dashboard_deliveries_of',
    // Everybody sees this: what follows the host may be secret.
    text: `select d.id, d.endpoint_id, e.name, substring(e.url from '^[A-Za-z]+://[^/?#]+') as url, d.event_id, d.state, d.attempts,
             case when d.state = 'pending' and isfinite(d.next_attempt_at) then d.next_attempt_at end
               as next_attempt_at
           from unnest($3::text[]) as v (id)
           join webhook_endpoints e on e.account_id = $1
           join deliveries d on d.account_id = $1 and d.endpoint_id = e.id and d.tenant = $2 and d.event_id = v.id
             and d.id between 'dlv_' || substr(v.id, 5, 8) and 'dlv_' || substr(v.id, 5, 8) || 'z'
           order by e.id`,
    values: [tenant.accountId, tenant.tenant, events],
    scope: tenant,
  });
}
