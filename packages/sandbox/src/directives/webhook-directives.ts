import type { DeliveryFlaw } from '../outbox/outbox.ts';

export interface WebhookDirective {
  readonly case: string;
  readonly value: string;
  /** `first`: the notification is sent before the response to the request. */
  readonly does: 'first' | DeliveryFlaw;
  readonly outcome: string;
}

/**
 * All directives that change how a payment's notification is delivered. Both simulators and the documentation
 * read this table.
 */
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

/** How long after the payment its notification is sent. */
export const notificationDelayMs = 1_000;

const byValue = new Map(webhookDirectives.map((directive) => [directive.value, directive]));

/**
 * Returns what a directive does to the delivery of notifications, or undefined if it means something else.
 */
export function findWebhookDirective(value: string): WebhookDirective | undefined {
  return byValue.get(value);
}
