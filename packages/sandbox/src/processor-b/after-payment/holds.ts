import type { JsonObject } from '../../lib/json.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, changeOrder, keyOf, respondAgain, respondFresh, type Tools } from '../call/call.ts';
import { readMoney } from '../model/amounts.ts';
import { type Authorization, internetTime, type Order } from '../model/order.ts';
import { collect, generatePaymentIds } from '../orders/settle.ts';
import { minimalPayment, showAuthorization, showCapture } from '../present/present.ts';
import { unknownResource, unprocessable } from '../wire/errors.ts';
import { optionalText } from '../wire/fields.ts';

/** How long PayPal stores a response of the Payments API under its request id. */
export const paymentRetentionMs = 45 * 24 * 60 * 60 * 1000;

function holdOf(order: Order): Authorization {
  // The order was found by its authorization's id, so it has one.
  if (order.authorization === null) throw unknownResource();
  return order.authorization;
}

async function found(
  tools: Tools,
  call: Call,
  by: 'authorization_id' | 'capture_id',
  id: string,
): Promise<Order> {
  const { order } = await tools.store.find(keyOf(tools, call, 'read', 0), by, id);
  if (order === null) throw unknownResource();
  return order;
}

function respondWith(tools: Tools, body: JsonObject): WireResponse {
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}

/** `GET /v2/payments/authorizations/{id}`. */
export async function getAuthorization(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const order = await found(tools, call, 'authorization_id', id);
  return respondWith(tools, showAuthorization(order, holdOf(order), call.view));
}

/** `GET /v2/payments/captures/{id}`. */
export async function getCapture(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const order = await found(tools, call, 'capture_id', id);
  if (order.capture === null) throw unknownResource();
  return respondWith(tools, showCapture(order, order.capture, call.view));
}

function isExpired(authorization: Authorization, now: Date): boolean {
  return now.getTime() >= Date.parse(authorization.expiresAt);
}

function refuseUncapturable(authorization: Authorization, now: Date): void {
  if (authorization.status === 'CAPTURED') throw unprocessable('AUTHORIZATION_ALREADY_CAPTURED');
  if (authorization.status === 'VOIDED') throw unprocessable('AUTHORIZATION_VOIDED');
  if (authorization.status === 'DENIED') throw unprocessable('AUTHORIZATION_DENIED');
  if (isExpired(authorization, now)) throw unprocessable('AUTHORIZATION_EXPIRED');
}

/**
 * Reads the part of a hold to capture. In the simulator one capture ends the hold, whatever `final_capture`
 * says.
 */
