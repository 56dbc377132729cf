import { type JsonObject, jsonObject, jsonText } from '../json.ts';
import { isNoAnswer, unknown } from '../no-answer.ts';
import type {
  ChargeFacts,
  ChargeOutcome,
  ChargeRequest,
  ConfirmOutcome,
  NoAnswer,
  SettledOutcome,
  UpstreamIds,
} from '../port.ts';
import { webAddress } from '../text.ts';
import { brandName } from './brands.ts';
import { toUpstreamAmount } from './money.ts';
import { refusalFailure } from './refusal.ts';
import { authenticationResult, threeDSecure } from './three-d-secure.ts';

/** What an answer must repeat of the request before it may change a payment. */
export type ExpectedPayment = Pick<ChargeRequest, 'paymentId' | 'amount' | 'currency'>;

interface Redirect {
  readonly kind: 'redirect';
  readonly url: string;
  readonly facts: ChargeFacts;
}

/** These run scripts of the upstream on the page, which we always ask it not to do. */
const nativeActions: ReadonlySet<string> = new Set(['IdentifyShopper', 'ChallengeShopper']);
const undecided: ReadonlySet<string> = new Set(['Pending', 'Received']);

/**
 * How a charge ended, read from the body of a 200 answer of `/payments` (Adyen docs, "Result codes"). A body that is
 * not an object, or that speaks of another payment or amount, tells nothing: the charge stays unknown.
 */
export function chargeOutcome(body: unknown, expected: ExpectedPayment): ChargeOutcome {
  const outcome = paymentOutcome(jsonObject(body), expected, false);
  return outcome.kind === 'redirect'
    ? {
        kind: 'requires_action',
        action: 'processor_a_redirect',
        redirectUrl: outcome.url,
        facts: outcome.facts,
      }
    : outcome;
}

/**
 * How a payment ended after the buyer's return, read from the body of a 200 answer of `/payments/details`. It must name
 * our payment: what the buyer's browser brought back may belong to another one.
 */
export function detailsOutcome(
  body: unknown,
  expected: ExpectedPayment & { readonly upstream: UpstreamIds },
): ConfirmOutcome {
  const answer = jsonObject(body);
  const outcome = paymentOutcome(answer, expected, true);
  if (isNoAnswer(outcome)) {
    return outcome;
  }
  const psp = jsonText(answer, 'pspReference');
  const named =
    jsonText(answer, 'merchantReference') !== null || (psp !== null && psp === expected.upstream.psp);
  if (!named) {
    return unknown('provider_error', 'reference missing');
  }
  return outcome.kind === 'redirect' ? { kind: 'not_approved', redirectUrl: outcome.url } : outcome;
}

function paymentOutcome(
  answer: JsonObject,
  expected: ExpectedPayment,
  afterChallenge: boolean,
): SettledOutcome | Redirect | NoAnswer {
  const resultCode = jsonText(answer, 'resultCode');
  if (resultCode === null) {
    return unknown('provider_error', 'malformed answer');
  }
  const difference = differenceFrom(answer, expected);
  if (difference !== undefined) {
    return unknown('provider_error', difference);
  }
  switch (resultCode) {
    case 'Authorised':
      return { kind: 'succeeded', facts: chargeFacts(answer) };
    case 'Refused':
    case 'Error':
    case 'Cancelled':
      return declined(answer, resultCode, afterChallenge);
    case 'RedirectShopper':
      return redirect(answer);
  }
  if (nativeActions.has(resultCode)) {
    return unknown('provider_error', 'native action required');
  }
  return undecided.has(resultCode)
    ? unknown('provider_unavailable', 'result pending')
    : unknown('provider_error', 'unexpected result code');
}

/** Only a plain link: with native authentication switched off the upstream asks for no form to be posted. */
function redirect(answer: JsonObject): Redirect | NoAnswer {
  const action = jsonObject(answer.action);
  const url = webAddress(jsonText(action, 'url'));
  const method = jsonText(action, 'method') ?? 'GET';
  return url === null || method !== 'GET'
    ? unknown('provider_error', 'unsupported redirect')
    : { kind: 'redirect', url, facts: chargeFacts(answer) };
}

function declined(
  answer: JsonObject,
  resultCode: 'Refused' | 'Error' | 'Cancelled',
  afterChallenge: boolean,
): SettledOutcome {
  const facts = chargeFacts(answer);
  const code = refusalFailure({
    resultCode,
    reasonCode: jsonText(answer, 'refusalReasonCode'),
    rawReason: jsonText(jsonObject(answer.additionalData), 'refusalReasonRaw'),
    brand: facts.brand,
    authentication: authenticationResult(answer),
    afterChallenge,
  });
  return { kind: 'declined', code, facts };
}

/** The upstream may leave reference and amount out; where it names them they must be ours. */
function differenceFrom(answer: JsonObject, expected: ExpectedPayment): string | undefined {
  const reference = jsonText(answer, 'merchantReference');
  if (reference !== null && reference !== expected.paymentId) {
    return 'reference differs';
  }
  if (answer.amount === undefined || answer.amount === null) {
    return undefined;
  }
  const amount = jsonObject(answer.amount);
  const same =
    amount.currency === expected.currency &&
    amount.value === toUpstreamAmount(expected.amount, expected.currency);
  return same ? undefined : 'amount differs';
}

/** Facts of an answer; AVS stays null, since the merchant API reports it for the other processor only. */
function chargeFacts(answer: JsonObject): ChargeFacts {
  const additional = jsonObject(answer.additionalData);
  const brand =
    jsonText(jsonObject(answer.paymentMethod), 'brand') ??
    jsonText(additional, 'paymentMethod') ??
    jsonText(additional, 'cardPaymentMethod');
  const psp = jsonText(answer, 'pspReference');
  return {
    upstream: psp === null ? {} : { psp },
    brand: brandName(brand),
    bin: digits(jsonText(additional, 'cardBin') ?? jsonText(additional, 'issuerBin'), /^\d{6,8}$/),
    last4: digits(jsonText(additional, 'cardSummary'), /^\d{4}$/),
    ...expiry(jsonText(additional, 'expiryDate')),
    threeDSecure: threeDSecure(authenticationResult(answer)),
    avs: null,
    networkTransactionReference: jsonText(additional, 'networkTxReference'),
  };
}

/** Month and year of `3/2030`. */
function expiry(text: string | null): Pick<ChargeFacts, 'expMonth' | 'expYear'> {
  const match = /^(0?[1-9]|1[0-2])\/(\d{4})$/.exec(text ?? '');
  return match === null
    ? { expMonth: null, expYear: null }
    : { expMonth: Number(match[1]), expYear: Number(match[2]) };
}

const digits = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;
