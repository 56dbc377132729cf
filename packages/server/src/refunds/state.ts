import type { EventType, RefundStatus } from '@till/contract';

/**
 * Which statuses follow which (spec, "States and transitions"; decisions, "Refunds": a scheme may reverse what had
 * succeeded). A failed refund has given its amount back to the payment and never comes to life again.
 */
const transitions: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  pending: ['succeeded', 'failed'],
  succeeded: ['failed'],
  failed: [],
};

export const mayBecome = (from: RefundStatus, to: RefundStatus): boolean => transitions[from].includes(to);

/** The event of a refund's end. */
export const eventOfRefund: Readonly<Record<Exclude<RefundStatus, 'pending'>, EventType>> = {
  succeeded: 'refund.succeeded',
  failed: 'refund.failed',
};
