import { type FailureCode, nextActions } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep, type Tenant } from '../jobs/fair-queue.ts';
import { newId } from '../lib/ids.ts';
import { type Connected, connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import { takeOverduePayments, tenantsWithOverduePayments } from './overdue-payments.ts';
import type { PaymentParts } from './parts.ts';
import { isWindowOver, type PaymentRow } from './present.ts';
import { failed, nextTry, settlePayment } from './settle-payment.ts';

/** How many are cleared upstream at once, for each processor. */
const places = 32;

/** Why a payment failed whose 15 minutes passed (decisions, "Payments"). */
export function expiryCode(payment: PaymentRow): FailureCode {
  if (payment.buyer_done_at !== null) return '3ds_token_expired';
  const challenged = payment.next_action !== null && nextActions[payment.next_action].step === 'authenticate';
  return challenged ? '3ds_abandoned' : 'confirmation_expired';
}

/**
 * Fails a payment that waits for its buyer after the window; any other comes back as it is. While another operation of
 * the payment is open nothing is decided: what it brings is not known yet.
 */
export async function expireIfOverdue(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
): Promise<PaymentRow> {
  if (payment.status !== 'requires_action' || !isWindowOver(payment, context.now)) return payment;
  const begun = await parts.operations.begin({
    payment,
    id: newId('op', parts.clock.now(), parts.randomBytes),
    kind: 'expire',
    upstreamKey: `${payment.id}:x`,
    at: context.now,
    lease: parts.lease(),
    claim: null,
  });
  if (begun !== 'begun') return payment;
  return finishExpiry(parts, context, payment.id);
}

/** The rest of an expiry whose operation is ours: fails the payment and clears what may still come upstream. */
export async function finishExpiry(
  parts: PaymentParts,
  context: AccountContext,
  paymentId: string,
): Promise<PaymentRow> {
  const payment = await parts.store.find(context, paymentId);
  if (payment === undefined) throw new Error(`${paymentId} is gone`);
  if (payment.status !== 'requires_action') {
    await parts.operations.close(payment, context.now);
    return payment;
  }
  const after = failed(payment, expiryCode(payment));
  await settlePayment(parts, context, { before: payment, after, claim: null, cancelKey: cancelKey(payment) });
  const current = (await parts.store.find(context, paymentId)) ?? after;
  const open = await parts.operations.takeOver(current, ['cancel'], parts.lease(), parts.clock.now());
  if (open !== undefined) await cancelUpstream(parts, context, current, open.upstream_key, 0);
  return current;
}

/** Under which key whatever may still come of a payment is cancelled. */
export const cancelKey = (payment: PaymentRow) => `${payment.id}:t`;

/**
 * Makes sure that nothing of a failed payment can be authorised upstream later. A processor that does not answer is
 * asked again by recovery.
 * @returns false where another operation of the payment is open: then nothing was asked
 */
export async function clearUpstream(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  upstreamKey: string,
): Promise<boolean> {
  const begun = await parts.operations.begin({
    payment,
    id: newId('op', parts.clock.now(), parts.randomBytes),
    kind: 'cancel',
    upstreamKey,
    at: context.now,
    lease: parts.lease(),
    claim: null,
  });
  if (begun !== 'begun') return false;
  await cancelUpstream(parts, context, payment, upstreamKey, 0);
  return true;
}

/** Asks for the cancellation of an operation that is ours. */
export async function cancelUpstream(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  upstreamKey: string,
  tries: number,
): Promise<void> {
  const processor = connectionOf(parts, context, payment);
  if (processor === undefined) parts.onTrouble(waitsForConnection, payment);
  const outcome = await processor?.port.cancel(processor.connection, {
    paymentId: payment.id,
    upstreamKey,
    // A buyer who never came back was never charged: what is known upstream is an offer, which only our reference ends.
    upstream: endsAnOffer(payment, upstreamKey, processor) ? {} : payment.upstream,
  });
  // What was captured has to be given back by hand: until then the operation stays open and is told of again and again.
  const isCaptured = outcome?.kind === 'already_captured';
  if (isCaptured)
    parts.onTrouble('captured upstream after it failed here: give the money back there', payment);
  if (outcome === undefined || 'answer' in outcome || isCaptured) {
    await parts.operations.leaveUnknown(payment, nextTry(parts, tries));
    return;
  }
  await parts.operations.close(payment, context.now);
}

const endsAnOffer = (payment: PaymentRow, upstreamKey: string, { port }: Connected) =>
  port.capabilities.cancelsByReference && upstreamKey === cancelKey(payment);

/** Fails the payments whose window is over. @param only one tenant's; absent: those of all accounts */
export function paymentExpiry(parts: PaymentParts, only?: Tenant): Sweep {
  const { db, clock } = parts;
  const due = tenantsWithOverduePayments(db);
  return perProcessor(
    (processor) =>
      new FairQueue<PaymentRow>({
        places,
        dueTenants: (after, most) => due({ now: clock.now(), after, most, processor, only }),
        async take(tenant, most) {
          const rows = await takeOverduePayments(db, tenant, { now: clock.now(), most });
          return { rows, more: rows.length === most };
        },
        work: (payment) => expireOne(parts, payment, clock.now()),
        onError: (error, { accountId }) =>
          parts.onTrouble('payments could not be expired', { id: '', account_id: accountId }, error),
      }),
  );
}

/** Fails everything whose window is over. @param only of one tenant. @returns how many payments were looked at */
export const expirePayments = (parts: PaymentParts, only?: Tenant): Promise<number> =>
  paymentExpiry(parts, only).run();

async function expireOne(parts: PaymentParts, payment: PaymentRow, now: Date): Promise<void> {
  try {
    const account = await findAccount(parts.db, payment.account_id);
    if (account === undefined) return;
    await expireIfOverdue(parts, backgroundContext(account, payment.livemode, now), payment);
  } catch (error) {
    parts.onTrouble('a payment could not be expired', payment, error);
  }
}
