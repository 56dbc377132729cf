import type { AccountContext } from '../../accounts/context.ts';
import { type Applied, changeOf, settleOpen, settleUnrequested } from '../../operations/apply-update.ts';
import type { OperationKind } from '../../operations/operation.ts';
import { raiseAlert } from '../../payment-alerts/alerts.ts';
import { connectionOf } from '../../processors/port/connected.ts';
import type { SettledOutcome, UpstreamIds } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noteUpstream } from '../drafts.ts';
import { cancelLeftovers } from '../operations/cancel.ts';
import { capture } from '../operations/capture.ts';
import { afterCharge } from '../operations/charge.ts';
import { confirm } from '../operations/confirm.ts';
import { isDiscarded } from '../operations/discard-payment.ts';
import { lookUpRequest } from '../operations/payment-access.ts';
import { voidHold } from '../operations/void.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { expiryCode, failed, type PaymentChange, settlePayment, withFacts } from '../settle-payment.ts';
import { attachSaved } from './attach-method.ts';
import { isKnownHold, keepNextHold } from './next-hold.ts';
import { belongsToOtherMerchantAccount } from './of-another.ts';
import { isOfReplaced } from './replaced-attempt.ts';
import { lookForSecondCharge, mayBeSecondCharge, warnOfSecondCharge } from './second-charge.ts';

/** What an upstream's notification says about a payment. */
export type PaymentUpdate =
  | {
      readonly kind: 'settled';
      readonly outcome: SettledOutcome;
      readonly amount: number;
      readonly currency: string;
      readonly asksForAuthentication?: true;
    }
  /** Something changed; only a look-up shows what. */
  | { readonly kind: 'changed'; readonly upstream: UpstreamIds }
  /** The upstream closed the offer to the buyer, unpaid. */
  | { readonly kind: 'offer_closed'; readonly upstream: UpstreamIds }
  /** `cancelled`: nothing of the payment is authorised upstream any more. `not_cancelled`: it could not be cancelled. */
  | { readonly kind: 'cancelled' | 'not_cancelled' };

/**
 * Applies a notification to a payment: settles a payment that waits for its answer, and cancels upstream what was charged after
 * the payment failed or was voided here. Notifications may be repeated and come in any order: the state is the same in the end.
 * @param sender identity of the merchant account from which the notification came; null: not known
 */
export async function applyPaymentUpdate(
  deps: PaymentDependencies,
  context: AccountContext,
  paymentId: string,
  update: PaymentUpdate,
  sender: string | null = null,
): Promise<Applied> {
  const payment = await deps.store.find(context, paymentId);
  if (payment === undefined) {
    deps.onIncident(context, 'notification about an unknown payment', {
      id: paymentId,
    });
    return 'applied';
  }
  if (belongsToOtherMerchantAccount(deps, context, payment, sender)) return 'later';
  switch (update.kind) {
    case 'settled':
      if (update.amount === payment.amount && update.currency === payment.currency) {
        return isOfReplaced(payment, update)
          ? 'applied'
          : applyOutcome(deps, context, payment, update.outcome);
      }
      deps.onIncident(context, 'a notification names another amount than the payment', payment);
      return 'applied';
    case 'changed':
      return lookAgain(deps, context, payment, update.upstream);
    case 'offer_closed':
      return applyOfferClosed(deps, context, payment, update.upstream);
    case 'cancelled':
      return applyCancelled(deps, context, payment);
    case 'not_cancelled':
      return applyNotCancelled(deps, context, payment);
  }
}

async function applyOutcome(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  switch (payment.status) {
    case 'processing':
      if (await isDiscarded(deps, payment)) return applyToDiscarded(deps, context, payment, outcome);
      // An `expire` is a charge that waits for its retry; the processor may have carried it out after all.
      return settleOpen(
        deps,
        payment,
        asked(['charge', 'expire'], outcome),
        committing(deps, context, payment, afterCharge(payment, outcome, context.now)),
      );
    case 'requires_action': {
      const change = changeOf(confirm.settle({ context, subject: payment, fresh: false }, outcome));
      const commit = committing(deps, context, payment, change);
      return (await deps.operations.isOpen(payment))
        ? settleOpen(deps, payment, asked(['confirm'], outcome), commit)
        : settleUnrequested(deps, context, payment, 'confirm', commit);
    }
    case 'authorized': {
      if (outcome.kind === 'authorized') {
        await keepNextHold(deps, payment, outcome);
        return attachIfNew(deps, context, payment, outcome);
      }
      const change = changeOf(capture.settle({ context, subject: payment, fresh: false }, outcome));
      return settleUnrequested(deps, context, payment, 'capture', committing(deps, context, payment, change));
    }
    case 'succeeded':
      await warnOfSecondCharge(deps, context, payment, outcome);
      return attachIfNew(deps, context, payment, outcome);
    case 'failed':
      return outcome.kind === 'declined' ? 'applied' : cancelLate(deps, context, payment, outcome);
    case 'voided':
      return 'applied';
  }
}

