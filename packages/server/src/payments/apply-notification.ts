import type { AccountContext } from '../accounts/context.ts';
import type { OperationKind } from '../operations/operation.ts';
import { raiseAlert } from '../payment-alerts/alerts.ts';
import type { PaymentAlertKind } from '../payment-alerts/kinds.ts';
import { connectionOf, isOfMerchant } from '../processors/port/connected.ts';
import type { SettledOutcome, UpstreamIds } from '../processors/port.ts';
import { attachSaved } from './attach-method.ts';
import { isDiscarded } from './discard-payment.ts';
import { clearUpstream } from './operations/cancel.ts';
import { beginUnasked } from './operations/recovery.ts';
import type { PaymentParts } from './parts.ts';
import { isWindowOver, type PaymentRow } from './present.ts';
import { lookForSecondCharge, namesOtherOrder, warnOfSecondCharge } from './second-charge.ts';
import {
  afterOutcome,
  type ChangedPayment,
  expiryCode,
  failed,
  settlePayment,
  withFacts,
} from './settle-payment.ts';

/** `later`: it cannot be applied yet, because a request about the same payment is still running. */
export type Applied = 'applied' | 'later';

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
      return settleAsked(parts, context, payment, 'charge', outcome);
    case 'requires_action':
      return (await parts.operations.isOpen(payment))
        ? settleAsked(parts, context, payment, 'confirm', outcome)
        : settleUnasked(parts, context, payment, 'confirm', afterOutcome(payment, outcome));
    case 'authorized':
      return outcome.kind === 'authorized'
        ? attachIfNew(parts, context, payment, outcome)
        : settleUnasked(parts, context, payment, 'capture', afterOutcome(payment, outcome));
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
  const found = await processor.port.lookUp(processor.connection, {
    paymentId: payment.id,
    upstream: known.upstream,
    amount: payment.amount,
    currency: payment.currency,
    captureMethod: payment.capture_method,
  });
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
    return settleUnasked(parts, context, payment, 'void', { ...payment, status: 'voided' }, 'hold_voided');
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
    return settleOpen(parts, context, payment, ['cancel', 'charge'], failed(payment, 'not_processed'));
  }
  if (payment.status === 'requires_action' && (await parts.operations.isOpen(payment))) {
    const code = isWindowOver(payment, context.now) ? expiryCode(payment) : 'not_processed';
    return settleOpen(parts, context, payment, ['cancel', 'confirm'], failed(payment, code));
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

/**
 * What an upstream that was asked tells. Where it may be cancelling this very charge, no success counts yet. A charge that
 * waits for its retry may have been carried out after all.
 */
function settleAsked(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  kind: 'charge' | 'confirm',
  outcome: SettledOutcome,
): Promise<Applied> {
  const kinds: OperationKind[] = kind === 'charge' ? [kind, 'expire'] : [kind];
  if (outcome.kind === 'declined') kinds.push('cancel');
  return settleOpen(parts, context, payment, kinds, afterOutcome(payment, outcome));
}

/** Settles an operation that was left without an answer; one that is being asked about right now gets its own. */
async function settleOpen(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  kinds: readonly OperationKind[],
  after: ChangedPayment,
): Promise<Applied> {
  const taken = await parts.operations.takeOver(payment, kinds, parts.lease(), parts.clock.now());
  if (taken === undefined) return 'later';
  const settled = await settlePayment(parts, context, { before: payment, after, claim: null });
  return settled === undefined ? 'later' : 'applied';
}

/** The upstream settled what nobody here asked it to, such as in its own dashboard: its word counts. */
async function settleUnasked(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  kind: 'confirm' | 'capture' | 'void',
  after: ChangedPayment,
  alert?: PaymentAlertKind,
): Promise<Applied> {
  const begun = await beginUnasked(parts, context, payment, kind, `${payment.id}:n`);
  if (begun !== 'begun') return 'later';
  const settled = await settlePayment(parts, context, {
    before: payment,
    after,
    claim: null,
    ...(alert === undefined ? {} : { alert }),
  });
  if (settled === undefined) await parts.operations.end(payment);
  return settled === undefined ? 'later' : 'applied';
}

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
