import type { JsonObject } from '../json.ts';
import type { SandboxParts } from '../parts.ts';
import { randomDigits, randomReference } from '../random.ts';
import { jsonResponse, type WireResponse } from '../wire.ts';
import { type AnswerIds, type Approval, authorise } from './authorise.ts';
import { ServiceRefusal, serviceErrorBody, stillInProgress } from './errors.ts';
import { findFault, showFault, slowAnswerMs } from './faults.ts';
import {
  type PaymentRequest,
  readDirectives,
  readPaymentRequest,
  withoutCardSecrets,
} from './payment-request.ts';
import { findRefusal } from './refusals.ts';
import type { ChargeColumns, RequestRow, RequestStore, Settled } from './store.ts';

/** A request that has passed the door: authenticated, parsed, and of a known account. */
export interface Call {
  readonly body: JsonObject;
  readonly merchantAccount: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

type AnsweredRow = RequestRow & { readonly status: number; readonly body: string };

function isDirective(text: string): boolean {
  return findRefusal(text) !== undefined || findFault(text) !== undefined;
}

function drawIds(parts: SandboxParts): AnswerIds {
  const bytes = parts.randomBytes(37);
  return {
    pspReference: randomReference(bytes.subarray(0, 16)),
    authCode: randomDigits(bytes.subarray(16, 22)),
    networkTxReference: randomDigits(bytes.subarray(22, 37)),
  };
}

function chargeColumns(body: JsonObject, payment: PaymentRequest, approval: Approval): ChargeColumns {
  return {
    reference: payment.reference,
    amount: payment.amount.value,
    currency: payment.amount.currency,
    charge_status: payment.manualCapture ? 'authorized' : 'captured',
    brand: approval.paymentMethod.brand,
    bin: payment.card.bin,
    last4: payment.card.last4,
    expiry_month: payment.card.expiryMonth,
    expiry_year: payment.card.expiryYear,
    received: withoutCardSecrets(body, payment.card),
  };
}

/** Works out the answer and its effect without having any: the row is what happens if the key is free. */
function decide(call: Call, directive: string | undefined, ids: AnswerIds, now: Date): AnsweredRow {
  const row = (status: number, body: string, charge?: ChargeColumns): AnsweredRow => ({
    merchant_account: call.merchantAccount,
    idempotency_key: call.idempotencyKey ?? null,
    psp_reference: ids.pspReference,
    at: now.toISOString(),
    status,
    body,
    ...charge,
  });
  try {
    const payment = readPaymentRequest(call.body, now);
    const answer = authorise(payment, directive, ids);
    const charge = answer.resultCode === 'Authorised' ? chargeColumns(call.body, payment, answer) : undefined;
    return row(200, JSON.stringify(answer), charge);
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    return row(error.status, serviceErrorBody(error, ids.pspReference));
  }
}

function answerOf(row: AnsweredRow, settled: Settled): WireResponse {
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
    store.faultStrikes(call.merchantAccount, call.idempotencyKey, now.toISOString());

  return async (call) => {
    const now = await parts.now(call.merchantAccount);
    const directive = readDirectives(call.body).find(isDirective);
    const fault = directive === undefined ? undefined : findFault(directive);
    if (fault?.strikes === 'lost' && (await strikes(call, now))) return showFault(fault, parts, call.signal);
    const row = decide(call, directive, drawIds(parts), now);
    const settled = fault?.strikes === 'slow' ? await settleSlowly(row) : await store.settle(row);
    if (fault?.strikes === 'done' && settled.kind === 'fresh') return showFault(fault, parts, call.signal);
    return answerOf(row, settled);
  };
}
