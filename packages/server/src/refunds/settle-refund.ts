import type { Provider } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type NewEvent, writeEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import type { PaymentRow } from '../payments/present.ts';
import type { Connected } from '../processors/port/connected.ts';
import type { RefundOutcome } from '../processors/port/refunds.ts';
import type { NoAnswer } from '../processors/port.ts';
import { capabilitiesOf } from '../processors/registry.ts';
import type { RefundParts } from './parts.ts';
import { presentRefund, type RefundRow } from './row.ts';
import { eventOfRefund, mayBecome } from './state.ts';

/** How soon a refund that the processor finished at once is told as succeeded, in milliseconds. */
const toldAfterMs = 1_000;
/** Where no notification comes the processor is asked this often. */
const askEveryMs = 3_600_000;
/** Recovery of an unanswered request: after 5 s, 40 s, 5 min, 30 min, then hourly. */
const recoverySeconds = [5, 40, 300, 1800, 3600];

/** Whether the upstream still answers a repeat of the refund's key with what it did first. @param now account time */
export const isKeyRemembered = (refund: RefundRow, processor: Provider, now: Date): boolean =>
  now.getTime() - refund.created_at.getTime() <= capabilitiesOf(processor).refundKeyMs;

export const writeRefund = (parts: RefundParts, refund: RefundRow): string =>
  parts.write(presentRefund(refund));

/** Real time of the next recovery of a refund that was tried so often. */
export function nextTry(parts: RefundParts, tries: number): Date {
  const seconds = recoverySeconds[Math.min(tries, recoverySeconds.length - 1)] ?? 3600;
  return new Date(parts.clock.now().getTime() + seconds * 1000);
}

/** The refund as an answer or a notification leaves it. */
export function afterAnswer(
  refund: RefundRow,
  outcome: Exclude<RefundOutcome, NoAnswer>,
  told: 'at_once' | 'later',
): RefundRow {
  const answered = {
    ...refund,
    asked: 'answered' as const,
    upstream_id: outcome.upstreamId ?? refund.upstream_id,
  };
  switch (outcome.kind) {
    case 'pending':
      return answered;
    case 'succeeded':
      return told === 'at_once' ? { ...answered, status: 'succeeded' } : { ...answered, done_upstream: true };
    case 'failed':
      return {
        ...answered,
        status: 'failed',
        failure_code: outcome.failure.code,
        failure_message: outcome.failure.message,
      };
  }
}

/**
 * Commits a refund's change with its event, what it gives back, and the answer to be replayed.
 * @returns the answer, or undefined where the refund changed meanwhile: then nothing was written
 */
export async function commitRefund(
  parts: RefundParts,
  context: AccountContext,
  before: RefundRow,
  after: RefundRow,
  claim: Claim | null,
): Promise<{ status: 201; text: string } | undefined> {
  const moved = before.status !== after.status;
  if (moved && !mayBecome(before.status, after.status)) {
    throw new Error(`a refund cannot go from ${before.status} to ${after.status}`);
  }
  const text = writeRefund(parts, after);
  const waitMs = after.done_upstream ? toldAfterMs : askEveryMs;
  const won = await parts.store.change({
    refund: after,
    givesBack: moved && after.status === 'failed',
    nextTryAt: new Date(parts.clock.now().getTime() + waitMs),
    event: moved ? eventFor(parts, context, after, text) : null,
    at: context.now,
    answer: claim && { claim, status: 201, body: text },
  });
  if (!won) return undefined;
  if (moved) parts.onSettled(after, context);
  return { status: 201, text };
}

function eventFor(
  parts: RefundParts,
  context: AccountContext,
  refund: RefundRow,
  text: string,
): NewEvent | null {
  if (refund.status === 'pending') return null;
  return writeEvent(
    {
      id: newId('evt', parts.clock.now(), parts.randomBytes),
      type: eventOfRefund[refund.status],
      sequence: refund.event_count + 1,
      created: context.now,
      livemode: context.livemode,
    },
    text,
  );
}

/**
 * Asks the processor for the refund under its one key. No transaction is open.
 * @param asked whether it may have been asked before
 */
export function askProcessor(
  processor: Connected,
  payment: PaymentRow,
  refund: RefundRow,
  asked: 'first' | 'again',
): Promise<RefundOutcome> {
  return processor.port.refund(processor.connection, {
    refundId: refund.id,
    paymentId: payment.id,
    upstreamKey: refund.id,
    upstream: payment.upstream,
    amount: refund.amount,
    currency: refund.currency,
    reason: refund.reason,
    note: refund.note,
    ...(asked === 'again' ? { isRepeat: true } : {}),
  });
}
