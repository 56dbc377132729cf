import type { EventType, RefundStatus } from '@till/contract';

/**
 * The allowed status transitions (spec, "States and transitions"; decisions, "Refunds": a card scheme may reverse a refund that
 * had succeeded). `failed` is final, because the refund's amount was returned to the payment's refundable rest.
 */
const transitions: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  pending: ['succeeded', 'failed'],
  succeeded: ['failed'],
  failed: [],
};

export const canTransition = (from: RefundStatus, to: RefundStatus): boolean =>
  transitions[from].includes(to);

/** The event type of a refund that succeeds or fails. */
export const eventOfRefund: Readonly<Record<Exclude<RefundStatus, 'pending'>, EventType>> = {
  succeeded: 'refund.succeeded',
  failed: 'refund.failed',
};
