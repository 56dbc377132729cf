import type { TSchema } from 'typebox';
import { Approval } from '../objects/approval.ts';
import { Dispute } from '../objects/dispute.ts';
import type { EventType } from '../objects/event.ts';
import { Payment } from '../objects/payment.ts';
import { PaymentLink } from '../objects/payment-link.ts';
import { Refund } from '../objects/refund.ts';

/** What an event reports, and which endpoints receive it. */
export interface EventDescription {
  readonly when: string;
  /** The schema of `data.object`. Null if it is not a resource of the API. */
  readonly object: TSchema | null;
  /** All endpoints of the account, those with additional events enabled, or the one that a test names. */
  readonly goesTo: 'all' | 'additional' | 'named';
}

/** Every event that an endpoint may receive (spec, "Events"; decisions, "Shapes"). */
export const eventDescriptions: Readonly<Record<EventType, EventDescription>> = {
  'payment.succeeded': { when: 'A payment has succeeded.', object: Payment, goesTo: 'all' },
  'payment.failed': {
    when: 'A payment has failed: it was declined, or nobody confirmed it in time.',
    object: Payment,
    goesTo: 'all',
  },
  'payment.requires_action': {
    when: 'A payment waits for its buyer.',
    object: Payment,
    goesTo: 'additional',
  },
  'payment.authorized': { when: 'The money of a payment is held.', object: Payment, goesTo: 'additional' },
  'payment.voided': { when: 'A hold was released.', object: Payment, goesTo: 'additional' },
  'refund.succeeded': { when: 'The processor accepted a refund.', object: Refund, goesTo: 'all' },
  'refund.failed': {
    when: 'A refund was rejected, or taken back after it had succeeded.',
    object: Refund,
    goesTo: 'all',
  },
  'dispute.created': { when: 'A buyer disputes a payment.', object: Dispute, goesTo: 'additional' },
  'dispute.updated': { when: 'A dispute has moved on.', object: Dispute, goesTo: 'additional' },
  'dispute.closed': { when: 'A dispute is over.', object: Dispute, goesTo: 'additional' },
  'payment_link.created': {
    when: 'A payment link was made.',
    object: PaymentLink,
    goesTo: 'additional',
  },
  'payment_link.updated': {
    when: 'A payment link was changed, or switched on or off. Its payments have events of their own.',
    object: PaymentLink,
    goesTo: 'additional',
  },
  'approval.created': {
    when: 'A request waits for a person.',
    object: Approval,
    goesTo: 'additional',
  },
  'approval.decided': {
    when: 'A request was approved or refused, or nobody decided in time.',
    object: Approval,
    goesTo: 'additional',
  },
  'endpoint.test': {
    when: 'Somebody asked for a test event; `data.object` is the endpoint.',
    object: null,
    goesTo: 'named',
  },
};
