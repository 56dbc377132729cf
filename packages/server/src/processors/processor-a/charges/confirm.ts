import type { ConfirmOutcome, ConfirmRequest, NoAnswer } from '../../port/port.ts';
import { asUnknown, isNoAnswer } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { faultOf, isRejected } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';
import { detailsOutcome } from './payment-response.ts';

/**
 * Completes a payment with the results that the buyer's browser brought back from the challenge; sends nothing if it brought
 * none (Adyen API, `POST /payments/details`). If the newest result is refused, it may belong to no challenge at all, and the
 * older ones are tried. Each result completes this payment or none, so the payment is charged only once.
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
  // The refused result belongs to no answered challenge. The buyer may still pass the challenge and come back.
  if (!isNoAnswer(reply) && isRejected(reply) && !duplicate) {
    return { kind: 'not_approved', redirectUrl: null, refused: true };
  }
  const outcome = outcomeOf(reply, request);
  return duplicate ? asUnknown(outcome) : outcome;
}

function outcomeOf(reply: UpstreamAnswer | NoAnswer, request: ConfirmRequest): ConfirmOutcome {
  if (isNoAnswer(reply)) return reply;
  return reply.status === 200 ? detailsOutcome(reply.body, request) : faultOf(reply);
}
