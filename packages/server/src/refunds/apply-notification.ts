import type { AccountContext } from '../accounts/context.ts';
import { newId } from '../lib/ids.ts';
import { findPaymentByCapture } from '../payments/reads.ts';
import { isOfMerchant } from '../processors/port/connected.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import { commitRefund } from './commit-refund.ts';
import { settleRefund } from './operations/refund.ts';
import type { RefundParts } from './parts.ts';
import type { RefundRow } from './row.ts';
import { mayBecome } from './state.ts';

export type RefundNews = Extract<NotificationEffect, { kind: 'refund_settled' }>;

/**
 * Ends a refund as the upstream says, also a succeeded one that the scheme took back. Repeats and any order lead to the
 * same state. A refund that was made elsewhere gets a record here.
 * @param sender identity of the merchant account that it came from; null: not known
 * @returns `later` where it changed meanwhile, or was made with another merchant account
 */
export async function applyRefundNews(
  parts: RefundParts,
  context: AccountContext,
  news: RefundNews,
  sender: string | null = null,
): Promise<'applied' | 'later'> {
  const refund = await findRefund(parts, context, news);
  if (refund === undefined)
    return news.refundId === null
      ? recordForeign(parts, context, news, sender)
      : unknown(parts, context, news);
  if (!isOfMerchant(refund, sender)) return ofAnother(parts, refund);
  if (news.amount !== refund.amount || news.currency !== refund.currency) {
    parts.onTrouble('a notification names another amount than the refund', refund);
    return 'applied';
  }
  const status = news.outcome === 'succeeded' ? 'succeeded' : 'failed';
  if (!mayBecome(refund.status, status)) {
    // A success that comes after the failure it was followed by changes nothing; anything else is a repeat.
    return 'applied';
  }
  const outcome =
    news.outcome === 'succeeded'
      ? ({ kind: 'succeeded', upstreamId: news.upstreamId } as const)
      : ({ kind: 'failed', upstreamId: news.upstreamId, failure: news.outcome } as const);
  const change = settleRefund(refund, outcome, { now: parts.clock.now(), shown: 'at_once' });
  return (await commitRefund(parts, context, refund, change, null)) === undefined ? 'later' : 'applied';
}

async function findRefund(
  parts: RefundParts,
  context: AccountContext,
  news: RefundNews,
): Promise<RefundRow | undefined> {
  const named = news.refundId === null ? undefined : await parts.store.find(context, news.refundId);
  return named ?? parts.store.findByUpstreamId(context, news.upstreamId);
}

function unknown(parts: RefundParts, context: AccountContext, news: RefundNews): 'applied' {
  parts.onTrouble('notification about an unknown refund', {
    id: news.refundId ?? news.upstreamId,
    account_id: context.accountId,
  });
  return 'applied';
}

function ofAnother(parts: RefundParts, about: { id: string; account_id: string }): 'later' {
  parts.onTrouble('a notification of another merchant account', about);
  return 'later';
}

/** Somebody gave the money back in the upstream's own dashboard: it counts against the payment like any refund. */
async function recordForeign(
  parts: RefundParts,
  context: AccountContext,
  news: RefundNews,
  sender: string | null,
): Promise<'applied' | 'later'> {
  const payment =
    news.paymentId === null
      ? await findPaymentByCapture(parts.db, context, news.payment)
      : await parts.payments.store.find(context, news.paymentId);
  if (payment === undefined) return unknown(parts, context, news);
  if (!isOfMerchant(payment, sender)) return ofAnother(parts, payment);
  if (news.outcome !== 'succeeded') return 'applied';
  if (news.currency !== payment.currency) {
    const refund = { id: news.upstreamId, account_id: context.accountId };
    parts.onTrouble('a refund at the processor names another currency than the payment', refund);
    return 'applied';
  }
  // What was charged in spite of a failure and is given back by hand is no refund of ours.
  if (payment.status === 'failed' || payment.status === 'voided') return 'applied';
  if (payment.status !== 'succeeded') return 'later';
  const refund: RefundRow = {
    account_id: context.accountId,
    livemode: context.livemode,
    id: newId('re', parts.clock.now(), parts.randomBytes),
    payment_id: payment.id,
    amount: news.amount,
    currency: news.currency,
    status: 'pending',
    reason: null,
    note: null,
    failure_code: null,
    failure_message: null,
    metadata: {},
    upstream_id: news.upstreamId,
    version: 1,
    event_count: 0,
    processor_identity: sender,
    created_at: context.now,
  };
  const begun = await parts.store.begin({
    refund,
    seenLeft: null,
    isMade: true,
    lease: parts.lease(),
    claim: null,
    act: null,
  });
  if (begun !== 'begun') {
    parts.onTrouble('more was refunded upstream than the payment has left', refund);
    return 'applied';
  }
  const change = { after: { ...refund, status: 'succeeded' as const }, next: null };
  const done = await commitRefund(parts, context, refund, change, null);
  return done === undefined ? 'later' : 'applied';
}
