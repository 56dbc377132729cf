import type { SubmitCardOutcome, SubmitCardRequest } from '../../port/port.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import { approvalLink } from '../orders/order.ts';
import { type CardSource, cardSource } from '../orders/payment-source.ts';
import { authenticationResult, authenticationVerdict } from '../orders/three-d-secure.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import {
  approvedIssues,
  blamedAddresses,
  blames,
  declineOf,
  faultOf,
  isMissing,
  isSuccess,
  notSavedIssues,
} from '../wire/issues.ts';
import { orderPath, type Reply, type Session } from '../wire/session.ts';

/** Body of `POST /v2/checkout/orders/{id}/confirm-payment-source` for a typed card. */
export const confirmSourceRequest = (
  request: SubmitCardRequest,
): { readonly payment_source: { readonly card: CardSource } } => ({
  payment_source: { card: cardSource(request) },
});

/**
 * Adds a card to an order without charging it. Retries without a billing address that the upstream refuses, and without
 * saving if the upstream cannot save and the merchant does not require it (PayPal REST Orders v2, "Confirm the Order").
 */
export async function submitCard(session: Session, request: SubmitCardRequest): Promise<SubmitCardOutcome> {
  const id = request.upstream.order;
  if (id === undefined) return notExecuted('provider_error', 'order unknown');
  const send = (attempt: SubmitCardRequest) =>
    session.send({
      path: `${orderPath(id)}/confirm-payment-source`,
      key: attempt.upstreamKey,
      body: confirmSourceRequest(attempt),
    });
  let sent = request;
  let { reply, duplicate } = await send(sent);
  for (let bare = reducedRequest(reply, sent); bare !== undefined; bare = reducedRequest(reply, sent)) {
    sent = bare;
    const next = await send(sent);
    reply = next.reply;
    duplicate ||= next.duplicate;
  }
  const outcome = outcomeOf(reply, sent);
  return duplicate ? asUnknown(outcome) : outcome;
}

/**
 * The request without the part that the upstream refused, under a key of its own; undefined if there is nothing to leave out.
 */
function reducedRequest(reply: Reply, request: SubmitCardRequest): SubmitCardRequest | undefined {
  if (isNoAnswer(reply)) return undefined;
  if (request.billingAddress !== null && blamedAddresses(reply).billing) {
    return { ...request, upstreamKey: suffixedKey(request.upstreamKey, ':a'), billingAddress: null };
  }
  return request.save?.required === false && blames(reply, notSavedIssues)
    ? { ...request, upstreamKey: suffixedKey(request.upstreamKey, ':s'), save: null }
    : undefined;
}

function outcomeOf(reply: Reply, request: SubmitCardRequest): SubmitCardOutcome {
  if (isNoAnswer(reply)) return reply;
  if (isSuccess(reply)) return confirmedOutcome(reply, request);
  if (blames(reply, approvedIssues)) return { kind: 'approved' };
  if (request.save !== null && blames(reply, notSavedIssues)) {
    // The buyer may have another card that can be saved.
    return { kind: 'card_refused', code: 'restricted_card' };
  }
  const code = isMissing(reply) ? 'not_processed' : declineOf(reply);
  return code === undefined ? faultOf(reply) : { kind: 'card_refused', code };
}

function confirmedOutcome({ body }: UpstreamAnswer, request: SubmitCardRequest): SubmitCardOutcome {
  const status = jsonText(body, 'status');
  if (jsonText(body, 'id') !== request.upstream.order) return unknown('provider_error', 'malformed answer');
  const result = authenticationResult(jsonObject(jsonObject(body.payment_source).card));
  const redirectUrl = approvalLink(body);
  if (status === 'PAYER_ACTION_REQUIRED') {
    return redirectUrl === null
      ? unknown('provider_error', 'approval link missing')
      : { kind: 'redirect', redirectUrl };
  }
  if (status !== 'APPROVED' && status !== 'COMPLETED') {
    return unknown('provider_error', 'unexpected order status');
  }
  const verdict = authenticationVerdict(result, request.authentication);
  const refused = status === 'APPROVED' && verdict !== 'proceed' && verdict !== 'wait';
  return refused ? { kind: 'card_refused', code: verdict } : { kind: 'approved' };
}
