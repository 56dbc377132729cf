import type { ConfirmOutcome, ConfirmRequest, NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notRuledOut } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { faultOf, isRejected } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';
import { detailsOutcome } from './payment-response.ts';

/**
 * Completes a payment with what the buyer's browser brought back from the challenge; asks nothing where it brought
 * nothing (Adyen API, `POST /payments/details`). Of several results the former are good where the newer is refused: it may be
 * of no challenge at all. Each completes this payment or none, so they charge once.
 */
export async function confirm(session: Session, request: ConfirmRequest): Promise<ConfirmOutcome> {
  const results = (request.returned ?? []).flatMap(({ redirectResult = '' }) => redirectResult || []);
  let outcome: ConfirmOutcome = { kind: 'not_approved', redirectUrl: null };
  for (const [place, redirectResult] of results.entries()) {
    const { upstreamKey } = request;
    const key = place === 0 ? upstreamKey : suffixedKey(upstreamKey, `:${place}`);
    outcome = await complete(session, request, redirectResult, key);
    if (outcome.kind !== 'not_approved' || outcome.refused !== true) return outcome;
  }
  return outcome;
}

async function complete(
  session: Session,
  request: ConfirmRequest,
  redirectResult: string,
  key: string,
): Promise<ConfirmOutcome> {
  const { reply, duplicate } = await session.send('/payments/details', key, { details: { redirectResult } });
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
