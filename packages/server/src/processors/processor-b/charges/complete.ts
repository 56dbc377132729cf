import type { ConfirmOutcome, ConfirmRequest, NoAnswer, SettledOutcome } from '../../port/port.ts';
import { asUnknown, isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { approvalLink, declinedOrder, type ExpectedPayment, type Order, readOrder } from '../orders/order.ts';
import { metadataId } from '../orders/order-request.ts';
import { orderSettlement } from '../orders/settlement.ts';
import { authenticationVerdict } from '../orders/three-d-secure.ts';
import {
  alreadyCompletedIssues,
  blames,
  declineOf,
  faultOf,
  isMissing,
  isSuccess,
  notApprovedIssues,
} from '../wire/issues.ts';
import { orderPath, type Reply, type Session } from '../wire/session.ts';

export type Completion = ExpectedPayment &
  Pick<ConfirmRequest, 'upstreamKey' | 'captureMethod' | 'authentication' | 'riskSession'>;

/**
 * Captures or authorizes an approved order, unless its card failed 3-D Secure (PayPal REST Orders v2, "Capture payment for
 * order", "Authorize payment for order").
 */
export async function completeOrder(
  session: Session,
  order: Order,
  request: Completion,
): Promise<ConfirmOutcome> {
  const verdict = authenticationVerdict(order.authentication, request.authentication);
  if (verdict === 'wait') return { kind: 'not_approved', redirectUrl: order.redirectUrl };
  if (verdict !== 'proceed') return declinedOrder(order, verdict);
  const { reply, duplicate } = await session.send({
    path: `${orderPath(order.id)}/${request.captureMethod === 'manual' ? 'authorize' : 'capture'}`,
    key: request.upstreamKey,
    metadataId: metadataId(request.riskSession),
    body: {},
  });
  const outcome = await completionOutcome(session, order, reply, request);
  return duplicate ? asUnknown(outcome) : outcome;
}

async function completionOutcome(
  session: Session,
  order: Order,
  reply: Reply,
  request: Completion,
): Promise<ConfirmOutcome> {
  if (isNoAnswer(reply)) return reply;
  if (isSuccess(reply)) {
    const completed = readOrder(reply.body, request);
    return isNoAnswer(completed) ? completed : completedOutcome(completed, order, request);
  }
  if (blames(reply, notApprovedIssues)) {
    return { kind: 'not_approved', redirectUrl: approvalLink(reply.body) ?? order.redirectUrl };
  }
  if (blames(reply, alreadyCompletedIssues)) return readSettled(session, order, request);
  const code = isMissing(reply) ? 'not_processed' : declineOf(reply);
  return code === undefined ? faultOf(reply) : declinedOrder(order, code);
}

/** The response may omit the payment source; then the values of the order before completion apply. */
function completedOutcome(completed: Order, before: Order, expected: ExpectedPayment): ConfirmOutcome {
  const order = {
    ...completed,
    card: completed.card ?? before.card,
    authentication: completed.authentication ?? before.authentication,
    saved: completed.saved ?? before.saved,
  };
  switch (order.status) {
    case 'COMPLETED':
      return settledOrder(order, expected);
    case 'PAYER_ACTION_REQUIRED':
      return { kind: 'not_approved', redirectUrl: order.redirectUrl };
    default:
      return unknown('provider_error', 'unexpected order status');
  }
}

/** Outcome of a completed order. If its hold was voided, nothing is left to charge. */
export function settledOrder(order: Order, expected: ExpectedPayment): SettledOutcome | NoAnswer {
  const settlement = orderSettlement(order, expected);
  return settlement.kind === 'voided' ? declinedOrder(order, 'not_processed') : settlement;
}

/**
 * Reads how an earlier request completed the order. While the order does not show it, that request may still be in progress.
 */
async function readSettled(
  session: Session,
  before: Order,
  expected: ExpectedPayment,
): Promise<ConfirmOutcome> {
  const reply = await session.read(orderPath(before.id));
  if (isNoAnswer(reply) || !isSuccess(reply)) return asUnknown(isNoAnswer(reply) ? reply : faultOf(reply));
  const order = readOrder(reply.body, expected);
  if (isNoAnswer(order)) return order;
  switch (order.status) {
    case 'COMPLETED':
      return settledOrder(order, expected);
    case 'VOIDED':
      return declinedOrder(order, 'not_processed');
    default:
      return unknown('provider_unavailable', 'completion in progress');
  }
}
