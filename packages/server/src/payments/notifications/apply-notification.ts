import type { AccountContext } from '../../accounts/context.ts';
import { type Applied, changeOf, settleOpen, settleUnasked } from '../../operations/apply-update.ts';
import type { OperationKind } from '../../operations/operation.ts';
import { raiseAlert } from '../../payment-alerts/alerts.ts';
import { connectionOf, isOfMerchant } from '../../processors/port/connected.ts';
import type { SettledOutcome, UpstreamIds } from '../../processors/port/port.ts';
import { clearUpstream } from '../operations/cancel.ts';
import { capture } from '../operations/capture.ts';
import { afterCharge } from '../operations/charge.ts';
import { confirm } from '../operations/confirm.ts';
import { isDiscarded } from '../operations/discard-payment.ts';
import { lookUpRequest } from '../operations/payment-room.ts';
import { voidHold } from '../operations/void.ts';
import type { PaymentParts } from '../parts.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { expiryCode, failed, type PaymentChange, settlePayment, withFacts } from '../settle-payment.ts';
import { attachSaved } from './attach-method.ts';
import { lookForSecondCharge, namesOtherOrder, warnOfSecondCharge } from './second-charge.ts';

/** What an upstream's notification says of a payment. */
export type PaymentNews =
  | {
      readonly kind: 'settled';
      readonly outcome: SettledOutcome;
      readonly amount: number;
      readonly currency: string;
    }
  /** Something changed that only a look-up tells exactly. */
  | { readonly kind: 'changed'; readonly upstream: UpstreamIds }
  /** Nothing of it is authorised upstream any more; or it could not be cancelled. */
  | { readonly kind: 'cancelled' | 'not_cancelled' };

/**
 * Brings a payment to what the upstream says of it: settles one that waits for its answer, and cancels upstream what was
 * charged after it failed here. Repeats and any order lead to the same state.
 * @param sender identity of the merchant account that it came from; null: not known
 */
export async function applyPaymentNews(
  parts: PaymentParts,
  context: AccountContext,
  paymentId: string,
  news: PaymentNews,
  sender: string | null = null,
): Promise<Applied> {
  const payment = await parts.store.find(context, paymentId);
  if (payment === undefined) {
    parts.onTrouble('notification about an unknown payment', {
      id: paymentId,
      account_id: context.accountId,
    });
    return 'applied';
  }
  if (!isOfMerchant(payment, sender)) {
    parts.onTrouble('a notification of another merchant account', payment);
    return 'later';
  }
  switch (news.kind) {
    case 'settled':
      if (news.amount === payment.amount && news.currency === payment.currency) {
        return applyOutcome(parts, context, payment, news.outcome);
      }
      parts.onTrouble('a notification names another amount than the payment', payment);
      return 'applied';
    case 'changed':
      return lookAgain(parts, context, payment, news.upstream);
    case 'cancelled':
      return applyCancelled(parts, context, payment);
    case 'not_cancelled':
      return applyNotCancelled(parts, payment);
  }
}

async function applyOutcome(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  switch (payment.status) {
    case 'processing':
      if (await isDiscarded(parts, payment)) return applyToDiscarded(parts, context, payment, outcome);
      // A charge that waits for its retry may have been carried out after all.
      return settleOpen(
        parts,
        payment,
        asked(['charge', 'expire'], outcome),
        committing(parts, context, payment, afterCharge(payment, outcome, context.now)),
      );
    case 'requires_action': {
      const change = changeOf(confirm.settle({ context, subject: payment, fresh: false }, outcome));
      const commit = committing(parts, context, payment, change);
      return (await parts.operations.isOpen(payment))
        ? settleOpen(parts, payment, asked(['confirm'], outcome), commit)
        : settleUnasked(parts, context, payment, 'confirm', commit);
    }
    case 'authorized': {
      if (outcome.kind === 'authorized') return attachIfNew(parts, context, payment, outcome);
      const change = changeOf(capture.settle({ context, subject: payment, fresh: false }, outcome));
      return settleUnasked(parts, context, payment, 'capture', committing(parts, context, payment, change));
    }
    case 'succeeded':
      await warnOfSecondCharge(parts, context, payment, outcome);
      return attachIfNew(parts, context, payment, outcome);
    case 'failed':
      return outcome.kind === 'declined' ? 'applied' : cancelLate(parts, context, payment, outcome);
    case 'voided':
      return 'applied';
  }
}

