import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, PageQuery, Text } from '../../primitives/common.ts';

const State = Type.Enum(['pending', 'succeeded', 'failed', 'parked']);

/** The delivery of one event to one endpoint. */
export const Delivery = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  event: Type.String(),
  event_type: Type.String(),
  livemode: Type.Boolean(),
  /** `parked`: set aside because its attempts crashed the sending process. */
  state: State,
  /** Number of completed attempts since the event or the latest resend. */
  attempts: Type.Integer(),
  /** Account time. Null if it is due at once or will not be attempted again. */
  next_attempt_at: Nullable(IsoTime),
  /** Account time of the event. */
  created_at: IsoTime,
  /** The latest attempt that is still stored. */
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
  /** Why there is no response. */
  error: Nullable(Type.String()),
  duration_ms: Type.Integer(),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const DeliveryQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(State),
  type: Type.Optional(Text(100)),
  mode: Type.Optional(Type.Enum(['sandbox', 'live'])),
  /** Id of a payment in the current environment. Selects events about it, its refunds and its disputes. */
  payment: Type.Optional(Text(100)),
  /** Account time of the event. */
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const folder = '/accounts/:account/webhook_endpoints/:id';

/** Deliveries to an endpoint, in both modes, since an endpoint receives the events of both. */
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
        /** In order. Attempts of the last 30 days are stored. */
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
  /** Sends deliveries that wait for a retry or failed for good at a steady rate, or replays everything. */
  recoverDeliveries: {
    id: 'recoverDeliveries',
    method: 'POST',
    movesMoney: false,
    path: `${folder}/recover`,
    roles: rolesFor.developing,
    body: Type.Object({
      since: IsoTime,
      /** Exclusive. */
      until: Type.Optional(IsoTime),
      /** All types if absent. */
      types: Type.Optional(Type.Array(Text(100), { minItems: 1, maxItems: 50 })),
      /** Whether to include deliveries that succeeded and events that were never sent to the endpoint. */
      replay: Type.Optional(Type.Boolean()),
      per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: '50 where absent.' })),
    }),
    /** `left`: number of further matches that exceed what one call processes. */
    answers: { 200: Type.Object({ resent: Type.Integer(), left: Type.Integer() }) },
    audit: 'webhook_endpoint.recovered',
  },
  /** What a recovery would send, and its progress. */
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
        /** Pending without any attempt yet. */
        waiting: Type.Integer(),
        /** Pending after at least one failed attempt, waiting for the next one. */
        retrying: Type.Integer(),
      }),
    },
  },
} as const satisfies Record<string, DashboardOperation>;
