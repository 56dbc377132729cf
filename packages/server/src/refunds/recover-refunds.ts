import type { Provider } from '@till/contract';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { eachOf } from '../lib/each-of.ts';
import { isLeaseLow, type Lease } from '../payments/operations.ts';
import type { RefundParts } from './parts.ts';
import type { RefundRow } from './row.ts';
import { afterAnswer, askProcessor, commitRefund, nextTry } from './settle-refund.ts';

const most = 50;
/** How many are asked about at the same time: one slow processor must not hold the others up. */
const atOnce = 10;
/**
 * For how many days a request without an answer is repeated under its key: then the upstream may have forgotten the key
 * (Adyen keeps keys for 7 days, PayPal those of refunds for 45).
 */
const repeatDays: Readonly<Record<Provider, number>> = { processor_a: 6, processor_b: 44 };
const dayMs = 24 * 3_600_000;
const askEveryMs = 3_600_000;

/**
 * Moves pending refunds on: repeats, under the same key, what got no answer; tells those that the processor finished at
 * once; and asks about those of which no notification came.
 * @returns how many were looked at
 */
export async function recoverRefunds(parts: RefundParts): Promise<number> {
  const now = parts.clock.now();
  const lease = parts.lease();
  const due = await parts.store.takeDue(lease, now, most);
  await eachOf(due, atOnce, async (refund) => {
    // What is not reached in time is left to its lease: somebody else may have it by then.
    if (!isLeaseLow(lease, now, parts.clock.now())) await recoverOne(parts, refund, lease);
  });
  return due.length;
}

async function recoverOne(parts: RefundParts, refund: RefundRow, lease: Lease): Promise<void> {
  try {
    await moveOn(parts, refund);
  } catch (error) {
    parts.onTrouble('a refund could not be looked at', refund, error);
    await parts.store.putOff(refund, lease, nextTry(parts, refund.tries)).catch(() => {});
  }
}

async function moveOn(parts: RefundParts, refund: RefundRow): Promise<void> {
  const account = await findAccount(parts.db, refund.account_id);
  if (account === undefined) throw new Error(`${refund.id} belongs to no account`);
  const context = backgroundContext(account, refund.livemode, parts.clock.now());
  const payment = await parts.payments.store.find(context, refund.payment_id);
  if (payment === undefined) throw new Error(`${refund.id} belongs to no payment`);
  if (refund.done_upstream) {
    await commitRefund(
      parts,
      context,
      refund,
      { ...refund, status: 'succeeded', done_upstream: false },
      null,
    );
    return;
  }
  if (refund.asked === 'answered') return askHowItStands(parts, context, refund);
  if (context.now.getTime() - refund.created_at.getTime() > repeatDays[context.processor] * dayMs) {
    parts.onTrouble('no answer about a refund, and too late to ask for it again', refund);
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries));
    return;
  }
  const outcome = await askProcessor(parts, context, payment, refund);
  if ('answer' in outcome) {
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries));
    return;
  }
  await commitRefund(parts, context, refund, afterAnswer(refund, outcome, 'later'), null);
}

/** Where the upstream can be asked; elsewhere only its notification tells. */
async function askHowItStands(
  parts: RefundParts,
  context: ReturnType<typeof backgroundContext>,
  refund: RefundRow,
): Promise<void> {
  const later = new Date(parts.clock.now().getTime() + askEveryMs);
  const processor = parts.connect(context);
  if (processor?.port.lookUpRefund === undefined || refund.upstream_id === null) {
    await parts.store.putOff(refund, parts.lease(), later);
    return;
  }
  const outcome = await processor.port.lookUpRefund(processor.connection, {
    upstreamId: refund.upstream_id,
    amount: refund.amount,
    currency: refund.currency,
  });
  if ('answer' in outcome || outcome.kind === 'pending') {
    await parts.store.putOff(refund, parts.lease(), later);
    return;
  }
  await commitRefund(parts, context, refund, afterAnswer(refund, outcome, 'at_once'), null);
}
