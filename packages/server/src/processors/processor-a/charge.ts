import { idsOnly } from '../facts.ts';
import { jsonObject, jsonText } from '../json.ts';
import { isNoAnswer, notExecuted, notRuledOut } from '../no-answer.ts';
import type { ChargeOutcome, ChargeRequest, NoAnswer, SettledOutcome } from '../port.ts';
import { suffixedKey } from '../repeat.ts';
import type { UpstreamAnswer } from './client.ts';
import { blamesAddress, cardDataFault, faultOf } from './error-answer.ts';
import { paymentRequest } from './payment-request.ts';
import { chargeOutcome } from './payment-response.ts';
import type { Session } from './session.ts';

/** Charges a typed card; once more without addresses where the upstream refuses one (Adyen API, `POST /payments`). */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  const body = paymentRequest(request, session.merchantAccount);
  if (body === undefined) {
    return notExecuted('provider_error', 'amount not supported');
  }
  const first = await session.send('/payments', request.upstreamKey, body);
  const bare =
    !isNoAnswer(first.reply) && blamesAddress(first.reply)
      ? paymentRequest({ ...request, billingAddress: null, deliveryAddress: null }, session.merchantAccount)
      : undefined;
  const last =
    bare === undefined
      ? first
      : await session.send('/payments', suffixedKey(request.upstreamKey, ':a'), bare);
  const outcome = outcomeOf(last.reply, request);
  return first.duplicate || last.duplicate ? notRuledOut(outcome) : outcome;
}

function outcomeOf(reply: UpstreamAnswer | NoAnswer, request: ChargeRequest): ChargeOutcome {
  if (isNoAnswer(reply)) {
    return reply;
  }
  return reply.status === 200 ? chargeOutcome(reply.body, request) : refusedOutcome(reply);
}

/** A charge that another status than 200 answers: a decline where it blames the card's data. */
function refusedOutcome(answer: UpstreamAnswer): SettledOutcome | NoAnswer {
  const code = cardDataFault(answer);
  if (code === undefined) {
    return faultOf(answer);
  }
  const psp = jsonText(jsonObject(answer.body), 'pspReference');
  return { kind: 'declined', code, facts: idsOnly(psp === null ? {} : { psp }) };
}
