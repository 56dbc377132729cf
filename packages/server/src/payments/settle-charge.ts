import { ApiError, type FailureCode, type Provider } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { writeEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import type { ChargeFacts, ChargeOutcome } from '../processors/port.ts';
import { type PaymentRow, presentPayment } from './present.ts';
import { eventOfStatus, type InternalStatus, requireTransition } from './state.ts';
import type { PaymentStore } from './store.ts';

export interface SettleParts {
  readonly store: PaymentStore;
  readonly randomBytes: RandomBytes;
  /** Writes a payment as the API shows it, by the contract's schema. */
  readonly write: (payment: object) => string;
  readonly onSettled: (payment: PaymentRow & { readonly processor: Provider }) => void;
}

export type PaymentAnswer =
  | { readonly status: 200 | 201; readonly text: string }
  | { readonly lostClaim: true };

/** 201 for a created payment, 200 for a decline (spec, "Declines"). */
export function toAnswer(parts: SettleParts, payment: PaymentRow) {
  const status = payment.status === 'failed' ? (200 as const) : (201 as const);
  return { status, text: parts.write(presentPayment(payment)) };
}

/**
 * Commit 2: what the processor said, with its event and the answer to be replayed.
 * @throws ApiError `provider_error`, `provider_unavailable` where the outcome is not known; the payment stays in doubt
 */
export async function settleCharge(
  parts: SettleParts,
  context: AccountContext,
  payment: PaymentRow,
  outcome: ChargeOutcome,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  if ('answer' in outcome) {
    await parts.store.markUnknown(payment);
    throw new ApiError(
      outcome.answer,
      'The processor did not answer. Retry with the same Idempotency-Key.',
      outcome.answer === 'provider_unavailable' ? { retryAfterSeconds: 2 } : {},
    );
  }
  const settled =
    outcome.kind === 'succeeded'
      ? withFacts(payment, 'succeeded', null, outcome.facts)
      : withFacts(payment, 'failed', outcome.code, outcome.facts);
  const answer = toAnswer(parts, settled);
  const won = await parts.store.settle({
    payment: settled,
    event: eventFor(parts, context, settled, answer.text),
    settledAt: context.now,
    answer: claim && { claim, status: answer.status, body: answer.text },
  });
  if (!won) return { lostClaim: true };
  parts.onSettled({ ...settled, processor: context.processor });
  return answer;
}

function withFacts(
  payment: PaymentRow,
  status: Exclude<InternalStatus, 'processing'>,
  failureCode: FailureCode | null,
  facts: ChargeFacts,
): PaymentRow {
  requireTransition(payment.status, status);
  return {
    ...payment,
    status,
    failure_code: failureCode,
    brand: facts.brand ?? payment.brand,
    bin: facts.bin ?? payment.bin,
    last4: facts.last4 ?? payment.last4,
    three_d_secure: facts.threeDSecure,
    avs: facts.avs,
    upstream_reference: facts.upstreamReference,
    network_transaction_reference: facts.networkTransactionReference,
  };
}

function eventFor(parts: SettleParts, context: AccountContext, payment: PaymentRow, text: string) {
  if (payment.status === 'processing') throw new Error('a payment without an answer has no event');
  return writeEvent(
    {
      id: newId('evt', context.now, parts.randomBytes),
      type: eventOfStatus[payment.status],
      sequence: payment.event_count + 1,
      created: context.now,
      livemode: context.livemode,
    },
    text,
  );
}
