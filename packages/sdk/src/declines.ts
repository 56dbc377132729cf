import type { Failure, Payment } from './generated/index.ts';

/** A payment that failed, with the reason. */
export type DeclinedPayment = Payment & { readonly status: 'failed'; readonly failure: Failure };

/**
 * Whether a payment failed: the issuer declined it, or the buyer did not finish in time. `failure.code` says why. Do not
 * charge the same card again; ask the buyer for another.
 */
export function isDeclined(payment: Payment): payment is DeclinedPayment {
  return payment.status === 'failed';
}
