import type { EventDelivery, TimelineStep } from '@till/contract/dashboard';
import type { MarkRow } from '../../card-testing/reads.ts';
import { type EventRow, eventsOf } from '../../events/reads.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { AlertRow } from '../../payment-alerts/alerts.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { RefundRow } from '../../refunds/row.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { AuditEntryRow } from '../../users/people/reads.ts';
import { deliveriesOf, type EventDeliveryRow } from '../../webhooks/lists/deliveries.ts';

type Moment = Pick<TimelineStep, 'kind' | 'object' | 'by'> & {
  readonly at: Date;
  readonly event: string | null;
};

const moment = (kind: string, object: string, at: Date, by: string | null = null): Moment => ({
  kind,
  object,
  at,
  by,
  event: null,
});

export interface TimelineSubject {
  readonly payment?: PaymentRow;
  readonly refunds: readonly RefundRow[];
  /** Ids of disputes. */
  readonly disputes: readonly string[];
  readonly alerts?: readonly AlertRow[];
  readonly marks?: readonly MarkRow[];
  readonly entries: readonly AuditEntryRow[];
}

/** What happened to a payment, its refunds and disputes, first to last, and to which endpoints each event was delivered. */
export async function timelineOf(
  db: Database,
  tenant: Tenant,
  { payment, refunds, disputes, alerts = [], marks = [], entries }: TimelineSubject,
): Promise<TimelineStep[]> {
  const objects = [
    ...(payment === undefined ? [] : [payment.id]),
    ...refunds.map(({ id }) => id),
    ...disputes,
  ];
  const events = await eventsOf(db, tenant, objects);
  const deliveries = await deliveriesOf(
    db,
    tenant,
    events.map(({ id }) => id),
  );
  const moments: Moment[] = [
    ...(payment === undefined ? [] : paymentMoments(payment, events)),
    ...(payment === undefined
      ? []
      : [
          ...alerts.map(({ kind, created_at: at }) => moment(`alert.${kind}`, payment.id, at)),
          ...marks.map(({ effect, at }) => moment(`card_testing.${effect}`, payment.id, at)),
        ]),
    ...refunds.map(({ id, created_at: at }) => moment('refund.created', id, at, refunderOf(entries, id))),
    ...events.map((event) => ({
      ...moment(
        kindOf(event, events),
        event.object_id,
        event.created_at,
        actorOf(entries, event.type, payment),
      ),
      event: event.id,
    })),
  ];
  // The sort is stable: of two steps at the same time, the one listed first above caused the other.
  return moments
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, ...step }) => ({
      ...step,
      at: isoSeconds(at),
      deliveries: deliveries.filter((delivery) => delivery.event_id === step.event).map(presentDelivery),
    }));
}

function paymentMoments(payment: PaymentRow, events: readonly EventRow[]): Moment[] {
  const { id, created_at: created, buyer_done_at: returned, three_d_secure: result } = payment;
  const settled = events.find(
    ({ object_id, type }) => object_id === id && type !== 'payment.requires_action',
  );
  return [
    moment('payment.created', id, created),
    ...(returned === null ? [] : [moment('buyer.returned', id, returned)]),
    // The result came with the answer that settled the payment or, if there is none yet, when the buyer came back.
    ...(result === null
      ? []
      : [moment('authentication.reported', id, settled?.created_at ?? returned ?? created)]),
  ];
}

/** A payment that fails after it was authorized is a hold whose capture the issuer declined. */
const kindOf = ({ type, object_id: object }: EventRow, events: readonly EventRow[]): string =>
  type === 'payment.failed' &&
  events.some((other) => other.type === 'payment.authorized' && other.object_id === object)
    ? 'capture.declined'
    : type;

const refunderOf = (entries: readonly AuditEntryRow[], refundId: string) =>
  entries.find(({ refund }) => refund === refundId)?.email ?? null;

/** The email of the person who captured or voided the payment in the dashboard; null if nobody did. */
function actorOf(
  entries: readonly AuditEntryRow[],
  type: string,
  payment: PaymentRow | undefined,
): string | null {
  const action =
    type === 'payment.voided'
      ? type
      : (type === 'payment.succeeded' || type === 'payment.failed') && payment?.capture_method === 'manual'
        ? 'payment.captured'
        : undefined;
  return entries.find((entry) => entry.action === action)?.email ?? null;
}

const presentDelivery = (row: EventDeliveryRow): EventDelivery => ({
  id: row.id,
  endpoint: row.endpoint_id,
  name: row.name,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at && isoSeconds(row.next_attempt_at),
});
