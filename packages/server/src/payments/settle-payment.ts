import { ApiError, type FailureCode } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type NewEvent, writeEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';
import type { ChargeFacts, NoAnswer, SettledOutcome } from '../processors/port.ts';
import type { PaymentParts } from './parts.ts';
import { type PaymentRow, presentPayment } from './present.ts';
import { eventOfStatus, type InternalStatus, requireTransition } from './state.ts';

export type PaymentAnswer =
  | { readonly status: 200 | 201; readonly text: string }
  | { readonly lostClaim: true };

/** A payment's JSON as the API shows it at this moment. */
export function writePayment(parts: PaymentParts, context: AccountContext, payment: PaymentRow): string {
  return parts.write(
    presentPayment(payment, {
      now: context.now,
      checkoutUrl: (row) => parts.links.checkoutUrl(parts.links.token(row.account_id, row.livemode, row.id)),
    }),
  );
}

/** The payment with what an answer told; what it did not tell stays. */
export function withFacts(payment: PaymentRow, facts: ChargeFacts): PaymentRow {
  return {
    ...payment,
    brand: facts.brand ?? payment.brand,
    bin: facts.bin ?? payment.bin,
    last4: facts.last4 ?? payment.last4,
    exp_month: facts.expMonth ?? payment.exp_month,
    exp_year: facts.expYear ?? payment.exp_year,
    three_d_secure: facts.threeDSecure ?? payment.three_d_secure,
    avs: facts.avs ?? payment.avs,
    upstream: { ...payment.upstream, ...facts.upstream },
    network_transaction_reference: facts.networkTransactionReference ?? payment.network_transaction_reference,
  };
}

/** The payment as a definite answer leaves it. */
export function afterOutcome(payment: PaymentRow, outcome: SettledOutcome): PaymentRow {
  const known = withFacts(payment, outcome.facts);
  switch (outcome.kind) {
    case 'succeeded':
      return { ...known, status: 'succeeded' };
    case 'authorized':
      return {
        ...known,
        status: 'authorized',
        authorization_guaranteed_until: outcome.deadlines.guaranteedUntil,
        authorization_expires: outcome.deadlines.expires,
      };
    case 'declined':
      return failed(known, outcome.code);
  }
}

export const failed = (payment: PaymentRow, code: FailureCode): PaymentRow => ({
  ...payment,
  status: 'failed',
  failure_code: code,
});

/**
 * Commit 2: the payment's new state with its event and the answer to be replayed.
 * @param before as it was read, `after` as it becomes
 * @returns the answer, or undefined where the payment changed meanwhile: then nothing was written
 */
export async function settlePayment(
  parts: PaymentParts,
  context: AccountContext,
  change: {
    before: PaymentRow;
    after: PaymentRow;
    claim: Claim | null;
    status?: 200 | 201;
    cancelKey?: string;
  },
): Promise<{ status: 200 | 201; text: string } | undefined> {
  const { before, after, claim } = change;
  if (before.status !== after.status) requireTransition(before.status, after.status);
  const text = writePayment(parts, context, after);
  const status = change.status ?? (after.status === 'failed' ? 200 : 201);
  const waits = before.status !== after.status && after.status === 'requires_action';
  const won = await parts.store.settle({
    payment: after,
    event: before.status === after.status ? null : eventFor(parts, context, after, text),
    settledAt: context.now,
    checkoutToken: waits
      ? sha256(parts.links.token(after.account_id, after.livemode, after.id)).toString('hex')
      : null,
    cancelKey: change.cancelKey ?? null,
    answer: claim && { claim, status, body: text },
  });
  if (!won) return undefined;
  parts.onSettled(after, context);
  return { status, text };
}

function eventFor(parts: PaymentParts, context: AccountContext, payment: PaymentRow, text: string): NewEvent {
  const status: InternalStatus = payment.status;
  if (status === 'processing') throw new Error('a payment without an answer has no event');
  return writeEvent(
    {
      id: newId('evt', context.now, parts.randomBytes),
      type: eventOfStatus[status],
      sequence: payment.event_count + 1,
      created: context.now,
      livemode: context.livemode,
    },
    text,
  );
}

/** Recovery looks after 5 s, within the first minute, after 5 min, 30 min, then hourly. */
const recoverySeconds = [5, 40, 300, 1800, 3600];

/** Real time of the next recovery of an operation that was tried so often. */
export function nextTry(parts: PaymentParts, tries: number): Date {
  const seconds = recoverySeconds[Math.min(tries, recoverySeconds.length - 1)] ?? 3600;
  return new Date(parts.clock.now().getTime() + seconds * 1000);
}

/** The payment stays in doubt; the merchant is told to retry. @returns what to throw */
export async function stayInDoubt(
  parts: PaymentParts,
  payment: PaymentRow,
  outcome: NoAnswer,
): Promise<ApiError> {
  parts.onTrouble(`no definite answer from the processor: ${outcome.reason}`, payment);
  await parts.operations.leaveUnknown(payment, nextTry(parts, 0));
  return new ApiError(
    outcome.answer,
    'The processor did not answer. Retry with the same Idempotency-Key.',
    outcome.answer === 'provider_unavailable' ? { retryAfterSeconds: 2 } : {},
  );
}
