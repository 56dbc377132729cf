import type { ChargeOutcome, ChargeRequest, NoAnswer, SettledOutcome } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
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
import { isStoredRefusal } from '../wire/stored-refusal.ts';
import { paymentRequest } from './payment-request.ts';
import { chargeOutcome, wantsAuthentication } from './payment-response.ts';

/**
 * Charges a typed or stored card (Adyen API, `POST /payments`). Retries once without addresses if the upstream refuses one,
 * and once with a challenge if the issuer requires one and the merchant left that to the issuer. If the request's key is that
 * of such a modified copy, it starts with that copy.
 */
export const charge = (session: Session, request: ChargeRequest): Promise<ChargeOutcome> =>
  attempt(session, asUnderKey(request));

async function attempt(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  const { upstreamKey } = request;
  const body = paymentRequest(request, session.merchantAccount);
  if (body === undefined) return notExecuted('provider_error', 'amount not supported');
  const send = () => session.send('/payments', upstreamKey, body);
  const { reply, duplicate } = await send();
  const isRepeat = duplicate || request.isRepeat === true;
  if (isRepeat && !isNoAnswer(reply) && blamesAddress(reply)) {
    // The upstream may have refused it before it looked the key up: then a copy under another key could charge once more.
    const { reply: again } = await send();
    const isStored = isStoredRefusal(reply, again, upstreamKey);
    if (!isStored) return asUnknown(outcomeOf(again, { ...request, isRepeat }));
  }
  const outcome = outcomeOf(reply, request);
  const copy = isNoAnswer(reply) ? undefined : modifiedCopy(reply, request, outcome);
  const refused = outcome.kind === 'declined' ? outcome.facts.upstream.psp : undefined;
  const last = copy === undefined ? outcome : await attemptCopy(session, copy, refused);
  return duplicate ? asUnknown(last) : last;
}

/**
 * Sends a modified copy once its key is committed: a retry of the charge then starts with it.
 * @param refused PSP reference of the declined attempt that the copy replaces; undefined if nothing was declined. It stays on
 *   record, so that the notification of that decline does not settle the payment.
 */
async function attemptCopy(
  session: Session,
  copy: ChargeRequest,
  refused: string | undefined,
): Promise<ChargeOutcome> {
  const replaced = refused === undefined ? {} : { replaced: refused };
  if ((await copy.commitKey?.(copy.upstreamKey, replaced)) === false) {
    return unknown('provider_unavailable', 'resumed by another request');
  }
  const outcome = await attempt(session, copy);
  if (outcome.kind !== 'requires_action') return outcome;
  const { facts } = outcome;
  return { ...outcome, facts: { ...facts, upstream: { ...facts.upstream, ...replaced } } };
}

/** What a modified copy of a charge changes, by the suffix of its key. */
const copies = {
  a: { billingAddress: null, deliveryAddress: null },
  s: { authentication: 'always' },
} as const;

type Copy = keyof typeof copies;

const copyOf = (request: ChargeRequest, copy: Copy): ChargeRequest => ({
  ...request,
  ...copies[copy],
  upstreamKey: suffixedKey(request.upstreamKey, `:${copy}`),
});

/**
 * Restores the request that belongs to its key. A repeat of a modified copy has to be that copy: the upstream could refuse
 * any other body before it looks the key up.
 */
function asUnderKey(request: ChargeRequest): ChargeRequest {
  const [, , ...suffixes] = request.upstreamKey.split(':');
  const applied = suffixes.filter((suffix): suffix is Copy => Object.hasOwn(copies, suffix));
  return Object.assign({ ...request }, ...applied.map((copy) => copies[copy]));
}

/**
 * The modified request that may succeed after one that charged nothing, under a key of its own; undefined if there is none.
 * Each modification is possible only once, so the copies end.
 */
function modifiedCopy(
  reply: UpstreamAnswer,
  request: ChargeRequest,
  outcome: ChargeOutcome,
): ChargeRequest | undefined {
  const { billingAddress, deliveryAddress, authentication, instrument } = request;
  if (blamesAddress(reply) && (billingAddress !== null || deliveryAddress !== null)) {
    return copyOf(request, 'a');
  }
  const challengeable = instrument.kind !== 'stored' || instrument.initiator === 'customer';
  return outcome.kind === 'declined' &&
    challengeable &&
    authentication === 'automatic' &&
    wantsAuthentication(reply.body)
    ? copyOf(request, 's')
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
