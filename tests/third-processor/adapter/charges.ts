import type { FailureCode } from '@till/contract';
import type {
  CancelOutcome,
  CancelRequest,
  ChargeFacts,
  ChargeOutcome,
  ChargeRequest,
  ConfirmOutcome,
  ConfirmRequest,
  LookUpOutcome,
  LookUpRequest,
  SettledOutcome,
} from '../../../packages/server/src/processors/port/port.ts';
import { idsOnly } from '../../../packages/server/src/processors/upstream/facts.ts';
import { isNoAnswer } from '../../../packages/server/src/processors/upstream/no-answer.ts';
import { type JsonObject, jsonText } from '../../../packages/server/src/processors/wire/json.ts';
import { faultOf, type Session } from './client.ts';
import { names } from './names.ts';

const declines: ReadonlyMap<string, FailureCode> = new Map([
  ['insufficient_funds', 'insufficient_funds'],
  ['authentication_failed', '3ds_failed'],
]);

function factsOf(body: JsonObject): ChargeFacts {
  const id = jsonText(body, 'id');
  return idsOnly(id === null ? {} : { psp: id });
}

/**
 * Returns the outcome of a charge. Undefined while the charge waits for its buyer, or if the response does
 * not contain one.
 */
function settledAs(body: JsonObject): SettledOutcome | undefined {
  const facts = factsOf(body);
  if (facts.upstream.psp === undefined) return undefined;
  switch (jsonText(body, 'status')) {
    case 'captured':
      return { kind: 'succeeded', facts };
    case 'declined': {
      const code = declines.get(jsonText(body, 'decline_code') ?? '') ?? 'declined';
      return { kind: 'declined', code, facts };
    }
    default:
      return undefined;
  }
}

/** Charges a typed card. Without a card, asks for the outcome of the charge with the same key ("Charges"). */
export async function charge(session: Session, request: ChargeRequest): Promise<ChargeOutcome> {
  const { paymentId, amount, currency, instrument, returnUrl, authentication } = request;
  const card = instrument.kind === 'card' ? instrument.card : undefined;
  const body = {
    reference: paymentId,
    amount,
    currency,
    authentication,
    return_url: returnUrl,
    ...(card === undefined
      ? {}
      : { card: { number: card.number, expiry: `${card.expMonth}/${card.expYear}`, name: card.holderName } }),
  };
  const answer = await session.send('/v1/charges', body, request.upstreamKey);
  if (isNoAnswer(answer)) return answer;
  if (answer.error === 'card_required' && instrument.kind === 'withheld') {
    return { kind: 'not_carried_out', facts: idsOnly({}) };
  }
  if (answer.status !== 201) return faultOf(answer);
  const redirectUrl = jsonText(answer.body, 'redirect_url');
  if (jsonText(answer.body, 'status') === 'awaiting_buyer' && redirectUrl !== null) {
    return { kind: 'requires_action', action: names.redirect, redirectUrl, facts: factsOf(answer.body) };
  }
  return settledAs(answer.body) ?? faultOf({ ...answer, status: 502 });
}

/** Charges a payment that the buyer has approved ("Completing a charge"). */
export async function confirm(session: Session, request: ConfirmRequest): Promise<ConfirmOutcome> {
  const { psp } = request.upstream;
  const answer = await session.send(`/v1/charges/${psp}/complete`, {}, request.upstreamKey);
  if (isNoAnswer(answer)) return answer;
  if (answer.status !== 200) return faultOf(answer);
  if (jsonText(answer.body, 'status') === 'awaiting_buyer') {
    return { kind: 'not_approved', redirectUrl: null };
  }
  return settledAs(answer.body) ?? faultOf({ ...answer, status: 502 });
}

/** Looks up the current state of a charge ("Charges"). */
export async function lookUp(session: Session, { upstream }: LookUpRequest): Promise<LookUpOutcome> {
  if (upstream.psp === undefined) return { kind: 'cannot_tell' };
  const answer = await session.read(`/v1/charges/${upstream.psp}`);
  if (isNoAnswer(answer)) return answer;
  if (answer.status !== 200) return answer.error === 'unknown_charge' ? { kind: 'nothing' } : faultOf(answer);
  const status = jsonText(answer.body, 'status');
  if (status === 'cancelled') return { kind: 'voided' };
  return status === 'awaiting_buyer' ? { kind: 'open' } : (settledAs(answer.body) ?? faultOf(answer));
}

/** Cancels whatever is pending under the merchant's reference ("Cancelling"). */
export async function cancel(session: Session, request: CancelRequest): Promise<CancelOutcome> {
  const { paymentId: reference, upstreamKey } = request;
  const answer = await session.send('/v1/cancellations', { reference }, upstreamKey);
  if (isNoAnswer(answer)) return answer;
  if (answer.status === 200) return { kind: 'cancelled' };
  return answer.error === 'already_captured' ? { kind: 'already_captured' } : faultOf(answer);
}
