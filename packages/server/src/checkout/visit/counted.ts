import { walletType } from '@till/contract';
import { unfinishedCodes } from '@till/contract/dashboard';
import type { Attempt } from '../../card-testing/card-testing.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { CheckoutDependencies, Standing, Visit } from './flow.ts';

/** Of whom an attempt is: the address of the browser, and the card where its number comes to us. */
export interface Payer {
  readonly address: string;
  readonly cardNumber: string | null;
}

const notDeclines = new Set<string | null>([...unfinishedCodes, 'not_processed', null]);

/** Whether the issuer declined a payment. A wallet is no card that somebody could try. */
export const isDeclined = ({ status, failure_code: code, method_type: type }: PaymentRow): boolean =>
  status === 'failed' && type !== walletType && !notDeclines.has(code);

/** Whether a step ended with a decline of the issuer. */
function isDecline(standing: Standing): boolean {
  if (standing.kind === 'card_refused') return true;
  return standing.kind === 'settled' && isDeclined(standing.payment);
}

const attemptAt = ({ id, payment_link_id: linkId }: PaymentRow, payer: Payer): Attempt => ({
  paymentId: id,
  linkId,
  ...payer,
});

/**
 * Counts what a step came to whose card was sent by an earlier one, where that is a decline. One that had ended before the step
 * was counted then: an address that is loaded again and again declines nothing.
 */
export async function countDeclines<Step extends Standing | { readonly kind: 'for_merchant' }>(
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

/** Runs a buyer's attempt, unless too many were declined lately, and counts it where it is declined. */
export async function countedAttempt(
  deps: CheckoutDependencies,
  visit: Visit,
  payer: Payer,
  attempt: () => Promise<Standing>,
): Promise<Standing> {
  // Before any wait: others may not take the place at its link meanwhile.
  if (visit.payment.payment_link_id !== null) await deps.tokens.noteSent(visit.token, visit.context.now);
  const sent = await deps.cardTesting.attempt(visit.context, attemptAt(visit.payment, payer), async () => {
    const standing = await attempt();
    return { standing, declined: isDecline(standing) };
  });
  if (sent === 'refused') return { kind: 'declined_too_often' };
  return sent === 'full' ? { kind: 'not_reached' } : sent.standing;
}
