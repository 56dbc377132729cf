import type { ConfirmOutcome, ConfirmRequest, NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notRuledOut } from '../../upstream/no-answer.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { faultOf, isRejected } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';
import { detailsOutcome } from './payment-response.ts';

/**
 * Completes a payment with what the buyer's browser brought back from the challenge; asks nothing where it brought
 * nothing (Adyen API, `POST /payments/details`).
 */
export async function confirm(session: Session, request: ConfirmRequest): Promise<ConfirmOutcome> {
  const redirectResult = request.returned?.redirectResult;
  if (!redirectResult) return { kind: 'not_approved', redirectUrl: null };
  const { reply, duplicate } = await session.send('/payments/details', request.upstreamKey, {
    details: { redirectResult },
  });
  // What the browser brought is of no challenge that was answered: a buyer who passes it may still come back.
  if (!isNoAnswer(reply) && isRejected(reply) && !duplicate) {
    return { kind: 'not_approved', redirectUrl: null, refused: true };
  }
  const outcome = outcomeOf(reply, request);
  return duplicate ? notRuledOut(outcome) : outcome;
}

function outcomeOf(reply: UpstreamAnswer | NoAnswer, request: ConfirmRequest): ConfirmOutcome {
  if (isNoAnswer(reply)) return reply;
  return reply.status === 200 ? detailsOutcome(reply.body, request) : faultOf(reply);
}
