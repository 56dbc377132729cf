import { useQueryClient } from '@tanstack/react-query';
import { type Answer, refreshAll } from '../../../api/calls.ts';

/** Everything that the page of one payment shows. */
export type Detail = Answer<'retrievePayment'>;

/** Milliseconds between two refetches of a payment that is not final. */
export const pollIntervalMs = 4000;

/** Whether a change is expected soon, so that the page polls. */
export function isChanging(detail: Detail): boolean {
  const { payment, money, processing, timeline } = detail;
  return (
    payment.status === 'requires_action' ||
    money.refund_pending > 0 ||
    processing.in_doubt !== null ||
    timeline.some(({ deliveries }) =>
      deliveries.some(({ state, next_attempt_at: next }) => state === 'pending' && next === null),
    )
  );
}

/** The queries that show a payment, or that its capture, void or refund changes. */
export const refreshed = [
  'retrievePayment',
  'listPayments',
  'listRefunds',
  'listApprovals',
  'retrieveHome',
] as const;

/** Refetches the payment, because the outcome of a request is unknown. */
export function useRefetchPayment(): () => void {
  const queries = useQueryClient();
  return () => void refreshAll(queries, ['retrievePayment']);
}
