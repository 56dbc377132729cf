import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { randomDigits, randomReference } from '../../lib/random.ts';
import { cardExpiredCode, findDecline, unpublishedCardCode } from '../model/declines.ts';
import {
  type Authorization,
  type Capture,
  internetTime,
  type Order,
  type ProcessorResponse,
} from '../model/order.ts';
import { saveBehaviour } from '../model/saving.ts';
import { unprocessable } from '../wire/errors.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long an authorization can be captured at all (PayPal Payments v2). */
const holdDays = 29;

/** Random parts of a payment. They are generated before it is known which of them the payment needs. */
export interface PaymentIds {
  readonly payment: string;
  readonly network: string;
}

export function generatePaymentIds(deps: Pick<SandboxDependencies, 'randomBytes'>): PaymentIds {
  const bytes = deps.randomBytes(32);
  return { payment: randomReference(bytes.subarray(0, 17)), network: randomDigits(bytes.subarray(17, 32)) };
}

/** Every rejection has these two codes (PayPal docs, "Card testing"). */
const rejectedChecks = { avs_code: 'G', cvv_code: 'P' };

/** The issuer's declines that only apply to saved cards. */
function declineOfStored(order: Order, now: Date): ProcessorResponse | null {
  const { stored, card, directive } = order;
  if (stored === null || card === null) return null;
  const does = stored.initiator === 'MERCHANT' ? saveBehaviour(directive) : undefined;
  if (does === 'declines_merchant') return { ...rejectedChecks, response_code: '5120' };
  if (does === 'revoked') return { ...rejectedChecks, response_code: '9510', payment_advice_code: '21' };
  const expired = card.expiry < now.toISOString().slice(0, 7);
  return expired ? { ...rejectedChecks, response_code: cardExpiredCode } : null;
}

function declineOf(order: Order, now: Date): ProcessorResponse | null {
  const checks = order.card === null ? {} : rejectedChecks;
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
  const { stoppedBy } = order.card;
  return declineOfStored(order, now) ?? (stoppedBy === null ? null : { response_code: stoppedBy });
}

function approvalOf(order: Order): ProcessorResponse | null {
  const { card } = order;
  return card === null ? null : { avs_code: card.avsCode, cvv_code: card.cvvCode, response_code: '0000' };
}

/** By how many days a directive antedates the hold. */
const daysBack: ReadonlyMap<string, number> = new Map([
  ['SIM-HOLD-GUARANTEE-PASSED', 4],
  ['SIM-HOLD-EXPIRED', 30],
]);

function authorize(order: Order, ids: PaymentIds, now: Date): Authorization {
  const declined = declineOf(order, now);
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
  const declined = declineOf(order, now);
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

function refuseFunding({ origin, buyer, directive, stored }: Order): void {
  if (origin !== 'wallet') return;
  const noFunds = stored?.initiator === 'MERCHANT' && saveBehaviour(directive) === 'declines_merchant';
  if (buyer === 'declined' || directive === 'SIM-WALLET-DECLINED' || noFunds) {
    throw unprocessable('INSTRUMENT_DECLINED');
  }
}

/** Captures or authorizes the amount of an order. A decline completes the order as well. */
export function pay(order: Order, ids: PaymentIds, now: Date): Order {
  refuseFunding(order);
  const completed = { ...order, status: 'COMPLETED' as const, updatedAt: internetTime(now) };
  return order.intent === 'CAPTURE'
    ? { ...completed, capture: captureNow(order, ids, now) }
    : { ...completed, authorization: authorize(order, ids, now) };
}

/** Captures a hold or a part of it. The issuer may still decline. */
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
