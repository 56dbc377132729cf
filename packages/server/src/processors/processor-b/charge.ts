import { idsOnly } from '../facts.ts';
import { isNoAnswer, notExecuted, notRuledOut } from '../no-answer.ts';
import type { ChargeOutcome, ChargeRequest } from '../port.ts';
import { suffixedKey } from '../repeat.ts';
import { completeOrder, settledOrder } from './complete.ts';
import { blamedAddresses, declineOf, faultOf, isSuccess } from './issues.ts';
import { declinedOrder, type Order, orderFacts, readOrder } from './order.ts';
import { metadataId, type OrderRequest, orderRequest } from './order-request.ts';
import type { Reply, Session } from './session.ts';
import { finalFailure } from './three-d-secure.ts';

/**
 * Creates the order, which charges a typed card at once; once more without an address that the upstream refuses
 * (PayPal REST Orders v2, "Create order").
 */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  const body = orderRequest(request);
  if (body === undefined) {
    return notExecuted('provider_error', 'amount not supported');
  }
  const send = (key: string, order: OrderRequest) =>
    session.send({
      path: '/v2/checkout/orders',
      key,
      metadataId: metadataId(request.deviceFingerprint),
      body: order,
    });

  const first = await send(request.upstreamKey, body);
  const bare = withoutBlamedAddress(first.reply, request);
  const last = bare === undefined ? first : await send(suffixedKey(request.upstreamKey, ':a'), bare);
  const outcome = await creationOutcome(session, last.reply, request);
  return first.duplicate || last.duplicate ? notRuledOut(outcome) : outcome;
}

function withoutBlamedAddress(reply: Reply, request: ChargeRequest): OrderRequest | undefined {
  if (isNoAnswer(reply)) {
    return undefined;
  }
  const { billing, delivery } = blamedAddresses(reply);
  const dropsBilling = billing && request.billingAddress !== null;
  const dropsDelivery = delivery && request.deliveryAddress !== null;
  if (!dropsBilling && !dropsDelivery) {
    return undefined;
  }
  return orderRequest({
    ...request,
    ...(dropsBilling ? { billingAddress: null } : {}),
    ...(dropsDelivery ? { deliveryAddress: null } : {}),
  });
}

async function creationOutcome(
  session: Session,
  reply: Reply,
  request: ChargeRequest,
): Promise<ChargeOutcome> {
  if (isNoAnswer(reply)) {
    return reply;
  }
  if (!isSuccess(reply)) {
    const code = declineOf(reply);
    return code === undefined ? faultOf(reply) : { kind: 'declined', code, facts: idsOnly({}) };
  }
  const order = readOrder(reply.body, request);
  if (isNoAnswer(order)) {
    return order;
  }
  if (order.status === 'COMPLETED') {
    return settledOrder(order, request);
  }
  if (order.status === 'VOIDED') {
    return declinedOrder(order, 'declined');
  }
  return openOutcome(session, order, request);
}

/** An order that is not completed: the buyer comes next, except for a typed card that needs nobody any more. */
async function openOutcome(session: Session, order: Order, request: ChargeRequest): Promise<ChargeOutcome> {
  const failure = finalFailure(order.authentication, request.authentication);
  if (failure !== undefined) {
    return declinedOrder(order, failure);
  }
  if (request.instrument.kind !== 'card' || order.status !== 'APPROVED') {
    return waitingOutcome(order, request, order.redirectUrl);
  }
  const completed = await completeOrder(session, order, {
    ...request,
    upstreamKey: suffixedKey(request.upstreamKey, ':f'),
  });
  return completed.kind === 'not_approved'
    ? waitingOutcome(order, request, completed.redirectUrl)
    : completed;
}

function waitingOutcome(order: Order, request: ChargeRequest, redirectUrl: string | null): ChargeOutcome {
  const facts = orderFacts(order, { order: order.id });
  if (request.instrument.kind === 'card_fields') {
    return { kind: 'requires_action', action: 'processor_b_card_fields', redirectUrl: null, facts };
  }
  if (redirectUrl === null && order.status !== 'APPROVED') {
    return { kind: 'missing_approval_url', facts };
  }
  const action = request.instrument.kind === 'wallet' ? 'processor_b_wallet' : 'processor_b_payer_action';
  return { kind: 'requires_action', action, redirectUrl, facts };
}
