import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { fromUpstreamAmount } from '../wire/money.ts';

/** One verified notification, parsed (Adyen Standard webhooks v1, NotificationRequestItem). */
export interface NotificationItem {
  readonly eventCode: string;
  readonly success: boolean;
  readonly pspReference: string;
  /** The upstream's reference of the payment that the event belongs to, if any. */
  readonly originalReference: string | null;
  readonly merchantReference: string | null;
  readonly reason: string | null;
  readonly eventDate: Date | null;
  /** In ISO 4217 minor units. */
  readonly amount: { readonly amount: number; readonly currency: string } | undefined;
  readonly paymentMethod: string | null;
  readonly additionalData: JsonObject;
}

/** Parses an item; undefined if it lacks a member that every item has. */
export function notificationItem(body: unknown): NotificationItem | undefined {
  const item = jsonObject(body);
  const eventCode = jsonText(item, 'eventCode');
  const pspReference = jsonText(item, 'pspReference');
  if (eventCode === null || pspReference === null) return undefined;
  return {
    eventCode,
    success: jsonText(item, 'success') === 'true',
    pspReference,
    originalReference: jsonText(item, 'originalReference'),
    merchantReference: jsonText(item, 'merchantReference'),
    reason: jsonText(item, 'reason'),
    eventDate: dateOf(jsonText(item, 'eventDate')),
    amount: fromUpstreamAmount(jsonObject(item.amount)),
    paymentMethod: jsonText(item, 'paymentMethod'),
    additionalData: jsonObject(item.additionalData),
  };
}

/** Returns the reference if it is one of our ids of this kind; otherwise null, because the object was made outside Till. */
export const ownId = (prefix: 'pay_' | 're_', reference: string | null): string | null =>
  reference?.startsWith(prefix) ? reference : null;

/** Parses an ISO 8601 date with an offset; null if it is invalid. */
export function dateOf(text: string | null): Date | null {
  const complete = text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(text);
  const date = complete ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? null : date;
}
