import type { FailureCode } from '@till/contract';
import type { ChargeFacts, HoldDeadlines, NoAnswer, SettledOutcome, UpstreamIds } from '../../port/port.ts';
import { unknown } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { instant } from '../wire/time.ts';
import {
  type ExpectedPayment,
  isHeld,
  type Order,
  type OrderDetails,
  orderFacts,
  paymentDifference,
} from './order.ts';
import { endsRecurring, processorFailure } from './processor-response.ts';
import { type AuthenticationResult, authenticationVerdict } from './three-d-secure.ts';

type Declined = Extract<SettledOutcome, { kind: 'declined' }>;

/** The outcome of an order's payment. `voided`: the hold was released. */
export type Settlement = SettledOutcome | { readonly kind: 'voided' } | NoAnswer;

const captured: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']);
const failed: ReadonlySet<string> = new Set(['DECLINED', 'FAILED', 'DENIED']);
const collected: ReadonlySet<string> = new Set(['CAPTURED', 'PARTIALLY_CAPTURED']);

/** An authorization keeps the status EXPIRED once it has expired, although the upstream's documentation does not list it. */
const held: ReadonlySet<string> = new Set(['CREATED', 'EXPIRED']);

/**
 * A payment declined by the upstream's risk filters keeps a status that looks pending; only this reason reveals the decline.
 */
const riskReason = 'DECLINED_BY_RISK_FRAUD_FILTERS';

/**
 * Outcome of a completed order. Its status does not show whether it was paid, only its captures and authorizations do (PayPal
 * REST Orders v2, order).
 */
export function orderSettlement(order: Order, expected: ExpectedPayment): Settlement {
  const capture =
    capturedPayment(order) ??
    order.captures.find((candidate) => jsonText(candidate, 'status') === 'PENDING') ??
    order.captures[0];
  // A reauthorization may be listed after the authorization that it replaced.
  const authorization = order.authorizations.find(isHeld) ?? order.authorizations[0];
  const ids = { order: order.id, ...idOf('authorization', authorization) };
  if (capture !== undefined) return captureSettlement(capture, order, ids, expected);
  return authorization === undefined
    ? unknown('provider_error', 'payment missing')
    : authorizationSettlement(authorization, order, ids, expected);
}

/** The capture that collected the money; undefined if none did. */
export const capturedPayment = ({ captures }: Order): JsonObject | undefined =>
  captures.find((capture) => captured.has(jsonText(capture, 'status') ?? ''));

/** Details for a response that contains only the capture or authorization, not the order with its card. */
export const noDetails: OrderDetails = { card: null, authentication: null, saved: null };

/** Outcome of a capture (PayPal REST Payments v2, capture). */
export function captureSettlement(
  capture: JsonObject,
  order: OrderDetails,
  ids: UpstreamIds,
  expected: ExpectedPayment,
): Exclude<SettledOutcome, { kind: 'authorized' }> | NoAnswer {
  const status = jsonText(capture, 'status') ?? '';
  const difference = paymentDifference(capture, expected);
  if (difference !== undefined) return unknown('provider_error', difference);
  const facts = orderFacts(order, { ...ids, ...idOf('capture', capture) }, capture);
  if (captured.has(status)) return { kind: 'succeeded', facts };
  if (failed.has(status) || isRiskDecline(capture)) return declined(capture, order, facts, expected);
  return status === 'PENDING'
    ? unknown('provider_unavailable', 'capture pending')
    : unknown('provider_error', 'unexpected capture status');
}

/** Outcome of an authorization (PayPal REST Payments v2, authorization). */
export function authorizationSettlement(
  authorization: JsonObject,
  order: OrderDetails,
  ids: UpstreamIds,
  expected: ExpectedPayment,
): Settlement {
  const status = jsonText(authorization, 'status') ?? '';
  const difference = paymentDifference(authorization, expected);
  if (difference !== undefined) return unknown('provider_error', difference);
  if (status === 'VOIDED') return { kind: 'voided' };
  const facts = orderFacts(order, { ...ids, ...idOf('authorization', authorization) }, authorization);
  if (held.has(status)) return { kind: 'authorized', facts, deadlines: deadlines(authorization) };
  if (collected.has(status)) return { kind: 'succeeded', facts };
  if (failed.has(status) || isRiskDecline(authorization)) {
    return declined(authorization, order, facts, expected);
  }
  return status === 'PENDING'
    ? unknown('provider_unavailable', 'authorization pending')
    : unknown('provider_error', 'unexpected authorization status');
}

function declined(
  payment: JsonObject,
  order: OrderDetails,
  facts: ChargeFacts,
  { offSession = false }: ExpectedPayment,
): Declined {
  const code = failureOf(payment, order.authentication);
  const gone = offSession && endsRecurring(jsonObject(payment.processor_response));
  return { kind: 'declined', code, facts, ...(gone ? { instrumentGone: true } : {}) };
}

const isRiskDecline = (payment: JsonObject): boolean =>
  jsonText(jsonObject(payment.status_details), 'reason') === riskReason;

/** The issuer's decline reason; if that is missing or generic, the reason of a failed authentication. */
function failureOf(payment: JsonObject, authentication: AuthenticationResult | null): FailureCode {
  const code = processorFailure(jsonObject(payment.processor_response));
  if (code !== null && code !== 'declined') return code;
  if (isRiskDecline(payment)) return 'refused';
  const verdict = authenticationVerdict(authentication, 'automatic');
  return verdict === 'proceed' || verdict === 'wait' ? 'declined' : verdict;
}

const dayMs = 24 * 60 * 60 * 1000;
const guaranteedDays = 3;
const validDays = 29;

/** The honor period starts at creation. The expiry is the upstream's own if it states one. */
function deadlines(authorization: JsonObject): HoldDeadlines {
  const created = instant(jsonText(authorization, 'create_time'));
  const expires = instant(jsonText(authorization, 'expiration_time'));
  return {
    guaranteedUntil: created === null ? null : new Date(created.getTime() + guaranteedDays * dayMs),
    expires: expires ?? (created === null ? null : new Date(created.getTime() + validDays * dayMs)),
  };
}

function idOf(name: 'authorization' | 'capture', payment: JsonObject | undefined): UpstreamIds {
  const id = payment === undefined ? null : jsonText(payment, 'id');
  return id === null ? {} : { [name]: id };
}
