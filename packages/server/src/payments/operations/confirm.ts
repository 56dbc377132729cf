import { invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { requireWithinAmount } from '../../api-keys/limits.ts';
import { askAndSettle } from '../../operations/ask.ts';
import type { IdempotentRequest } from '../../operations/room.ts';
import { runOperation } from '../../operations/run.ts';
import type { ConfirmOutcome, NoAnswer } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { requirePayment } from '../reads.ts';
import { descriptorOf } from '../request/charge-request.ts';
import { afterOutcome, failed, type PaymentAnswer } from '../settle-payment.ts';
import { cancelUnanswered } from './cancel.ts';
import { expireIfOverdue } from './expire.ts';
import { lookUpRequest, type PaymentOperation, paymentRoom } from './payment-room.ts';
import { isSettled, type Recovery, settle } from './recovery.ts';

export const notApproved = 'the buyer has not approved this order yet';

/** An earlier request under the same key got no answer, and may have charged. */
const refusedRepeat: NoAnswer = {
  kind: 'unknown',
  answer: 'provider_error',
  reason: 'a repeat was refused',
};

/**
 * Charges what the buyer approved: the only thing that charges a payment that requires action (spec, "Confirm"). On one
 * that once required action and has settled it charges nothing.
 */
export const confirm: PaymentOperation<Exclude<ConfirmOutcome, NoAnswer>> = {
  kind: 'confirm',
  /** Stable until a definite answer came: then `confirm_attempt` has moved on. */
  upstreamKey: (payment) => `${payment.id}:f:${payment.confirm_attempt}`,
  isReached: (payment) => payment.required_action && payment.status !== 'requires_action',
  mayBegin(payment) {
    if (payment.status === 'requires_action') return true;
    if (payment.required_action) return false;
    throw invalidParam(
      'status',
      `A payment that is ${payment.status} and never required action cannot be confirmed.`,
    );
  },
  ask: ({ subject: payment, connected, upstreamKey, context }) =>
    connected.port.confirm(connected.connection, {
      ...lookUpRequest(payment),
      upstreamKey,
      authentication: payment.authentication,
      statementDescriptor: descriptorOf(payment, context.processor),
      riskSession: payment.risk_session,
      returned: payment.returned,
    }),
  settle({ subject: payment, fresh }, outcome) {
    if (outcome.kind !== 'not_approved') {
      return { kind: 'change', change: { after: afterOutcome(payment, outcome) } };
    }
    if (outcome.refused === true && !fresh) return { kind: 'open', why: refusedRepeat };
    // A definite answer without approval: the next confirm is a request of its own.
    const after: PaymentRow = {
      ...payment,
      confirm_attempt: payment.confirm_attempt + 1,
      redirect_url: outcome.redirectUrl ?? payment.redirect_url,
    };
    return { kind: 'refused', error: invalidParam('status', notApproved), change: { after } };
  },
};

/**
 * Confirms a payment for a request.
 * @throws ApiError `not_found`; `invalid_params` where the buyer has not approved, or the payment never required action
 */
export function confirmPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
  idempotent: IdempotentRequest,
): Promise<PaymentAnswer> {
  const room = {
    ...paymentRoom<Exclude<ConfirmOutcome, NoAnswer>>(deps, context, id),
    read: async () => expireIfOverdue(deps, context, await requirePayment(deps.store, context, id)),
  };
  const checked: typeof confirm = {
    ...confirm,
    mayBegin(payment, at) {
      const may = confirm.mayBegin(payment, at);
      // What was created with another key may be more than this one may move.
      if (may) requireWithinAmount(context, payment);
      return may;
    },
  };
  return runOperation(deps, context, checked, room, idempotent);
}

/** @returns whether the operation is over */
export async function recoverConfirm(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment, operation, connected } = recovery;
  if (payment.status !== 'requires_action') {
    await deps.operations.end(payment, operation.lease_until);
    return true;
  }
  const found = await connected.port.lookUp(connected.connection, lookUpRequest(payment));
  if (isSettled(found)) return settle(recovery, { after: afterOutcome(payment, found) });
  if (found.kind === 'nothing' || found.kind === 'voided') {
    return settle(recovery, { after: failed(payment, 'not_processed') });
  }
  if ('answer' in found) return false;
  const over = isWindowOver(payment, context.now);
  if (found.kind === 'open' || payment.returned !== null) {
    // The same attempt under the same key, asked for inside the window: the upstream gives its first answer again.
    const { upstream_key: upstreamKey, lease_until: leaseUntil } = operation;
    const call = { context, subject: payment, connected, upstreamKey, leaseUntil, fresh: false };
    const effect = await askAndSettle(confirm, call);
    if (effect.kind === 'change') return settle(recovery, effect.change);
    const isUnanswered = effect.kind === 'open' && effect.why !== refusedRepeat;
    if (isUnanswered) return false;
    if (!over) {
      return effect.kind === 'refused' && effect.change !== undefined && settle(recovery, effect.change);
    }
  }
  // Charged after all: the next look-up, or the notification, settles it.
  return over && cancelUnanswered(recovery);
}
