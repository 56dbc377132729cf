import { faultStrikes, findFault, showFault, slowAnswerMs } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import type { SandboxParts } from '../parts.ts';
import { randomDigits, randomReference } from '../random.ts';
import { findVirtualBuyer, sendVirtualBuyer } from '../virtual-buyer.ts';
import { jsonResponse, type WireResponse } from '../wire.ts';
import { type AnswerIds, type Approval, authorise, type ChallengeNeeded } from './authorise.ts';
import { answerChallenge, challengePath } from './challenges.ts';
import { ServiceRefusal, serverError, serviceErrorBody, stillInProgress } from './errors.ts';
import {
  type KeptPayment,
  type PaymentRequest,
  readDirectives,
  readPaymentRequest,
  withoutCardSecrets,
} from './payment-request.ts';
import { findRefusal } from './refusals.ts';
import type { ChallengeColumns, ChargeColumns, RequestRow, RequestStore, Settled } from './store.ts';

/** A request that has passed the door: authenticated, parsed, and of a known account. */
export interface Call {
  readonly body: JsonObject;
  readonly merchantAccount: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export type AnsweredRow = RequestRow & { readonly status: number; readonly body: string };

function isDirective(text: string): boolean {
  return (
    findRefusal(text) !== undefined || findFault(text) !== undefined || findVirtualBuyer(text) !== undefined
  );
}

/** Draws the random parts of one answer. */
export function drawIds(parts: Pick<SandboxParts, 'randomBytes'>): AnswerIds {
  const bytes = parts.randomBytes(37);
  return {
    pspReference: randomReference(bytes.subarray(0, 16)),
    authCode: randomDigits(bytes.subarray(16, 22)),
    networkTxReference: randomDigits(bytes.subarray(22, 37)),
  };
}

/** The money effect of an approved payment. */
export function chargeColumns(received: unknown, payment: KeptPayment, approval: Approval): ChargeColumns {
  return {
    reference: payment.reference,
    amount: payment.amount.minor,
    currency: payment.amount.currency,
    charge_status: payment.manualCapture ? 'authorized' : 'captured',
    brand: approval.paymentMethod.brand,
    bin: payment.card.bin,
    last4: payment.card.last4,
    expiry_month: payment.card.expiryMonth,
    expiry_year: payment.card.expiryYear,
    received,
  };
}

function keepChallenge(
  call: Call,
  payment: PaymentRequest,
  { challenge, brand }: ChallengeNeeded,
  challengeId: string,
): ChallengeColumns {
  const { number: _number, ...card } = payment.card;
  return {
    reference: payment.reference,
    challenge_id: challengeId,
    challenge: {
      payment: { ...payment, card },
      challenge,
      brand,
      received: withoutCardSecrets(call.body, payment.card),
    },
  };
}

/** Works out the answer and its effect without having any: the row is what happens if the key is free. */
function decide(parts: SandboxParts, call: Call, directive: string | undefined, now: Date): AnsweredRow {
  const ids = drawIds(parts);
  const row = (status: number, body: string, effect?: ChargeColumns | ChallengeColumns): AnsweredRow => ({
    merchant_account: call.merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: ids.pspReference,
    at: now.toISOString(),
    status,
    body,
    ...effect,
  });
  try {
    const payment = readPaymentRequest(call.body, now);
    const answer = authorise(payment, directive, ids);
    if (answer.resultCode === 'RedirectShopper') {
      const challengeId = randomReference(parts.randomBytes(20));
      const action = redirectTo(`${parts.publicUrl()}${challengePath}${challengeId}`);
      return row(200, JSON.stringify(action), keepChallenge(call, payment, answer, challengeId));
    }
    if (answer.resultCode !== 'Authorised') return row(200, JSON.stringify(answer));
    const received = withoutCardSecrets(call.body, payment.card);
    return row(200, JSON.stringify(answer), chargeColumns(received, payment, answer));
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    return row(error.status, serviceErrorBody(error, ids.pspReference));
  }
}

function redirectTo(url: string) {
  return {
    resultCode: 'RedirectShopper',
    action: { type: 'redirect', method: 'GET', url, paymentMethodType: 'scheme' },
  };
}

/** The answer of this request, or of the one that came before it under the same key. */
export function answerOf(row: AnsweredRow, settled: Settled): WireResponse {
  if (settled.kind === 'in_flight') throw stillInProgress();
  const { status, body } = settled.kind === 'stored' ? settled : row;
  return jsonResponse(status, body);
}

/** `POST /payments` (Adyen Checkout API v71, "Start a transaction"; Adyen docs, "API idempotency"). */
export function createPayments(
  parts: SandboxParts,
  store: RequestStore,
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

  const strikes = async (call: Call, now: Date): Promise<boolean> =>
    call.idempotencyKey === undefined ||
    faultStrikes(parts.database, call.merchantAccount, call.idempotencyKey, now);

  return async (call) => {
    const now = await parts.now(call.merchantAccount);
    const directive = readDirectives(call.body).find(isDirective);
    const fault = directive === undefined ? undefined : findFault(directive);
    if (fault?.strikes === 'lost' && (await strikes(call, now)))
      return showFault(fault, parts, call.signal, serverError);
    const row = decide(parts, call, directive, now);
    const settled = fault?.strikes === 'slow' ? await settleSlowly(row) : await store.settle(row);
    const { challenge_id } = row;
    if (settled.kind === 'fresh' && challenge_id !== undefined) {
      sendVirtualBuyer(parts, directive, (outcome) => answerChallenge(parts, challenge_id, outcome));
    }
    if (fault?.strikes === 'done' && settled.kind === 'fresh')
      return showFault(fault, parts, call.signal, serverError);
    return answerOf(row, settled);
  };
}
