import { ApiError } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { Claim } from '../../idempotency/claims.ts';
import type { ChargeOutcome, NoAnswer, UpstreamIds } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noteUpstream } from '../drafts.ts';
import type { PaymentRow } from '../payment.ts';
import { cannotSave } from '../request/saved-instrument.ts';
import { type PaymentAnswer, settlePayment, withFacts } from '../settle-payment.ts';
import { clearUpstream } from './cancel.ts';
import { afterCharge } from './charge.ts';
import { type Discard, discardPayment } from './discard-payment.ts';
import { stillInDoubt, storePresentAnswer } from './resume-payment.ts';

/** An error that is kept and replayed like an answer. */
export interface KeptRefusal {
  readonly refusal: ApiError;
  /** @throws ApiError `provider_unavailable` where the request lost its hold meanwhile: nothing is kept then */
  readonly keep: (text: string) => Promise<void>;
}

/**
 * Commit 2: what the answer to a request's charge means for the payment that was begun for it.
 * @throws ApiError `invalid_params` where saving was asked for and is not possible: nothing stays of the payment
 */
export async function settleCharge(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  outcome: Exclude<ChargeOutcome, NoAnswer>,
  end: Discard,
): Promise<PaymentAnswer | KeptRefusal> {
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

/** The payment was settled by somebody else while the processor answered: what it charged must not stay. */
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
    await clearUpstream(deps, context, withFacts(current, outcome.facts), `${current.id}:t2`);
  }
  return storePresentAnswer(deps, context, current, claim);
}

/**
 * The order is useless, and the spec asks for a new key (create rule 12): the same key gets the same refusal again. Nothing
 * else stays, and the order is closed upstream.
 */
function keptRefusal(
  deps: PaymentDependencies,
  payment: PaymentRow,
  upstream: UpstreamIds,
  end: Discard,
): KeptRefusal {
  const refusal = new ApiError(
    'missing_approval_url',
    'The processor accepted the order without an approval link. No money moved: retry with a new key.',
  );
  return {
    refusal,
    async keep(text) {
      const answer = { status: refusal.status, body: text };
      // A new key would meet what is still there: the holder of the charge by now discards it.
      if (!(await discardPayment(deps, payment, { ...end, upstream, answer }))) throw stillInDoubt();
    },
  };
}