/** Handles a notification that only says that something changed. Its upstream ids are stored, since they lead to the rest. */
async function lookAgain(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  upstream: UpstreamIds,
): Promise<Applied> {
  const isOpen = payment.status === 'processing' || payment.status === 'requires_action';
  if (!isOpen && mayBeSecondCharge(payment, upstream)) {
    return (await lookForSecondCharge(deps, context, payment, upstream)) ? 'applied' : 'later';
  }
  if (payment.status === 'succeeded') return 'applied';
  const processor = connectionOf(deps, context, payment);
  if (processor === undefined) return 'later';
  if (payment.status === 'processing') await noteUpstream(deps.db, payment, upstream);
  const known = { ...payment, upstream: { ...upstream, ...payment.upstream } };
  const found = await processor.port.lookUp(processor.connection, lookUpRequest(known));
  if ('answer' in found) return 'later';
  if (found.kind === 'cannot_tell') return 'applied';
  if (found.kind === 'succeeded' || found.kind === 'authorized' || found.kind === 'declined') {
    // Against a void only the present state counts, and not a notification that may be older than the void.
    const isTaken = payment.status === 'voided' && found.kind !== 'declined';
    return isTaken ? cancelLate(deps, context, known, found) : applyOutcome(deps, context, known, found);
  }
  if (
    payment.status === 'authorized' &&
    found.kind === 'voided' &&
    !(await deps.operations.isOpen(payment))
  ) {
    const change = changeOf(voidHold.settle({ context, subject: payment, fresh: false }, found));
    const commit = committing(deps, context, payment, { ...change, alert: 'hold_voided' });
    return settleUnrequested(deps, context, payment, 'void', commit);
  }
  // A repeat of its key recovers a charge without an answer. Recovery looks at any other open operation now.
  if (payment.status === 'processing' || !(await deps.operations.isOpen(payment))) return 'applied';
  return (await deps.operations.expedite(payment, deps.clock.now())) ? 'applied' : 'later';
}

/** The processor had answered that it carried nothing out, and the key is free for another attempt: no charge may stay. */
function applyToDiscarded(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Applied | Promise<Applied> {
  return outcome.kind === 'declined' ? 'applied' : cancelLate(deps, context, payment, outcome);
}

/** The upstream has carried out the cancellation that recovery asked for: only now it is certain that nothing was charged. */
async function applyCancelled(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
): Promise<Applied> {
  if (await isDiscarded(deps, payment)) return 'applied';
  if (payment.status === 'processing') {
    const change = { after: failed(payment, 'not_processed') };
    return settleOpen(deps, payment, ['cancel', 'charge'], committing(deps, context, payment, change));
  }
  if (payment.status === 'requires_action' && (await deps.operations.isOpen(payment))) {
    const code = isWindowOver(payment, context.now) ? expiryCode(payment) : 'not_processed';
    const change = { after: failed(payment, code) };
    return settleOpen(deps, payment, ['cancel', 'confirm'], committing(deps, context, payment, change));
  }
  if (payment.status === 'succeeded') {
    deps.onIncident(context, 'given back upstream, not by a refund', payment);
    await raiseAlert(deps.alerts, context, payment, 'cancelled_upstream');
  }
  return 'applied';
}

/** An offer that was closed unpaid charges nothing any more. An offer with another reference than the payment's is ignored. */
async function applyOfferClosed(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  upstream: UpstreamIds,
): Promise<Applied> {
  const isProcessing = payment.status === 'processing';
  if (!isProcessing && payment.status !== 'requires_action') return 'applied';
  const { psp = upstream.psp } = payment.upstream;
  if (psp !== upstream.psp || (await isDiscarded(deps, payment))) return 'applied';
  const known = { ...payment, upstream: { ...upstream, ...payment.upstream } };
  const after = failed(known, isProcessing ? 'not_processed' : expiryCode(payment));
  const commit = committing(deps, context, payment, { after });
  return isProcessing || (await deps.operations.isOpen(payment))
    ? settleOpen(deps, payment, ['cancel', isProcessing ? 'charge' : 'confirm'], commit)
    : settleUnrequested(deps, context, payment, 'expire', commit);
}

/**
 * Handles a cancellation that failed. If the payment has no answer yet, it may have been charged: its operation becomes a charge
 * or confirm again, so that a notification of success or a retry counts. In any case an incident is reported, since money that
 * must not stay has to be returned by hand.
 */
async function applyNotCancelled(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
): Promise<Applied> {
  const { status } = payment;
  const isOver = await isDiscarded(deps, payment);
  if (!isOver && (status === 'processing' || status === 'requires_action')) {
    const kind = status === 'processing' ? 'charge' : 'confirm';
    const isConverted = await deps.operations.convert(payment, {
      from: ['cancel', kind],
      to: kind,
      leaseUntil: null,
    });
    // A process is working on the operation at this moment.
    if (!isConverted && (await deps.operations.isOpen(payment))) return 'later';
  }
  deps.onIncident(context, 'could not be cancelled upstream', payment);
  return 'applied';
}

/** The kinds of operation that an outcome settles. While a cancellation of the charge may be under way, no success counts yet. */
const asked = (kinds: readonly OperationKind[], outcome: SettledOutcome): readonly OperationKind[] =>
  outcome.kind === 'declined' ? [...kinds, 'cancel'] : kinds;

/** Returns a function that commits a change for which no request waits. */
const committing =
  (deps: PaymentDependencies, context: AccountContext, before: PaymentRow, change: PaymentChange) =>
  async (): Promise<boolean> =>
    (await settlePayment(deps, context, { before, ...change, claim: null })) !== undefined;

/** Cancels a late charge or hold: the merchant was already answered that the payment failed or is voided, so it must not stay. */
async function cancelLate(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  // The known hold of a payment whose capture was declined is no incident: its release was asked for already.
  if (!isKnownHold(payment, outcome)) {
    const ended = payment.status === 'voided' ? 'was voided' : 'failed';
    deps.onIncident(context, `charged upstream after it ${ended} here`, payment);
  }
  await noteUpstream(deps.db, payment, outcome.facts.upstream);
  const { saved: _saved, ...known } = withFacts(payment, outcome.facts);
  return (await cancelLeftovers(deps, context, known, `${payment.id}:t3`)) ? 'applied' : 'later';
}

async function attachIfNew(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  return outcome.facts.saved === null ? 'applied' : attachSaved(deps, context, payment, outcome.facts.saved);
}
