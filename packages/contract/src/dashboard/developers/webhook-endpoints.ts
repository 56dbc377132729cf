import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** An address of the merchant that events are sent to. Its times are real time. */
export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  /** The merchant's name for the endpoint. Null if the dashboard shows its address instead. */
  name: Nullable(Type.String()),
  url: Type.String(),
  status: Type.Enum(['active', 'paused']),
  /** Why it is paused: manually by the merchant, or because all attempts failed for five days. */
  paused_reason: Nullable(Type.Enum(['merchant', 'failing'])),
  additional_events: Type.Boolean(),
  /**
   * The only event types that it receives, or groups such as `payment.*`. Null if `additional_events`
   * decides.
   */
  event_types: Nullable(Type.Array(Type.String())),
  /** `thin`: events without their object's data. */
  payload: Type.Enum(['full', 'thin']),
  /** For how many seconds a rolled secret still signs beside the new one. If 0, it stops at once. */
  secret_overlap_seconds: Type.Integer(),
  /** Until when the rolled secret still signs. Null if only the current one does. */
  former_secret_until: Nullable(IsoTime),
  /** Since when all attempts have failed. Null if the latest one succeeded. */
  failing_since: Nullable(IsoTime),
  created_at: IsoTime,
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

const Health = Type.Object({
  /** Attempts of the last 24 hours. */
  attempted: Type.Integer(),
  /** Successful attempts of the last 24 hours. */
  succeeded: Type.Integer(),
  pending: Type.Integer(),
  /** Pending deliveries that failed at least once and wait for a later attempt. */
  retrying: Type.Integer(),
  /** Account time of the oldest event whose delivery is pending. */
  oldest_pending_at: Nullable(IsoTime),
});
export type WebhookEndpointHealth = Static<typeof Health>;

/** An endpoint with its deliveries' figures. `health` is null if counting them would take too long. */
const EndpointWithHealth = Type.Object({ ...WebhookEndpoint.properties, health: Nullable(Health) });

const Name = Nullable(Type.String({ maxLength: 60 }));
const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'http:// or https://' });

/** The optional settings of an endpoint. */
const options = {
  name: Type.Optional(Name),
  event_types: Type.Optional(
    Nullable(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50, uniqueItems: true })),
  ),
  payload: Type.Optional(Type.Enum(['full', 'thin'])),
  secret_overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
};

/** Returned only once. */
const Secret = Type.String({ description: 'whsec_…' });

const folder = '/accounts/:account/webhook_endpoints';
const one = `${folder}/:id` as const;

export const webhookEndpointOperations = {
  listWebhookEndpoints: {
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: folder,
    roles: rolesFor.developing,
    answers: { 200: Type.Object({ data: Type.Array(EndpointWithHealth) }) },
  },
  retrieveWebhookEndpoint: {
    id: 'retrieveWebhookEndpoint',
    method: 'GET',
    path: one,
    roles: rolesFor.developing,
    answers: { 200: EndpointWithHealth },
  },
  createWebhookEndpoint: {
    id: 'createWebhookEndpoint',
    method: 'POST',
    movesMoney: false,
    path: folder,
    roles: rolesFor.developing,
    confirmation: true,
    body: Type.Object({ url: Url, additional_events: Type.Boolean(), ...options }),
    answers: { 201: Type.Object({ endpoint: WebhookEndpoint, secret: Secret }) },
    audit: 'webhook_endpoint.created',
  },
  updateWebhookEndpoint: {
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: one,
    roles: rolesFor.developing,
    // Events contain customers' data, so redirecting them requires the password again.
    confirmation: true,
    body: Type.Object({
      url: Type.Optional(Url),
      additional_events: Type.Optional(Type.Boolean()),
      ...options,
    }),
    keepsNull: ['name', 'event_types'],
    answers: { 200: WebhookEndpoint },
    audit: 'webhook_endpoint.updated',
  },
  /**
   * Rolls the secret. Pending deliveries are signed with the new one. The old secret stops at once, or after
   * the endpoint's overlap.
   */
  rollWebhookSecret: {
    id: 'rollWebhookSecret',
    method: 'POST',
    movesMoney: false,
    path: `${one}/roll`,
    roles: rolesFor.developing,
    confirmation: true,
    answers: {
      200: Type.Object({
        secret: Secret,
        former_secret_until: Nullable(IsoTime),
      }),
    },
    audit: 'webhook_endpoint.secret_rolled',
  },
  pauseWebhookEndpoint: {
    id: 'pauseWebhookEndpoint',
    method: 'POST',
    movesMoney: false,
    path: `${one}/pause`,
    roles: rolesFor.developing,
    answers: { 200: WebhookEndpoint },
    audit: 'webhook_endpoint.paused',
  },
  resumeWebhookEndpoint: {
    id: 'resumeWebhookEndpoint',
    method: 'POST',
    movesMoney: false,
    path: `${one}/resume`,
    roles: rolesFor.developing,
    answers: { 200: WebhookEndpoint },
    audit: 'webhook_endpoint.resumed',
  },
  deleteWebhookEndpoint: {
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: one,
    roles: rolesFor.developing,
    answers: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
    audit: 'webhook_endpoint.deleted',
  },
  sendTestEvent: {
    id: 'sendTestEvent',
    method: 'POST',
    movesMoney: false,
    path: `${one}/test`,
    roles: rolesFor.developing,
    answers: { 201: Type.Object({ event: Type.String(), delivery: Nullable(Type.String()) }) },
    audit: 'webhook_endpoint.tested',
  },
} as const satisfies Record<string, DashboardOperation>;
