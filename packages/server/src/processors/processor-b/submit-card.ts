import { jsonObject, jsonText } from '../json.ts';
import { isNoAnswer, notExecuted, notRuledOut, unknown } from '../no-answer.ts';
import type { SubmitCardOutcome, SubmitCardRequest } from '../port.ts';
import { suffixedKey } from '../repeat.ts';
import type { UpstreamAnswer } from './client.ts';
import { approvedIssues, blamedAddresses, blames, declineOf, faultOf, isSuccess } from './issues.ts';
import { approvalLink } from './order.ts';
import { type CardSource, cardSource } from './payment-source.ts';
import { orderPath, type Reply, type Session } from './session.ts';
import { authenticationResult, authenticationVerdict } from './three-d-secure.ts';

/** Body of `POST /v2/checkout/orders/{id}/confirm-payment-source` for a typed card. */
export const confirmSourceRequest = (
  request: SubmitCardRequest,
): { readonly payment_source: { readonly card: CardSource } } => ({
  payment_source: { card: cardSource({ ...request, buyer: null }) },
});

/**
 * Gives an order the card that pays it, without charging it; once more without a billing address that the upstream
 * refuses (PayPal REST Orders v2, "Confirm the Order").
 */
export async function submitCard(session: Session, request: SubmitCardRequest): Promise<SubmitCardOutcome> {
  const id = request.upstream.order;
  if (id === undefined) {
    return notExecuted('provider_error', 'order unknown');
  }
  const send = (key: string, body: object) =>
    session.send({ path: `${orderPath(id)}/confirm-payment-source`, key, body });
  const first = await send(request.upstreamKey, confirmSourceRequest(request));
  const repeats =
    !isNoAnswer(first.reply) && request.billingAddress !== null && blamedAddresses(first.reply).billing;
  const last = repeats
    ? await send(
        suffixedKey(request.upstreamKey, ':a'),
        confirmSourceRequest({ ...request, billingAddress: null }),
      )
    : first;
  const outcome = outcomeOf(last.reply, request);
  return first.duplicate || last.duplicate ? notRuledOut(outcome) : outcome;
}

function outcomeOf(reply: Reply, request: SubmitCardRequest): SubmitCardOutcome {
  if (isNoAnswer(reply)) {
    return reply;
  }
  if (isSuccess(reply)) {
    return confirmedOutcome(reply, request);
  }
  if (blames(reply, approvedIssues)) {
    return { kind: 'approved' };
  }
  const code = reply.status === 404 ? 'declined' : declineOf(reply);
  return code === undefined ? faultOf(reply) : { kind: 'card_refused', code };
}

function confirmedOutcome({ body }: UpstreamAnswer, request: SubmitCardRequest): SubmitCardOutcome {
  const status = jsonText(body, 'status');
  if (jsonText(body, 'id') !== request.upstream.order) {
    return unknown('provider_error', 'malformed answer');
  }
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
