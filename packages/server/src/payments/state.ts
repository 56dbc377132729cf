import type { EventType } from '@till/contract';

/** `processing` is internal: asked of the processor, no answer recorded yet. The API never shows it. */
export type InternalStatus =
  | 'processing'
  | 'requires_action'
  | 'authorized'
  | 'succeeded'
  | 'failed'
  | 'voided';

/** Which statuses follow which (spec, "States and transitions"). What is not listed never happens. */
const transitions: Readonly<Record<InternalStatus, readonly InternalStatus[]>> = {
  processing: ['requires_action', 'authorized', 'succeeded', 'failed'],
  requires_action: ['authorized', 'succeeded', 'failed'],
  authorized: ['succeeded', 'failed', 'voided'],
  succeeded: [],
  failed: [],
  voided: [],
};

/** The event that tells of a payment entering a status. */
export const eventOfStatus: Readonly<Record<Exclude<InternalStatus, 'processing'>, EventType>> = {
  requires_action: 'payment.requires_action',
  authorized: 'payment.authorized',
  succeeded: 'payment.succeeded',
  failed: 'payment.failed',
  voided: 'payment.voided',
};

/** @throws Error for a transition that the table does not have: a defect of ours, never the caller's fault */
export function requireTransition(from: InternalStatus, to: InternalStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a payment cannot go from ${from} to ${to}`);
}
