import { invalidParam } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { ConfirmOutcome, ConfirmRequest, NoAnswer } from '../processors/port.ts';
import { descriptorOf } from './charge-request.ts';
import { expireIfOverdue } from './expire-payments.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { requirePayment } from './retrieve-payment.ts';
import { type Asking, giveUp, type Keyed, runOperation } from './run-operation.ts';
import {
  afterOutcome,
  type ChangedPayment,
  type PaymentAnswer,
  settlePayment,
  stayInDoubt,
} from './settle-payment.ts';

export const notApproved = 'the buyer has not approved this order yet';

/**
 * Charges what the buyer approved: the only thing that charges a payment that requires action (spec, "Confirm"). On one
 * that once required action and has settled it answers with that payment and charges nothing.
 * @throws ApiError `not_found`; `invalid_params` where the buyer has not approved, or the payment never required action
 */
export function confirmPayment(
  parts: PaymentParts,
  context: AccountContext,
  id: string,
  keyed: Keyed,
): Promise<PaymentAnswer> {
  const read = async () => expireIfOverdue(parts, context, await requirePayment(parts.store, context, id));
  return runOperation(parts, context, read, keyed, {
    kind: 'confirm',
    reached: (payment) => payment.required_action && payment.status !== 'requires_action',
    decide(payment) {
      if (payment.status === 'requires_action') return { upstreamKey: confirmKey(payment) };
      if (payment.required_action) return { done: true };
      throw invalidParam(
        'status',
        `A payment that is ${payment.status} and never required action cannot be confirmed.`,
      );
    },
    work: (payment, begun, processor) =>
      askAndSettle(parts, context, payment, { ...begun, processor, claim: keyed.claim }),
  });
}

/** Stable until a definite answer came: then `confirm_attempt` has moved on. */
export const confirmKey = (payment: PaymentRow) => `${payment.id}:f:${payment.confirm_attempt}`;

export function confirmRequest(
  payment: PaymentRow,
  upstreamKey: string,
  context: AccountContext,
): ConfirmRequest {
  return {
    paymentId: payment.id,
    upstreamKey,
    upstream: payment.upstream,
    amount: payment.amount,
    currency: payment.currency,
    captureMethod: payment.capture_method,
    authentication: payment.authentication,
    statementDescriptor: descriptorOf(payment, context.processor),
    riskSession: payment.risk_session,
    returned: payment.returned,
  };
}

/** An earlier request under the same key got no answer, and may have charged. */
const refusedRepeat: NoAnswer = {
  kind: 'unknown',
  answer: 'provider_error',
  reason: 'a repeat was refused',
};

async function askAndSettle(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  { upstreamKey, fresh, processor, claim }: Asking,
) {
  const outcome = await processor.port.confirm(
    processor.connection,
    confirmRequest(payment, upstreamKey, context),
  );
  if (outcome.kind === 'not_executed' && fresh) throw await giveUp(parts, context, payment, outcome);
  if ('answer' in outcome) throw await stayInDoubt(parts, payment, outcome);
  if (outcome.kind === 'not_approved' && outcome.refused === true && !fresh) {
    throw await stayInDoubt(parts, payment, refusedRepeat);
  }
  const answer = await settlePayment(parts, context, {
    before: payment,
    after: afterConfirm(payment, outcome),
    claim: outcome.kind === 'not_approved' ? null : claim,
    status: 200,
  });
  if (outcome.kind === 'not_approved') throw invalidParam('status', notApproved);
  return answer;
}

/** A definite answer without approval moves the attempt on, so that the next confirm is a request of its own. */
export function afterConfirm(
  payment: PaymentRow,
  outcome: Exclude<ConfirmOutcome, { answer: unknown }>,
): ChangedPayment {
  if (outcome.kind !== 'not_approved') return afterOutcome(payment, outcome);
  return {
    ...payment,
    confirm_attempt: payment.confirm_attempt + 1,
    redirect_url: outcome.redirectUrl ?? payment.redirect_url,
  };
}
