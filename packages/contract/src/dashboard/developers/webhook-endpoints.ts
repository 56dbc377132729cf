import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** An address of the merchant's that events are sent to. Its times are real time. */
export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  /** What the merchant calls it; null: it goes by its address. */
  name: Nullable(Type.String()),
  url: Type.String(),
  status: Type.Enum(['active', 'paused']),
  /** Why it is paused: by hand, or because nothing but failures came from it for five days. */
  paused_reason: Nullable(Type.Enum(['merchant', 'failing'])),
  additional_events: Type.Boolean(),
  /** The only types of events that it gets, or groups such as `payment.*`; null: as `additional_events` says. */
  event_types: Nullable(Type.Array(Type.String())),
  /** `thin`: events without the data of their object. */
  payload: Type.Enum(['full', 'thin']),
  /** For so long a rolled secret goes on signing beside the new one; 0: it ends at once. */
  secret_overlap_seconds: Type.Integer(),
  /** Until when the rolled secret signs too; null: only the present one does. */
  former_secret_until: Nullable(IsoTime),
  /** Since when every attempt failed; null where the latest one succeeded. */
  failing_since: Nullable(IsoTime),
  created_at: IsoTime,
  /** Of the last 24 hours. */
  attempted: Type.Integer(),
  succeeded: Type.Integer(),
  pending: Type.Integer(),
  /** Pending ones that wait for a later attempt after one that failed. */
  retrying: Type.Integer(),
  /** Account time of the oldest event that still waits. */
  oldest_pending_at: Nullable(IsoTime),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

const Name = Nullable(Type.String({ maxLength: 60 }));
const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'http:// or https://' });

/** What may be asked for of an endpoint beside its address. */
const options = {
  name: Type.Optional(Name),
  event_types: Type.Optional(
    Nullable(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50, uniqueItems: true })),
  ),
  payload: Type.Optional(Type.Enum(['full', 'thin'])),
  secret_overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
};

/** Shown this once. */
const Secret = Type.String({ description: 'whsec_…' });

const folder = '/accounts/:account/webhook_endpoints';
const one = `${folder}/:id` as const;

export const webhookEndpointOperations = {
  listWebhookEndpoints: {
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: folder,
    roles: rolesFor.developing,
    answers: { 200: Type.Object({ data: Type.Array(WebhookEndpoint) }) },
  },
  retrieveWebhookEndpoint: {
    id: 'retrieveWebhookEndpoint',
    method: 'GET',
    path: one,
    roles: rolesFor.developing,
    answers: { 200: WebhookEndpoint },
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
    // Events carry customers' data: a person who redirects them confirms the password first.
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
  /** What still waits carries the new signature. The old secret ends at once, or after the endpoint's overlap. */
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
        pending: Type.Integer(),
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
