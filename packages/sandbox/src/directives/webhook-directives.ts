import type { DeliveryFlaw } from '../outbox/outbox.ts';

export interface WebhookDirective {
  readonly case: string;
  readonly value: string;
  /** `first`: the notification is sent before the request itself is answered. */
  readonly does: 'first' | DeliveryFlaw;
  readonly outcome: string;
}

/** Every name that changes how a payment's notification is delivered; both simulators and the documentation read this one table. */
export const webhookDirectives: readonly WebhookDirective[] = [
  {
    case: 'X6',
    value: 'SIM-WEBHOOK-FIRST',
    does: 'first',
    outcome: 'Charged; the notification of the processor arrives before its answer',
  },
  {
    case: 'X6',
    value: 'SIM-WEBHOOK-DUP',
    does: 'twice',
    outcome: 'Charged; the notification of the processor arrives twice',
  },
  {
    case: 'X6',
    value: 'SIM-WEBHOOK-BADSIG',
    does: 'bad_signature',
    outcome: 'Charged; the notification of the processor has a wrong signature and is rejected',
  },
];

/** After how long a notification is sent. */
export const notificationDelayMs = 1_000;

const byValue = new Map(webhookDirectives.map((directive) => [directive.value, directive]));

/** What a directive does to the delivery of notifications, if it is one. */
export function findWebhookDirective(value: string): WebhookDirective | undefined {
  return byValue.get(value);
}
