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
    body: Type.Object({ url: Url, name: Type.Optional(Name), additional_events: Type.Boolean() }),
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
      name: Type.Optional(Name),
      additional_events: Type.Optional(Type.Boolean()),
    }),
    answers: { 200: WebhookEndpoint },
    audit: 'webhook_endpoint.updated',
  },
  /** The old secret ends at once; what still waits carries the new signature. */
  rollWebhookSecret: {
    id: 'rollWebhookSecret',
    method: 'POST',
    movesMoney: false,
    path: `${one}/roll`,
    roles: rolesFor.developing,
    confirmation: true,
    answers: { 200: Type.Object({ secret: Secret, pending: Type.Integer() }) },
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