function capturedPart(order: Order, body: JsonObject) {
  const finalCapture = body.final_capture === true;
  optionalText(body.invoice_id, '/invoice_id', 127);
  optionalText(body.soft_descriptor, '/soft_descriptor', 22);
  optionalText(body.note_to_payer, '/note_to_payer', 255);
  if (body.amount === undefined) return { amount: order.money, minorAmount: order.minorAmount, finalCapture };
  const { money, minor } = readMoney(body.amount, '/amount');
  if (minor === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', '/amount/value');
  if (money.currency_code !== order.money.currency_code) {
    throw unprocessable('AUTH_CAPTURE_CURRENCY_MISMATCH');
  }
  if (minor > order.minorAmount) throw unprocessable('MAX_CAPTURE_AMOUNT_EXCEEDED');
  return { amount: money, minorAmount: minor, finalCapture };
}

/** `POST /v2/payments/authorizations/{id}/capture`: captures a hold. */
export async function captureAuthorization(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const key = keyOf(tools, call, 'capture-authorization', paymentRetentionMs);
  const ids = generatePaymentIds(tools.deps);
  const { answer, fresh } = await changeOrder(tools, key, 'authorization_id', id, (order) => {
    const authorization = holdOf(order);
    refuseUncapturable(authorization, call.now);
    const next = collect(order, authorization, capturedPart(order, call.body), ids, call.now);
    const body = next.capture === null ? {} : showCapture(next, next.capture, call.view);
    return {
      order: next,
      answer: { status: 201, body: JSON.stringify(call.minimal ? minimalPayment(body) : body) },
    };
  });
  return fresh === null ? respondAgain(tools, answer) : respondFresh(tools, answer);
}

/** `POST /v2/payments/authorizations/{id}/void`: releases a hold. */
export async function voidAuthorization(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const key = keyOf(tools, call, 'void-authorization', paymentRetentionMs);
  const { answer, fresh } = await changeOrder(tools, key, 'authorization_id', id, (order) => {
    const authorization = holdOf(order);
    if (authorization.status === 'CAPTURED') throw unprocessable('PREVIOUSLY_CAPTURED');
    if (authorization.status === 'VOIDED') throw unprocessable('PREVIOUSLY_VOIDED');
    if (authorization.status === 'DENIED') throw unprocessable('AUTHORIZATION_DENIED');
    if (isExpired(authorization, call.now)) throw unprocessable('AUTHORIZATION_EXPIRED');
    const at = internetTime(call.now);
    const voided: Authorization = { ...authorization, status: 'VOIDED', updatedAt: at };
    const next = { ...order, updatedAt: at, authorization: voided };
    const shown = JSON.stringify(showAuthorization(next, voided, call.view));
    return { order: next, answer: call.minimal ? { status: 204, body: '' } : { status: 200, body: shown } };
  });
  return fresh === null ? respondAgain(tools, answer) : respondFresh(tools, answer);
}

/** How long after its creation a hold can be reauthorized, once (PayPal Payments v2, reauthorize). */
const reauthorizableAfterMs = 3 * 24 * 60 * 60 * 1000;
/** The maximum reauthorized amount in percent of the first amount. */
const maxPercent = 115;

/** Reads the amount to hold from now on. Default: the same amount as before. */
function reauthorizedPart(order: Order, body: JsonObject): Pick<Order, 'money' | 'minorAmount'> {
  if (body.amount === undefined) return { money: order.money, minorAmount: order.minorAmount };
  const { money, minor } = readMoney(body.amount, '/amount');
  if (minor === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', '/amount/value');
  if (money.currency_code !== order.money.currency_code) throw unprocessable('AUTH_CURRENCY_MISMATCH');
  if (minor * 100 > order.minorAmount * maxPercent) throw unprocessable('PAYER_CANNOT_PAY');
  return { money, minorAmount: minor };
}

function refuseReauthorizing(order: Order, authorization: Authorization, now: Date): void {
  if (authorization.status === 'DENIED') throw unprocessable('PAYER_CANNOT_PAY');
  refuseUncapturable(authorization, now);
  const begun = Date.parse(authorization.createdAt ?? authorization.updatedAt);
  // The document names no issue for a reauthorization that comes too soon or is of a card.
  const isTooSoon = now.getTime() < begun + reauthorizableAfterMs;
  if (order.card !== null || authorization.reauthorizes !== undefined || isTooSoon) {
    throw unprocessable('REAUTHORIZATION_NOT_SUPPORTED');
  }
}

/**
 * `POST /v2/payments/authorizations/{id}/reauthorize`: renews a wallet's hold under a new id, guaranteed for
 * three more days. The previous id becomes unknown.
 */
export async function reauthorize(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const key = keyOf(tools, call, 'reauthorize', paymentRetentionMs);
  const { payment } = generatePaymentIds(tools.deps);
  const { answer, fresh } = await changeOrder(tools, key, 'authorization_id', id, (order) => {
    const former = holdOf(order);
    refuseReauthorizing(order, former, call.now);
    const at = internetTime(call.now);
    const authorization = { ...former, id: payment, reauthorizes: former.id, createdAt: at, updatedAt: at };
    const next = { ...order, ...reauthorizedPart(order, call.body), updatedAt: at, authorization };
    const body = showAuthorization(next, authorization, call.view);
    return {
      order: next,
      answer: { status: 201, body: JSON.stringify(call.minimal ? minimalPayment(body) : body) },
    };
  });
  return fresh === null ? respondAgain(tools, answer) : respondFresh(tools, answer);
}
