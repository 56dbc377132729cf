import { invalidParam } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { HoldRequest } from '../processors/port.ts';
import { descriptorOf } from './charge-request.ts';
import { cancelKey } from './expire-payments.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { requirePayment } from './retrieve-payment.ts';
import { type Asking, giveUp, type Keyed, runOperation } from './run-operation.ts';
import { failed, type PaymentAnswer, settlePayment, stayInDoubt, withFacts } from './settle-payment.ts';

export function holdRequest(payment: PaymentRow, upstreamKey: string, context: AccountContext): HoldRequest {
  return {
    paymentId: payment.id,
    upstreamKey,
    upstream: payment.upstream,
    amount: payment.amount,
    currency: payment.currency,
    statementDescriptor: descriptorOf(payment, context.processor),
    riskSession: payment.risk_session,
  };
}

/** True where the 29 days of a hold are over: it can no longer be captured, only voided. @param now account time */
const isHoldOver = (payment: PaymentRow, now: Date) =>
  payment.authorization_expires !== null && now.getTime() >= payment.authorization_expires.getTime();

/**
 * Collects the whole held amount (spec, "Capture"). An issuer may decline it after the 3 guaranteed days.
 * @param keyed with the amount in minor units that the request named, if it did
 * @returns the payment, `succeeded` or `failed`
 * @throws ApiError `not_found`; `invalid_params` where it is not authorized, its hold is over or another amount was named
 */
export function capturePayment(
  parts: PaymentParts,
  context: AccountContext,
  id: string,
  { amount, ...keyed }: Keyed & { readonly amount?: number | undefined },
): Promise<PaymentAnswer> {
  return runOperation(parts, context, () => requirePayment(parts.store, context, id), keyed, {
    kind: 'capture',
    reached: (payment) =>
      payment.status === 'succeeded' ||
      (payment.status === 'failed' && payment.authorization_expires !== null),
    decide(payment) {
      if (amount !== undefined && amount !== payment.amount) {
        throw invalidParam(
          'amount',
          `amount must be ${payment.amount}, the whole amount of the payment, or be left out: there is no partial capture; ${amount} was sent.`,
        );
      }
      if (payment.status !== 'authorized') {
        throw invalidParam(
          'status',
          `Only an authorized payment can be captured; this one is ${payment.status}.`,
        );
      }
      if (isHoldOver(payment, context.now)) {
        throw invalidParam('status', 'The authorization has expired: the payment can only be voided.');
      }
      return { upstreamKey: `${payment.id}:k` };
    },
    work: (payment, begun, processor) =>
      askAndSettle(parts, context, payment, { ...begun, processor, claim: keyed.claim }),
  });
}

async function askAndSettle(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  { upstreamKey, fresh, processor, claim }: Asking,
) {
  const outcome = await processor.port.capture(
    processor.connection,
    holdRequest(payment, upstreamKey, context),
  );
  if (outcome.kind === 'not_executed' && fresh) throw await giveUp(parts, context, payment, outcome);
  if ('answer' in outcome) throw await stayInDoubt(parts, payment, outcome);
  if (outcome.kind === 'hold_gone') {
    await parts.operations.close(payment, context.now);
    throw invalidParam('status', 'The processor no longer has this authorization: it can only be voided.');
  }
  const known = withFacts(payment, outcome.facts);
  return settlePayment(parts, context, {
    before: payment,
    after: outcome.kind === 'declined' ? failed(known, outcome.code) : { ...known, status: 'succeeded' },
    claim,
    status: 200,
    // A declined capture leaves the hold on the buyer's card: it is released by the background.
    ...(outcome.kind === 'declined' ? { cancelKey: cancelKey(payment) } : {}),
  });
}
