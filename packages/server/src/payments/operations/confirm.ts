import { type FailureCode, invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { requireWithinAmount } from '../../api-keys/limits.ts';
import { askAndSettle } from '../../operations/ask.ts';
import { triesLeftToRetries } from '../../operations/retry-plan.ts';
import { runOperation } from '../../operations/run.ts';
import type { IdempotentRequest } from '../../operations/subject-access.ts';
import type { ConfirmOutcome, NoAnswer } from '../../processors/port/port.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { requirePayment } from '../reads.ts';
import { descriptorOf } from '../request/charge-request.ts';
import { afterOutcome, expiryCode, failed, type PaymentAnswer } from '../settle-payment.ts';
import { cancelUnanswered } from './cancel.ts';
import { expireIfOverdue } from './expire.ts';
import {
  cancelKey,
  lookUpRequest,
  type PaymentCall,
  type PaymentOperation,
  paymentAccess,
} from './payment-access.ts';
import { isSettled, type Recovery, settle } from './recovery.ts';
import { stillInDoubt } from './resume-payment.ts';

export const notApproved = 'the buyer has not approved this order yet';

/** The processor refused a repeat, but an earlier request under the same key got no answer and may have charged. */
const refusedRepeat: NoAnswer = {
  kind: 'unknown',
  answer: 'provider_error',
  reason: 'a repeat was refused',
};

/** The window is over, and the processor has no look-up that would say what an earlier request did. */
const notKnown: NoAnswer = {
  kind: 'unknown',
  answer: 'provider_unavailable',
  reason: 'the window is over and the processor cannot be asked',
};

/** The window has just ended, and a request that was sent within it may still be carried out. */
const underWay: NoAnswer = {
  kind: 'unknown',
  answer: 'provider_unavailable',
  reason: 'the window has just ended and the order is still open',
};
/** For how long after the window an order that is still open proves nothing: the processor may carry out a request with delay. */
const underWayMs = 60_000;

const decidedAt = ({ confirm_by: end }: PaymentRow): number => (end?.getTime() ?? 0) + underWayMs;

type Confirmed =
  | Exclude<ConfirmOutcome, NoAnswer>
  /** The window ended, and nothing was charged. */
  | { readonly kind: 'over'; readonly code: FailureCode };

/**
 * Charges what the buyer approved. Nothing else charges a payment that requires action (spec, "Confirm"). On a payment that once
 * required action and has settled since, it charges nothing.
 */
export const confirm: PaymentOperation<Confirmed> = {
  kind: 'confirm',
  /** The key stays the same until a definite answer without approval increments `confirm_attempt`. */
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
  ask(call) {
    const { subject: payment, connected, upstreamKey, context, fresh } = call;
    // Repeating the request now could charge after the end of the window.
    if (!fresh && isWindowOver(payment, context.now)) return lookUpConfirm(call);
    return connected.port.confirm(connected.connection, {
      ...lookUpRequest(payment),
      upstreamKey,
      authentication: payment.authentication,
      statementDescriptor: descriptorOf(payment, context.processor),
      riskSession: payment.risk_session,
      returned: payment.returned,
    });
  },
  settle({ subject: payment, fresh }, outcome) {
    if (outcome.kind === 'over') {
      // A request that is still in flight may charge after the look-up, so the order is cancelled afterwards.
      const change = { after: failed(payment, outcome.code), cancelKey: cancelKey(payment) };
      return { kind: 'change', change };
    }
    if (outcome.kind !== 'not_approved') {
      return { kind: 'change', change: { after: afterOutcome(payment, outcome) } };
    }
    if (outcome.refused === true && !fresh) return { kind: 'open', why: refusedRepeat };
    // A definite answer without approval: the next confirm needs a new upstream key.
    const after: PaymentRow = {
      ...payment,
      confirm_attempt: payment.confirm_attempt + 1,
      redirect_url: outcome.redirectUrl ?? payment.redirect_url,
    };
    return { kind: 'refused', error: invalidParam('status', notApproved), change: { after } };
  },
};

/** Looks up what an unanswered confirm did by the end of the window. It charges nothing. */
async function lookUpConfirm({
  subject: payment,
  connected,
  context,
}: PaymentCall): Promise<Confirmed | NoAnswer> {
  const found = await connected.port.lookUp(connected.connection, lookUpRequest(payment));
  switch (found.kind) {
    case 'open':
      if (context.now.getTime() < decidedAt(payment)) return underWay;
      return { kind: 'over', code: expiryCode(payment) };
    case 'nothing':
    case 'voided':
      return { kind: 'over', code: 'not_processed' };
    case 'cannot_tell':
      return notKnown;
    default:
      return found;
  }
}

/**
 * Confirms a payment for a request.
 * @throws ApiError `not_found`; `invalid_params` if the buyer has not approved, or if the payment never required action
 */
export function confirmPayment(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string,
  idempotent: IdempotentRequest,
): Promise<PaymentAnswer> {
  const room = {
    ...paymentAccess<Confirmed>(deps, context, id),
    read: async () => expireIfOverdue(deps, context, await requirePayment(deps.store, context, id)),
  };
  const checked: typeof confirm = {
    ...confirm,
    async mayBegin(payment, at) {
      const may = await confirm.mayBegin(payment, at);
      // Another API key may have created the payment, for more than this key may move.
      if (may) requireWithinAmount(context, payment);
      if (may && isWindowOver(payment, at.now) && (await isLeftToRecovery(deps, context, payment))) {
        throw stillInDoubt();
      }
      return may;
    },
  };
  return runOperation(deps, context, checked, room, idempotent);
}

/**
 * Whether the outcome of an earlier confirm is left to recovery: the processor has no look-up, so a retry could only delay the
 * end.
 */
async function isLeftToRecovery(
  { operations, clock }: PaymentDependencies,
  { processor }: AccountContext,
  payment: PaymentRow,
): Promise<boolean> {
  if (capabilitiesOf(processor).canLookUp) return false;
  const isOpen = await operations.isOpen(payment, ['confirm']);
  return isOpen && !(await operations.isHeld(payment, ['confirm'], clock.now()));
}

/** Recovers a confirm without an answer. @returns whether the operation is over, or when to look again (real time) */
export async function recoverConfirm(recovery: Recovery): Promise<boolean | Date> {
  const { deps, context, payment, operation, connected } = recovery;
  if (payment.status !== 'requires_action') {
    await deps.operations.end(payment, operation.lease_until);
    return true;
  }
  const { upstream_key: upstreamKey, lease_until: leaseUntil } = operation;
  const call = { context, subject: payment, connected, upstreamKey, leaseUntil, fresh: false };
  if (isWindowOver(payment, context.now)) return recoverLate(recovery, call);
  const found = await connected.port.lookUp(connected.connection, lookUpRequest(payment));
  if (isSettled(found)) return settle(recovery, { after: afterOutcome(payment, found) });
  if (found.kind === 'nothing' || found.kind === 'voided') {
    return settle(recovery, { after: failed(payment, 'not_processed') });
  }
  if ('answer' in found || (found.kind !== 'open' && payment.returned === null)) return false;
  // Repeats the same attempt under the same key: the upstream gives its first answer again.
  const effect = await askAndSettle(confirm, call);
  if (effect.kind === 'open' || effect.change === undefined) return false;
  return settle(recovery, effect.change);
}

async function recoverLate(recovery: Recovery, call: PaymentCall): Promise<boolean | Date> {
  const effect = await askAndSettle(confirm, call);
  if (effect.kind === 'change') return settle(recovery, effect.change);
  if (effect.kind !== 'open') return false;
  if (effect.why === underWay) {
    const waitMs = decidedAt(call.subject) - call.context.now.getTime();
    return new Date(recovery.deps.clock.now().getTime() + waitMs);
  }
  if (effect.why !== notKnown) return false;
  // The buyer came back, so the confirm may have charged in time: wait a minute for its notification before cancelling.
  const mayBeReported = call.subject.returned !== null && recovery.operation.tries < triesLeftToRetries;
  return !mayBeReported && cancelUnanswered(recovery);
}
