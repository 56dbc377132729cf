import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery, Text } from '../../primitives/common.ts';

const State = Type.Enum(['pending', 'succeeded', 'failed', 'parked']);

/** One event on its way to one endpoint. */
export const Delivery = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  event: Type.String(),
  event_type: Type.String(),
  livemode: Type.Boolean(),
  /** `parked`: set aside because its attempts ended the sender's process. */
  state: State,
  /** Ended ones, since the event or the latest resend. */
  attempts: Type.Integer(),
  /** Account time; null where it is due at once or never again. */
  next_attempt_at: Nullable(IsoTime),
  /** Account time of the event. */
  created_at: IsoTime,
  /** The latest one that is still kept. */
  last_attempt: Nullable(
    Type.Object({
      answer_status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      duration_ms: Type.Integer(),
      /** Account time. */
      at: IsoTime,
    }),
  ),
});
export type Delivery = Static<typeof Delivery>;

const Headers = Type.Record(Type.String(), Type.String());

export const DeliveryAttempt = Type.Object({
  number: Type.Integer(),
  /** Account time. */
  at: IsoTime,
  url: Type.String(),
  request_headers: Headers,
  request_body: Type.String(),
  answer_status: Nullable(Type.Integer()),
  answer_headers: Nullable(Headers),
  /** The first 8 KiB. */
  answer_body: Nullable(Type.String()),
  /** Why there is no answer. */
  error: Nullable(Type.String()),
  duration_ms: Type.Integer(),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const DeliveryQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(State),
  type: Type.Optional(Text(100)),
  mode: Type.Optional(Type.Enum(['sandbox', 'live'])),
  /** Id of a payment of the present environment: what is about it, its refunds and disputes. */
  payment: Type.Optional(Text(100)),
  /** Account time of the event. */
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const folder = '/accounts/:account/webhook_endpoints/:id';

/** What was sent to an endpoint, of both modes: an endpoint gets the events of both. */
export const deliveryOperations = {
  listDeliveries: {
    id: 'listDeliveries',
    method: 'GET',
    path: `${folder}/deliveries`,
    roles: rolesFor.developing,
    query: DeliveryQuery,
    answers: { 200: CappedPageOf(Delivery) },
  },
  retrieveDelivery: {
    id: 'retrieveDelivery',
    method: 'GET',
    path: `${folder}/deliveries/:delivery`,
    roles: rolesFor.developing,
    answers: {
      200: Type.Object({
        delivery: Delivery,
        /** First to last; those of the last 30 days are kept. */
        attempts: Type.Array(DeliveryAttempt),
      }),
    },
  },
  resendDelivery: {
    id: 'resendDelivery',
    method: 'POST',
    movesMoney: false,
    path: `${folder}/deliveries/:delivery/resend`,
    roles: rolesFor.developing,
    answers: { 200: Delivery },
    audit: 'webhook_delivery.resent',
  },
  /** Sends what waits for a later attempt and what failed for good, or everything once more, at a steady rate. */
  recoverDeliveries: {
    id: 'recoverDeliveries',
    method: 'POST',
    movesMoney: false,
    path: `${folder}/recover`,
    roles: rolesFor.developing,
    body: Type.Object({
      since: IsoTime,
      /** Not included. */
      until: Type.Optional(IsoTime),
      /** All where absent. */
      types: Type.Optional(Type.Array(Text(100), { minItems: 1, maxItems: 50 })),
      /** Also what had succeeded, and what the endpoint was never sent. */
      replay: Type.Optional(Type.Boolean()),
      per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: '50 where absent.' })),
    }),
    /** `left`: more that match than one call takes. */
    answers: { 200: Type.Object({ resent: Type.Integer(), left: Type.Integer() }) },
    audit: 'webhook_endpoint.recovered',
  },
  /** What would be sent once more, and how far it has come. */
  retrieveRecovery: {
    id: 'retrieveRecovery',
    method: 'GET',
    path: `${folder}/recover`,
    roles: rolesFor.developing,
    query: Type.Object({
      since: IsoTime,
      until: Type.Optional(IsoTime),
      type: Type.Optional(Text(100)),
    }),
    answers: {
      200: Type.Object({
        failed: Type.Integer(),
        /** Pending and not tried yet. */
        waiting: Type.Integer(),
        /** Pending after at least one failed attempt: they wait for a later one. */
        retrying: Type.Integer(),
      }),
    },
  },
} as const satisfies Record<string, DashboardOperation>;
