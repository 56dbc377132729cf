import { findWebhookDirective, notificationDelayMs } from '../../directives/webhook-directives.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DeliveryFlaw } from '../../outbox/outbox.ts';
import { eventId } from '../model/identities.ts';
import type { EventRow } from '../model/instruments.ts';
import { internetTime } from '../model/order.ts';
import type { View } from '../present/present.ts';

/** The origin of the simulated upstream in events, where no request provides one. */
export const sandboxOrigin = 'https://processor-b.sandbox.invalid';

/** The view for resources in events, whose links nobody follows. */
export function eventView(at: Date): View {
  return { api: sandboxOrigin, pages: sandboxOrigin, now: at };
}

/**
 * The events that PayPal sends on its own and the simulator implements (PayPal docs, "Webhook event names").
 */
export type EventType =
  | 'CHECKOUT.ORDER.APPROVED'
  | 'PAYMENT.AUTHORIZATION.CREATED'
  | 'PAYMENT.AUTHORIZATION.VOIDED'
  | 'PAYMENT.CAPTURE.COMPLETED'
  | 'PAYMENT.CAPTURE.DECLINED'
  | 'PAYMENT.CAPTURE.REFUNDED'
  | 'PAYMENT.CAPTURE.REVERSED'
  | 'PAYMENT.REFUND.FAILED'
  | 'VAULT.PAYMENT-TOKEN.CREATED'
  | 'VAULT.PAYMENT-TOKEN.DELETED'
  | 'CUSTOMER.DISPUTE.CREATED'
  | 'CUSTOMER.DISPUTE.UPDATED'
  | 'CUSTOMER.DISPUTE.RESOLVED';

/** Resource type and version by the prefix of the event's name. */
const resourceTypes: readonly (readonly [beginning: string, type: string, version: string])[] = [
  ['CHECKOUT.ORDER.', 'checkout-order', '2.0'],
  ['PAYMENT.AUTHORIZATION.', 'authorization', '2.0'],
  ['PAYMENT.CAPTURE.REFUNDED', 'refund', '2.0'],
  ['PAYMENT.CAPTURE.', 'capture', '2.0'],
  ['PAYMENT.REFUND.', 'refund', '2.0'],
  ['VAULT.PAYMENT-TOKEN.', 'payment_token', '3.0'],
  ['CUSTOMER.DISPUTE.', 'dispute', '1.0'],
];

export interface Happening {
  readonly type: EventType;
  /** Distinguishes occurrences of the same type. The event's id is derived from it. */
  readonly key: string;
  readonly resource: JsonObject;
  /** When it occurs. The event is sent a moment later. */
  readonly at: Date;
}

/** How the events of a payment are delivered according to its directive. */
export interface Delivery {
  readonly delayMs: number;
  readonly flaw: DeliveryFlaw | null;
}

export function deliveryOf(directive: string | null): Delivery {
  const does = directive === null ? undefined : findWebhookDirective(directive)?.does;
  if (does === 'first') return { delayMs: 0, flaw: null };
  return { delayMs: notificationDelayMs, flaw: does ?? null };
}

/** The event id of something that happens once. `planEvent` uses the same id for it. */
export const plannedId = (merchantAccount: string, type: EventType, key: string): string =>
  eventId(merchantAccount, `${type} ${key}`);

/** Builds an event (PayPal Webhooks v1, event) that is sent when it is due. */
export function planEvent(
  merchantAccount: string,
  { type, key, resource, at }: Happening,
  { delayMs, flaw }: Delivery = deliveryOf(null),
): EventRow {
  const id = plannedId(merchantAccount, type, key);
  const [, resource_type, resource_version] = resourceTypes.find(([name]) => type.startsWith(name)) ?? [];
  const body = {
    id,
    event_version: '1.0',
    create_time: internetTime(at),
    resource_type,
    resource_version,
    event_type: type,
    summary: `${type.replaceAll(/[.-]/g, ' ').toLowerCase()}: ${key}`,
    resource,
    links: [
      {
        href: `${sandboxOrigin}/v1/notifications/webhooks-events/${id}`,
        rel: 'self',
        method: 'GET',
      },
    ],
  };
  return { id, due_at: new Date(at.getTime() + delayMs), body: JSON.stringify(body), flaw };
}
