import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { Claim } from '../../idempotency/claims.ts';
import type { ChargeOutcome, NoAnswer, UpstreamIds } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noteUpstream } from '../drafts.ts';
import type { PaymentRow } from '../payment.ts';
import { cannotSave } from '../request/saved-instrument.ts';
import { type PaymentAnswer, settlePayment, withFacts } from '../settle-payment.ts';
import { cancelLeftovers } from './cancel.ts';
import { afterCharge } from './charge.ts';
import { type Discard, discardPayment } from './discard-payment.ts';
import { stillInDoubt, storePresentAnswer } from './resume-payment.ts';

/** An error that is stored and replayed like an answer. */
export interface StoredRefusal {
  readonly refusal: ApiError;
  /** Stores the response. @throws ApiError `provider_unavailable` if the request lost its lease: then nothing is stored */
  readonly keep: (text: string) => Promise<void>;
}

/**
 * Commit 2: settles a payment with the answer to its request's charge.
 * @throws ApiError `invalid_params` if the request demands saving and it is not possible: then the payment is discarded
 */
export async function settleCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: Exclude<ChargeOutcome, NoAnswer>,
  end: Discard,
): Promise<PaymentAnswer | StoredRefusal> {
  switch (outcome.kind) {
    case 'missing_approval_url':
      return keptRefusal(deps, payment, outcome.facts.upstream, end);
    case 'cannot_save':
      if (await discardPayment(deps, payment, end)) throw cannotSave();
      return lateAnswer(deps, context, payment, outcome, end.claim);
    case 'not_carried_out':
    case 'requires_action':
    case 'succeeded':
    case 'authorized':
    case 'declined': {
      const change = afterCharge(payment, outcome, context.now);
      const answer = await settlePayment(deps, context, { before: payment, ...change, claim: end.claim });
      return answer ?? lateAnswer(deps, context, payment, outcome, end.claim);
    }
  }
}

/**
 * Handles an answer that comes after recovery or a notification settled the payment. If the payment failed here but the answer
 * says that it was charged, the charge is cancelled. The payment's present state is the answer to the request.
 */
async function lateAnswer(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: Exclude<ChargeOutcome, NoAnswer>,
  claim: Claim | null,
): Promise<PaymentAnswer> {
  const current = await deps.store.find(context, payment.id);
  if (current === undefined || current.status === 'processing') return { keyTaken: true };
  if (current.status === 'failed' && (outcome.kind === 'succeeded' || outcome.kind === 'authorized')) {
    deps.onIncident(context, 'charged upstream after it failed here', current);
    await noteUpstream(deps.db, current, outcome.facts.upstream);
    await cancelLeftovers(deps, context, withFacts(current, outcome.facts), `${current.id}:t2`);
  }
  return storePresentAnswer(deps, context, current, claim);
}

/**
 * The order has no approval link and is useless, and the spec asks for a new key (create rule 12). So a repeat of the same key
 * gets the same refusal. Nothing else stays of the payment, and recovery cancels the order upstream.
 */
function keptRefusal(
  deps: PaymentDependencies,
  payment: PaymentRow,
  upstream: UpstreamIds,
  end: Discard,
): StoredRefusal {
  const refusal = new ApiError(
    'missing_approval_url',
    'The processor accepted the order without an approval link. No money moved: retry with a new key.',
  );
  return {
    refusal,
    async keep(text) {
      const answer = { status: refusal.status, body: text };
      // This request lost its lease, so the payment still exists, and its new holder discards it. Until then ask for a retry.
      if (!(await discardPayment(deps, payment, { ...end, upstream, answer }))) throw stillInDoubt();
    },
  };
}
