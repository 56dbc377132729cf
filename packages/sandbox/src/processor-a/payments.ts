import { faultStrikes, showFault, slowAnswerMs } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import type { SandboxParts } from '../parts.ts';
import { sendVirtualBuyer } from '../virtual-buyer.ts';
import { jsonResponse, type WireResponse } from '../wire.ts';
import { answerChallenge } from './challenges.ts';
import { type Deliberation, decide } from './decision.ts';
import { type Directives, interpretDirectives } from './directives.ts';
import { serverError, stillInProgress } from './errors.ts';
import { findInstrument } from './instruments.ts';
import { readDirectives } from './payment-request.ts';
import { storedTokenOf } from './recurring.ts';
import type { RequestRow, RequestStore, Settled } from './store.ts';

/** A request that has passed the door: authenticated, parsed, and of a known account. */
export interface Call {
  readonly body: JsonObject;
  readonly merchantAccount: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export type AnsweredRow = RequestRow & { readonly status: number; readonly body: string };

/** The answer of this request, or of the one that came before it under the same key. */
export function answerOf(row: AnsweredRow, settled: Settled): WireResponse {
  if (settled.kind === 'in_flight') throw stillInProgress();
  const { status, body } = settled.kind === 'stored' ? settled : row;
  return jsonResponse(status, body);
}

/** What else a directive wants once a payment has its final answer, before that is given. */
export type FollowUp = (row: AnsweredRow, directives: Directives) => Promise<void>;

/** Whether a fault strikes this request: the first of its key, and every one without a key. */
export async function strikesNow(
  { database }: Pick<SandboxParts, 'database'>,
  { merchantAccount, idempotencyKey }: Call,
  now: Date,
): Promise<boolean> {
  return idempotencyKey === undefined || faultStrikes(database, merchantAccount, idempotencyKey, now);
}

/** `POST /payments` (Adyen Checkout API v71, "Start a transaction"; Adyen docs, "API idempotency"). */
export function createPayments(
  parts: SandboxParts,
  store: RequestStore,
  follow: FollowUp,
): (call: Call) => Promise<WireResponse> {
  const settleSlowly = async (row: AnsweredRow): Promise<Settled> => {
    if (row.idempotency_key !== null) {
      const { merchant_account, idempotency_key, psp_reference, at } = row;
      const claim = { merchant_account, idempotency_key, psp_reference, at, status: null, body: null };
      const claimed = await store.settle(claim);
      if (claimed.kind !== 'fresh') return claimed;
    }
    // Without the signal: a processor carries on when the client has hung up.
    await parts.delay(slowAnswerMs);
    return store.settle(row);
  };

  const deliberate = async (call: Call): Promise<Deliberation> => {
    const now = await parts.now(call.merchantAccount);
    const token = storedTokenOf(call.body);
    const instrument =
      token === undefined ? undefined : await findInstrument(parts.database, call.merchantAccount, token);
    const texts = [...readDirectives(call.body), ...(instrument?.facts.directives ?? [])];
    return { call, instrument, texts, directives: interpretDirectives(texts), now };
  };

  return async (call) => {
    const deliberation = await deliberate(call);
    const { directives, now } = deliberation;
    const { fault } = directives;
    if (fault?.strikes === 'lost' && (await strikesNow(parts, call, now)))
      return showFault(fault, parts, call.signal, serverError);
    const row = await decide(parts, deliberation);
    const settled = fault?.strikes === 'slow' ? await settleSlowly(row) : await store.settle(row);
    if (settled.kind === 'fresh') {
      const { challenge_id } = row;
      if (challenge_id !== undefined) {
        sendVirtualBuyer(parts, directives.buyer, (outcome) => answerChallenge(parts, challenge_id, outcome));
      }
      await follow(row, directives);
      if (fault?.strikes === 'done') return showFault(fault, parts, call.signal, serverError);
    }
    return answerOf(row, settled);
  };
}
