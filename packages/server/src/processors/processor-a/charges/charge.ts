import type { ChargeOutcome, ChargeRequest, NoAnswer, SettledOutcome } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { asUnknown, isNoAnswer, notExecuted } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import {
  blamedField,
  blamesAddress,
  cardDataFault,
  faultOf,
  mayHaveChanged,
  tokenIsMissing,
} from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';
import { paymentRequest } from './payment-request.ts';
import { chargeOutcome, wantsAuthentication } from './payment-response.ts';

/**
 * Charges a typed or stored card (Adyen API, `POST /payments`). Retries once without addresses if the upstream refuses one,
 * and once with a challenge if the issuer requires one and the merchant left that to the issuer.
 */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  const body = paymentRequest(request, session.merchantAccount);
  if (body === undefined) return notExecuted('provider_error', 'amount not supported');
  const { reply, duplicate } = await session.send('/payments', request.upstreamKey, body);
  const outcome = outcomeOf(reply, request);
  const repaired = isNoAnswer(reply) ? undefined : repairedRequest(reply, request, outcome);
  const last = repaired === undefined ? outcome : await charge(session, repaired);
  return duplicate ? asUnknown(last) : last;
}

/**
 * The modified request that may succeed after one that charged nothing; undefined if there is none. It has a key of its own,
 * so that a retry of the whole charge takes the same path. Each modification is possible only once, so the repeats end.
 */
function repairedRequest(
  reply: UpstreamAnswer,
  request: ChargeRequest,
  outcome: ChargeOutcome,
): ChargeRequest | undefined {
  const { upstreamKey, billingAddress, deliveryAddress, authentication, instrument } = request;
  if (blamesAddress(reply) && (billingAddress !== null || deliveryAddress !== null)) {
    const key = suffixedKey(upstreamKey, ':a');
    return { ...request, upstreamKey: key, billingAddress: null, deliveryAddress: null };
  }
  const challengeable = instrument.kind !== 'stored' || instrument.initiator === 'customer';
  return outcome.kind === 'declined' &&
    challengeable &&
    authentication === 'automatic' &&
    wantsAuthentication(reply.body)
    ? { ...request, upstreamKey: suffixedKey(upstreamKey, ':s'), authentication: 'always' }
    : undefined;
}

function outcomeOf(reply: UpstreamAnswer | NoAnswer, request: ChargeRequest): ChargeOutcome {
  if (isNoAnswer(reply)) return reply;
  return reply.status === 200 ? chargeOutcome(reply.body, request) : refusedOutcome(reply, request);
}

/**
 * Outcome of a charge response with a status other than 200: a decline if it blames the card's data or the token. On a repeat
 * such a reason proves nothing if it may have arisen since the first request: a token was deleted, a card expired.
 */
function refusedOutcome(
  answer: UpstreamAnswer,
  { instrument, isRepeat }: ChargeRequest,
): SettledOutcome | NoAnswer {
  if (isRepeat === true && mayHaveChanged(answer)) return asUnknown(faultOf(answer));
  const psp = jsonText(jsonObject(answer.body), 'pspReference');
  const facts = idsOnly(psp === null ? {} : { psp });
  if (instrument.kind === 'stored' && tokenIsMissing(answer)) {
    return { kind: 'declined', code: 'declined', facts, instrumentGone: true };
  }
  const code = cardDataFault(answer);
  if (code !== undefined) return { kind: 'declined', code, facts };
  const fault = faultOf(answer);
  const param = blamedField(answer, instrument.kind === 'card');
  return fault.error === undefined || param === undefined
    ? fault
    : { ...fault, error: { ...fault.error, param } };
}
