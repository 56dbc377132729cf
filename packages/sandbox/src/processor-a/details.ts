import { type JsonObject, objectIn } from '../json.ts';
import type { SandboxParts } from '../parts.ts';
import { jsonResponse, type WireResponse } from '../wire.ts';
import { authoriseChallenged, cancelledPayment } from './authorise.ts';
import { findChallenge, isClosed, type OpenChallenge } from './challenges.ts';
import { invalid } from './errors.ts';
import { type AnsweredRow, answerOf, chargeColumns, drawIds } from './payments.ts';
import type { RequestStore } from './store.ts';

/** A request for an account that the body does not name: the redirect result tells. */
export interface DetailsCall {
  readonly body: JsonObject;
  readonly idempotencyKey: string | undefined;
}

function unknownResult(): Error {
  return invalid('14_018', 'Invalid redirectResult');
}

function finalRow(parts: SandboxParts, challenge: OpenChallenge, call: DetailsCall, now: Date): AnsweredRow {
  const { payment, received, outcome } = challenge;
  // Answered before it has a redirect result, so there is an outcome.
  const ids = { ...drawIds(parts), pspReference: challenge.pspReference };
  const answer = authoriseChallenged(payment, challenge, outcome ?? 'failed', ids);
  const charge = answer.resultCode === 'Authorised' ? chargeColumns(received, payment, answer) : {};
  return {
    merchant_account: challenge.merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: challenge.pspReference,
    at: now.toISOString(),
    status: 200,
    body: JSON.stringify(answer),
    reference: payment.reference,
    challenge_id: challenge.id,
    ...charge,
  };
}

/** `POST /payments/details` (Adyen Checkout API v71): charges after the challenge, once. */
export function createDetails(
  parts: SandboxParts,
  store: RequestStore,
): (call: DetailsCall) => Promise<WireResponse> {
  return async (call) => {
    const { redirectResult } = objectIn(call.body, 'details');
    if (typeof redirectResult !== 'string') throw unknownResult();
    const challenge = await findChallenge(parts, 'redirect_result', redirectResult);
    if (challenge === null) throw unknownResult();
    const now = await parts.now(challenge.merchantAccount);
    if (challenge.state === 'answered' && isClosed(challenge, now)) throw unknownResult();
    const row = finalRow(parts, challenge, call, now);
    const settled = await store.complete(row);
    if (settled.kind !== 'over') return answerOf(row, settled);
    const { state } = (await findChallenge(parts, 'id', challenge.id)) ?? challenge;
    if (state !== 'cancelled') throw unknownResult();
    const { payment, pspReference, brand } = challenge;
    return jsonResponse(200, JSON.stringify(cancelledPayment(payment, pspReference, brand)));
  };
}
