import { type AccountContext, backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep, type Tenant } from '../../jobs/fair-queue.ts';
import type { PaymentParts } from '../parts.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { expiryCode, failed, settlePayment } from '../settle-payment.ts';
import { cancelUpstream } from './cancel.ts';
import { takeOverduePayments, tenantsWithOverduePayments } from './overdue-payments.ts';
import { cancelKey } from './payment-room.ts';
import { beginUnasked } from './recovery.ts';

/** How many are cleared upstream at once, for each processor. */
const places = 32;

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
  const begun = await beginUnasked(parts, context, payment, 'expire', `${payment.id}:x`);
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
    await parts.operations.end(payment);
    return payment;
  }
  const after = failed(payment, expiryCode(payment));
  await settlePayment(parts, context, { before: payment, after, claim: null, cancelKey: cancelKey(payment) });
  const current = (await parts.store.find(context, paymentId)) ?? after;
  const open = await parts.operations.takeOver(current, ['cancel'], parts.lease(), parts.clock.now());
  if (open !== undefined)
    await cancelUpstream(parts, context, current, { upstreamKey: open.upstream_key, tries: 0 });
  return current;
}

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
