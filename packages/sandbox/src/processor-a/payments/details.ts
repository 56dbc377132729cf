import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { type JsonObject, objectIn } from '../../lib/json.ts';
import { jsonResponse, type WireResponse } from '../../lib/wire.ts';
import { authoriseChallenged, cancelledPayment } from '../authorisation/authorise.ts';
import { findChallenge, isClosed, type OpenChallenge } from '../authorisation/challenges.ts';
import { type Directives, interpretDirectives } from '../authorisation/directives.ts';
import { invalid } from '../authorisation/errors.ts';
import type { RequestStore } from '../store/store.ts';
import { type AnsweredRow, answerOf } from './call.ts';
import { generateIds } from './decision.ts';
import { conclude } from './outcome.ts';
import type { FollowUp } from './payments.ts';

/** A request whose body names no account. The redirect result identifies it. */
export interface DetailsCall {
  readonly body: JsonObject;
  readonly idempotencyKey: string | undefined;
}

function unknownResult(): Error {
  return invalid('14_018', 'Invalid redirectResult');
}

async function finalRow(
  deps: SandboxDependencies,
  kept: OpenChallenge,
  call: DetailsCall,
  now: Date,
): Promise<{ readonly row: AnsweredRow; readonly directives: Directives }> {
  const { payment, received, outcome, merchantAccount, brand, challenge, directives: texts = [] } = kept;
  const directives = interpretDirectives(texts);
  // A challenge gets its redirect result together with its outcome, so `outcome` is never null here.
  const ids = { ...generateIds(deps), pspReference: kept.pspReference };
  const answer = authoriseChallenged(payment, kept, outcome ?? 'failed', ids);
  const card = { brand, challenge };
  const answered = { merchantAccount, payment, answer, card, received, texts, directives, now };
  const { answer: concluded, effects } = await conclude(deps, answered);
  const row = {
    ...effects,
    merchant_account: merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: kept.pspReference,
    at: now.toISOString(),
    status: 200,
    body: JSON.stringify(concluded),
    reference: payment.reference,
    challenge_id: kept.id,
  };
  return { row, directives };
}

/** `POST /payments/details` (Adyen Checkout API v71): completes a payment after its challenge, once. */
export function createDetails(
  deps: SandboxDependencies,
  store: RequestStore,
  follow: FollowUp,
): (call: DetailsCall) => Promise<WireResponse> {
  return async (call) => {
    const { redirectResult } = objectIn(call.body, 'details');
    if (typeof redirectResult !== 'string') throw unknownResult();
    const challenge = await findChallenge(deps, 'redirect_result', redirectResult);
    if (challenge === null) throw unknownResult();
    const now = await deps.now(challenge.merchantAccount);
    if (challenge.state === 'answered' && isClosed(challenge, now)) throw unknownResult();
    const { row, directives } = await finalRow(deps, challenge, call, now);
    const settled = await store.complete(row);
    if (settled.kind === 'fresh') await follow(row, directives);
    if (settled.kind !== 'over') return answerOf(row, settled);
    const { state } = (await findChallenge(deps, 'id', challenge.id)) ?? challenge;
    if (state !== 'cancelled') throw unknownResult();
    const { payment, pspReference, brand } = challenge;
    return jsonResponse(200, JSON.stringify(cancelledPayment(payment, pspReference, brand)));
  };
}
