import type {
  ChargeFacts,
  ChargeOutcome,
  ChargeRequest,
  ConfirmOutcome,
  NoAnswer,
  SettledOutcome,
  UpstreamIds,
} from '../../port/port.ts';
import { isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { webAddress } from '../../wire/text.ts';
import { isOffSession } from '../saved-methods/instrument.ts';
import { toUpstreamAmount } from '../wire/money.ts';
import { paymentFacts, savedInstrument } from './payment-facts.ts';
import { asksForAuthentication, type Refusal, refusalFailure, revokesInstrument } from './refusal.ts';
import { authenticationResult } from './three-d-secure.ts';

/** The request's values that a response has to match before it may change a payment. */
export type ExpectedPayment = Pick<ChargeRequest, 'paymentId' | 'amount' | 'currency'>;

/** The further values of a charge that decide how its response is interpreted. */
export type ExpectedCharge = ExpectedPayment & Pick<ChargeRequest, 'instrument' | 'save'>;

interface Situation {
  /** The buyer was sent to a challenge before this response. */
  readonly afterChallenge: boolean;
  /** The buyer is absent, so no challenge is possible. */
  readonly offSession: boolean;
  readonly chargesStored: boolean;
  /** A token in the response is one that this payment saved. */
  readonly saves: boolean;
}

interface Redirect {
  readonly kind: 'redirect';
  readonly url: string;
  readonly facts: ChargeFacts;
}

const undecided: ReadonlySet<string> = new Set(['Pending', 'Received']);

/**
 * Outcome of a charge, read from the body of a 200 response of `/payments` (Adyen docs, "Result codes"). If the body is not
 * an object, or is about another payment or amount, the outcome stays unknown.
 */
export function chargeOutcome(body: unknown, expected: ExpectedCharge): ChargeOutcome {
  const outcome = paymentOutcome(jsonObject(body), expected, {
    afterChallenge: false,
    offSession: isOffSession(expected),
    chargesStored: expected.instrument.kind === 'stored',
    saves: Boolean(expected.save),
  });
  return outcome.kind === 'redirect'
    ? {
        kind: 'requires_action',
        action: 'processor_a_redirect',
        redirectUrl: outcome.url,
        facts: outcome.facts,
      }
    : outcome;
}

/** Whether the issuer refused a charge only because the buyer was not authenticated. */
export function wantsAuthentication(body: unknown): boolean {
  const answer = jsonObject(body);
  return (
    jsonText(answer, 'resultCode') === 'Refused' && asksForAuthentication(refusalOf(answer, 'Refused', false))
  );
}

/**
 * Outcome of a payment after the buyer's return, read from the body of a 200 response of `/payments/details`. It must name
 * our payment: the browser may bring back a result that completes another payment and then belongs to no challenge of this
 * one. `facts.saved` is the token in the response; for a charge of a stored card it may be that card's own token.
 */
export function detailsOutcome(
  body: unknown,
  expected: ExpectedPayment & { readonly upstream: UpstreamIds },
): ConfirmOutcome {
  const answer = jsonObject(body);
  const reference = jsonText(answer, 'merchantReference');
  if (reference !== null && reference !== expected.paymentId) {
    return { kind: 'not_approved', redirectUrl: null, refused: true };
  }
  const outcome = paymentOutcome(answer, expected, {
    afterChallenge: true,
    offSession: false,
    // For a typed card this has no effect: its payment has no saved method that could be gone.
    chargesStored: true,
    saves: true,
  });
  if (isNoAnswer(outcome)) return outcome;
  const psp = jsonText(answer, 'pspReference');
  const named = reference !== null || (psp !== null && psp === expected.upstream.psp);
  if (!named) return unknown('provider_error', 'reference missing');
  return outcome.kind === 'redirect' ? { kind: 'not_approved', redirectUrl: outcome.url } : outcome;
}

function paymentOutcome(
  answer: JsonObject,
  expected: ExpectedPayment,
  situation: Situation,
): SettledOutcome | Redirect | NoAnswer {
  const resultCode = jsonText(answer, 'resultCode');
  if (resultCode === null) return unknown('provider_error', 'malformed answer');
  const difference = differenceFrom(answer, expected);
  if (difference !== undefined) return unknown('provider_error', difference);
  switch (resultCode) {
    case 'Authorised':
      return {
        kind: 'succeeded',
        facts: { ...paymentFacts(answer), saved: situation.saves ? savedInstrument(answer) : null },
      };
    case 'Refused':
    case 'Error':
    case 'Cancelled':
      return declined(answer, resultCode, situation);
    case 'RedirectShopper':
    case 'IdentifyShopper':
    case 'ChallengeShopper':
      return situation.offSession
        ? { kind: 'declined', code: 'refused', facts: paymentFacts(answer) }
        : challenged(answer, resultCode);
  }
  return undecided.has(resultCode)
    ? unknown('provider_unavailable', 'result pending')
    : unknown('provider_error', 'unexpected result code');
}

/**
 * Accepts only a plain link, which is what cards get because native authentication is disabled (Checkout API v71, example
 * `post-payments-card-3d-secure-redirect-200`). A form to be posted does not fit into `redirect_url`, to which merchants
 * redirect buyers, and the other two kinds would run the upstream's scripts on the page. Such a charge is cancelled.
 */
function challenged(answer: JsonObject, resultCode: string): Redirect | NoAnswer {
  if (resultCode !== 'RedirectShopper') return unknown('provider_error', 'native action required');
  const action = jsonObject(answer.action);
  const url = webAddress(jsonText(action, 'url'));
  const method = jsonText(action, 'method') ?? 'GET';
  return url === null || method !== 'GET'
    ? unknown('provider_error', 'unsupported redirect')
    : { kind: 'redirect', url, facts: paymentFacts(answer) };
}

function declined(
  answer: JsonObject,
  resultCode: Refusal['resultCode'],
  { afterChallenge, chargesStored, offSession }: Situation,
): SettledOutcome {
  const refusal = refusalOf(answer, resultCode, afterChallenge);
  const outcome = { kind: 'declined', code: refusalFailure(refusal), facts: paymentFacts(answer) } as const;
  return chargesStored && revokesInstrument(refusal, offSession)
    ? { ...outcome, instrumentGone: true }
    : outcome;
}

const refusalOf = (
  answer: JsonObject,
  resultCode: Refusal['resultCode'],
  afterChallenge: boolean,
): Refusal => ({
  resultCode,
  reasonCode: jsonText(answer, 'refusalReasonCode'),
  rawReason: jsonText(jsonObject(answer.additionalData), 'refusalReasonRaw'),
  brand: paymentFacts(answer).brand,
  authentication: authenticationResult(answer),
  afterChallenge,
});

/** The upstream may omit reference and amount, but if present they must match ours. */
function differenceFrom(answer: JsonObject, expected: ExpectedPayment): string | undefined {
  const reference = jsonText(answer, 'merchantReference');
  if (reference !== null && reference !== expected.paymentId) return 'reference differs';
  if (answer.amount === undefined || answer.amount === null) return undefined;
  const amount = jsonObject(answer.amount);
  const same =
    amount.currency === expected.currency &&
    amount.value === toUpstreamAmount(expected.amount, expected.currency);
  return same ? undefined : 'amount differs';
}