/** The notification only says that something changed. What it tells of the upstream's ids is kept: they lead to the rest. */
async function lookAgain(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  upstream: UpstreamIds,
): Promise<Applied> {
  const holdsMoney = payment.status === 'succeeded' || payment.status === 'authorized';
  if (holdsMoney && namesOtherOrder(payment, upstream)) {
    return (await lookForSecondCharge(parts, context, payment, upstream)) ? 'applied' : 'later';
  }
  if (payment.status === 'succeeded' || payment.status === 'voided') return 'applied';
  const processor = connectionOf(parts, context, payment);
  if (processor === undefined) return 'later';
  if (payment.status === 'processing') await parts.store.noteUpstream(payment, upstream);
  const known = { ...payment, upstream: { ...upstream, ...payment.upstream } };
  const found = await processor.port.lookUp(processor.connection, lookUpRequest(known));
  if ('answer' in found) return 'later';
  if (found.kind === 'cannot_tell') return 'applied';
  if (found.kind === 'succeeded' || found.kind === 'authorized' || found.kind === 'declined') {
    return applyOutcome(parts, context, known, found);
  }
  if (
    payment.status === 'authorized' &&
    found.kind === 'voided' &&
    !(await parts.operations.isOpen(payment))
  ) {
    const change = changeOf(voidHold.settle({ context, subject: payment, fresh: false }, found));
    const commit = committing(parts, context, payment, { ...change, alert: 'hold_voided' });
    return settleUnasked(parts, context, payment, 'void', commit);
  }
  // A charge without an answer is found by a repeat of its key; any other operation is looked at with what is known now.
  if (payment.status === 'processing' || !(await parts.operations.isOpen(payment))) return 'applied';
  return (await parts.operations.expedite(payment, parts.clock.now())) ? 'applied' : 'later';
}

/** The processor had said that it carried nothing out, and the key went to another attempt: a charge must not stay. */
function applyToDiscarded(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Applied | Promise<Applied> {
  return outcome.kind === 'declined' ? 'applied' : cancelLate(parts, context, payment, outcome);
}

/** The cancellation that recovery asked for has gone through: only now it is certain that nothing was charged. */
async function applyCancelled(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
): Promise<Applied> {
  if (await isDiscarded(parts, payment)) return 'applied';
  if (payment.status === 'processing') {
    const change = { after: failed(payment, 'not_processed') };
    return settleOpen(parts, payment, ['cancel', 'charge'], committing(parts, context, payment, change));
  }
  if (payment.status === 'requires_action' && (await parts.operations.isOpen(payment))) {
    const code = isWindowOver(payment, context.now) ? expiryCode(payment) : 'not_processed';
    const change = { after: failed(payment, code) };
    return settleOpen(parts, payment, ['cancel', 'confirm'], committing(parts, context, payment, change));
  }
  if (payment.status === 'succeeded') {
    parts.onTrouble('given back upstream, not by a refund', payment);
    await raiseAlert(parts.alerts, context, payment, 'cancelled_upstream');
  }
  return 'applied';
}

/**
 * Either it was charged, which its own notification or a retry tells: from now on that counts again. Or what must not stay
 * has to be given back by hand.
 */
async function applyNotCancelled(parts: PaymentParts, payment: PaymentRow): Promise<Applied> {
  const { status } = payment;
  const isOver = await isDiscarded(parts, payment);
  if (!isOver && (status === 'processing' || status === 'requires_action')) {
    const kind = status === 'processing' ? 'charge' : 'confirm';
    const isAgain = await parts.operations.convert(payment, {
      from: ['cancel', kind],
      to: kind,
      while: 'unknown',
    });
    // It is being asked for once more at this moment.
    if (!isAgain && (await parts.operations.isOpen(payment))) return 'later';
  }
  parts.onTrouble('could not be cancelled upstream', payment);
  return 'applied';
}

/** Which operations an outcome settles. While one may be cancelling this very charge, no success counts yet. */
const asked = (kinds: readonly OperationKind[], outcome: SettledOutcome): readonly OperationKind[] =>
  outcome.kind === 'declined' ? [...kinds, 'cancel'] : kinds;

/** Commits a change that no request waits for. */
const committing =
  (parts: PaymentParts, context: AccountContext, before: PaymentRow, change: PaymentChange) =>
  async (): Promise<boolean> =>
    (await settlePayment(parts, context, { before, ...change, claim: null })) !== undefined;

/** Whether it tells of the very hold that the payment had when its capture was declined, and whose release is asked for. */
const isKnownHold = (payment: PaymentRow, outcome: SettledOutcome): boolean =>
  outcome.kind === 'authorized' &&
  payment.upstream.authorization !== undefined &&
  payment.upstream.authorization === outcome.facts.upstream.authorization;

/** The merchant was told that this failed: what the upstream charged or holds all the same must not stay. */
async function cancelLate(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  if (!isKnownHold(payment, outcome)) parts.onTrouble('charged upstream after it failed here', payment);
  await parts.store.noteUpstream(payment, outcome.facts.upstream);
  const { saved: _saved, ...known } = withFacts(payment, outcome.facts);
  return (await clearUpstream(parts, context, known, `${payment.id}:t3`)) ? 'applied' : 'later';
}

async function attachIfNew(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: SettledOutcome,
): Promise<Applied> {
  return outcome.facts.saved === null ? 'applied' : attachSaved(parts, context, payment, outcome.facts.saved);
}
