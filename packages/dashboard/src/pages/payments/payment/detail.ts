import { useQueryClient } from '@tanstack/react-query';
import { type Answer, refreshAll } from '../../../api/calls.ts';

/** All that the page of one payment shows. */
export type Detail = Answer<'retrievePayment'>;

/** Milliseconds between two looks at a payment that something is still to happen to. */
export const lookEvery = 4000;

/** Whether something is under way that the page should show as soon as it happens. */
export function isMoving(detail: Detail): boolean {
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

/** Reads the payment again, for when nobody knows whether what was asked for has happened. */
export function useLookAgain(): () => void {
  const queries = useQueryClient();
  return () => void refreshAll(queries, ['retrievePayment']);
}
