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
import { isUnattended } from '../saved-methods/instrument.ts';
import { toUpstreamAmount } from '../wire/money.ts';
import { paymentFacts, savedInstrument } from './payment-facts.ts';
import { asksForAuthentication, type Refusal, refusalFailure, revokesInstrument } from './refusal.ts';
import { authenticationResult } from './three-d-secure.ts';

/** What an answer must repeat of the request before it may change a payment. */
export type ExpectedPayment = Pick<ChargeRequest, 'paymentId' | 'amount' | 'currency'>;

/** What else of a charge decides how its answer reads. */
export type ExpectedCharge = ExpectedPayment & Pick<ChargeRequest, 'instrument' | 'save'>;

interface Situation {
  /** The buyer had been sent to a challenge before this answer. */
  readonly afterChallenge: boolean;
  /** Nobody is there who could be challenged. */
  readonly unattended: boolean;
  readonly chargesStored: boolean;
  /** A token in the answer is one that this payment saved. */
  readonly saves: boolean;
}

interface Redirect {
  readonly kind: 'redirect';
  readonly url: string;
  readonly facts: ChargeFacts;
}

const undecided: ReadonlySet<string> = new Set(['Pending', 'Received']);

/**
 * How a charge ended, read from the body of a 200 answer of `/payments` (Adyen docs, "Result codes"). A body that is
 * not an object, or that speaks of another payment or amount, says nothing: the charge stays unknown.
 */
export function chargeOutcome(body: unknown, expected: ExpectedCharge): ChargeOutcome {
  const outcome = paymentOutcome(jsonObject(body), expected, {
    afterChallenge: false,
    unattended: isUnattended(expected),
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

/** Whether the issuer refused a charge only because no authentication ran (Adyen docs, "Refusal reasons", 38). */
export function wantsAuthentication(body: unknown): boolean {
  const answer = jsonObject(body);
  const refusal = refusalOf(answer, 'Refused', false);
  const { authenticated, transStatus } = refusal.authentication;
  return (
    jsonText(answer, 'resultCode') === 'Refused' &&
    asksForAuthentication(refusal) &&
    authenticated === null &&
    transStatus === null
  );
}

/**
 * How a payment ended after the buyer's return, read from the body of a 200 answer of `/payments/details`. It must name
 * our payment: what the buyer's browser brought back may complete another one, and is of no challenge of this one then.
 * `facts.saved` is the token that the answer contains, which for a charge of a stored card can be that card's own.
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
    unattended: false,
    // Of a typed card the payment names no method that could be gone.
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
      return situation.unattended
        ? { kind: 'declined', code: 'refused', facts: paymentFacts(answer) }
        : challenged(answer, resultCode);
  }
  return undecided.has(resultCode)
    ? unknown('provider_unavailable', 'result pending')
    : unknown('provider_error', 'unexpected result code');
}

/**
 * Only a plain link, as cards get since native authentication is switched off (Checkout API v71, example
 * `post-payments-card-3d-secure-redirect-200`). A form to be posted cannot stand in `redirect_url`, which merchants send
 * buyers to, and the other two would run the upstream's scripts on the page: such a charge is cancelled.
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
  { afterChallenge, chargesStored, unattended }: Situation,
): SettledOutcome {
  const refusal = refusalOf(answer, resultCode, afterChallenge);
  const outcome = { kind: 'declined', code: refusalFailure(refusal), facts: paymentFacts(answer) } as const;
  return chargesStored && revokesInstrument(refusal, unattended)
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

/** The upstream may leave reference and amount out; where it names them they must be ours. */
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
