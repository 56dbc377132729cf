import { walletType } from '@till/contract';
import { unfinishedCodes } from '@till/contract/dashboard';
import type { Attempt } from '../../card-testing/card-testing.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { CheckoutDependencies, CheckoutState, Visit } from './flow.ts';

/** Who makes an attempt: the address of the browser, and the card number if it comes to us. */
export interface Payer {
  readonly address: string;
  readonly cardNumber: string | null;
}

const notDeclines = new Set<string | null>([...unfinishedCodes, 'not_processed', null]);

/** Whether the issuer declined a payment. A wallet does not count, since it is no card that somebody could test. */
export const isDeclined = ({ status, failure_code: code, method_type: type }: PaymentRow): boolean =>
  status === 'failed' && type !== walletType && !notDeclines.has(code);

/** Whether a step ended with a decline by the issuer. */
function isDecline(standing: CheckoutState): boolean {
  if (standing.kind === 'card_refused') return true;
  return standing.kind === 'settled' && isDeclined(standing.payment);
}

const attemptAt = ({ id, payment_link_id: linkId }: PaymentRow, payer: Payer): Attempt => ({
  paymentId: id,
  linkId,
  ...payer,
});

/**
 * Counts the outcome of a step whose card was sent by an earlier step, if it is a decline. A payment that had ended before
 * this step was counted then, so that loading the URL again and again adds no declines.
 */
export async function countDeclines<Step extends CheckoutState | { readonly kind: 'for_merchant' }>(
  deps: CheckoutDependencies,
  { context, payment }: Visit,
  payer: Payer,
  standing: Step,
): Promise<Step> {
  const isEnding = payment.status === 'requires_action';
  if (isEnding && standing.kind !== 'for_merchant' && isDecline(standing)) {
    await deps.cardTesting.declined(context, attemptAt(payment, payer));
  }
  return standing;
}

/** Runs a buyer's attempt unless too many were declined recently, and counts it if it is declined. */
export async function countedAttempt(
  deps: CheckoutDependencies,
  visit: Visit,
  payer: Payer,
  attempt: () => Promise<CheckoutState>,
): Promise<CheckoutState> {
  // Recorded before any wait, so that other buyers cannot take its place of the link meanwhile.
  if (visit.payment.payment_link_id !== null) await deps.tokens.noteSent(visit.token, visit.context.now);
  const sent = await deps.cardTesting.attempt(visit.context, attemptAt(visit.payment, payer), async () => {
    const standing = await attempt();
    return { standing, declined: isDecline(standing) };
  });
  if (sent === 'refused') return { kind: 'declined_too_often' };
  return sent === 'full' ? { kind: 'not_reached' } : sent.standing;
}
