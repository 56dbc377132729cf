import type { SandboxParts } from '../parts.ts';
import { randomDigits, randomReference } from '../random.ts';
import { findDecline, unpublishedCardCode } from './declines.ts';
import { unprocessable } from './errors.ts';
import {
  type Authorization,
  type Capture,
  internetTime,
  type Order,
  type ProcessorResponse,
} from './order.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long an authorization can be captured at all (PayPal Payments v2). */
const holdDays = 29;

/** Random parts of a payment, drawn before it is known which of them it needs. */
export interface PaymentIds {
  readonly payment: string;
  readonly network: string;
}

export function drawPaymentIds(parts: Pick<SandboxParts, 'randomBytes'>): PaymentIds {
  const bytes = parts.randomBytes(32);
  return { payment: randomReference(bytes.subarray(0, 17)), network: randomDigits(bytes.subarray(17, 32)) };
}

function declineOf(order: Order): ProcessorResponse | null {
  // Every rejection trigger comes with these two codes (PayPal docs, "Card testing").
  const checks = order.card === null ? {} : { avs_code: 'G', cvv_code: 'P' };
  const asked = order.directive === null ? undefined : findDecline(order.directive);
  if (asked !== undefined) {
    const { responseCode, simulatorReason } = asked;
    return {
      ...checks,
      response_code: responseCode,
      ...(simulatorReason === undefined ? {} : { simulator_reason: simulatorReason }),
    };
  }
  if (order.card === null) return null;
  if (order.card.brand === null) return { ...checks, response_code: unpublishedCardCode };
  return order.card.stoppedBy === null ? null : { response_code: order.card.stoppedBy };
}

function approvalOf(order: Order): ProcessorResponse | null {
  const { card } = order;
  return card === null ? null : { avs_code: card.avsCode, cvv_code: card.cvvCode, response_code: '0000' };
}

/** Days by which a directive puts the beginning of the hold back. */
const daysBack: ReadonlyMap<string, number> = new Map([
  ['SIM-HOLD-GUARANTEE-PASSED', 4],
  ['SIM-HOLD-EXPIRED', 30],
]);

function authorize(order: Order, ids: PaymentIds, now: Date): Authorization {
  const declined = declineOf(order);
  const begun = new Date(now.getTime() - (daysBack.get(order.directive ?? '') ?? 0) * dayMs);
  return {
    id: ids.payment,
    status: declined === null ? 'CREATED' : 'DENIED',
    createdAt: order.directive === 'SIM-HOLD-NO-GUARANTEE' ? null : internetTime(begun),
    updatedAt: internetTime(now),
    expiresAt: internetTime(new Date(begun.getTime() + holdDays * dayMs)),
    processorResponse: declined ?? approvalOf(order),
    networkReference: declined === null && order.card !== null ? ids.network : null,
  };
}

function captureNow(order: Order, ids: PaymentIds, now: Date): Capture {
  const declined = declineOf(order);
  return {
    id: ids.payment,
    status: declined === null ? 'COMPLETED' : 'DECLINED',
    amount: order.money,
    minorAmount: order.minorAmount,
    createdAt: internetTime(now),
    finalCapture: true,
    processorResponse: declined ?? approvalOf(order),
    networkReference: declined === null && order.card !== null ? ids.network : null,
  };
}

/** Charges or holds the amount of an order that may be paid now; a decline completes the order as well. */
export function pay(order: Order, ids: PaymentIds, now: Date): Order {
  const declinedFunding = order.buyer === 'declined' || order.directive === 'SIM-WALLET-DECLINED';
  if (order.origin === 'wallet' && declinedFunding) throw unprocessable('INSTRUMENT_DECLINED');
  const completed = { ...order, status: 'COMPLETED' as const, updatedAt: internetTime(now) };
  return order.intent === 'CAPTURE'
    ? { ...completed, capture: captureNow(order, ids, now) }
    : { ...completed, authorization: authorize(order, ids, now) };
}

/** The hold's amount, or a part of it, taken for good; the issuer may still say no. */
export function collect(
  order: Order,
  authorization: Authorization,
  part: Pick<Capture, 'amount' | 'minorAmount' | 'finalCapture'>,
  ids: PaymentIds,
  now: Date,
): Order {
  const declined = order.directive === 'SIM-HOLD-GUARANTEE-PASSED';
  const at = internetTime(now);
  const capture: Capture = {
    id: ids.payment,
    status: declined ? 'DECLINED' : 'COMPLETED',
    ...part,
    createdAt: at,
    processorResponse: declined ? { response_code: '5100' } : null,
    networkReference: declined ? null : authorization.networkReference,
  };
  return {
    ...order,
    updatedAt: at,
    capture,
    ...(declined ? {} : { authorization: { ...authorization, status: 'CAPTURED', updatedAt: at } }),
  };
}
