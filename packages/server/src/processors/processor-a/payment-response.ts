import type { ChargeFacts, ChargeOutcome, ChargeRequest, ProviderAnswer } from '../port.ts';
import { brandName } from './brands.ts';
import { type JsonObject, jsonObject, jsonText } from './json.ts';
import { toUpstreamAmount } from './money.ts';
import { refusalFailure } from './refusal.ts';
import { authenticationResult, threeDSecure } from './three-d-secure.ts';

/** What an answer must repeat of the request before it may change a payment. */
export type ExpectedPayment = Pick<ChargeRequest, 'paymentId' | 'amount' | 'currency'>;

const buyerActions: ReadonlySet<string> = new Set(['RedirectShopper', 'IdentifyShopper', 'ChallengeShopper']);
const undecided: ReadonlySet<string> = new Set(['Pending', 'Received']);

/**
 * How a charge ended, read from the body of a 200 answer of `/payments` (Adyen docs, "Result codes"). A body that is
 * not an object, or that speaks of another payment or amount, tells nothing: the charge stays unknown.
 */
export function chargeOutcome(body: unknown, expected: ExpectedPayment): ChargeOutcome {
  const answer = jsonObject(body);
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
      return declined(answer, resultCode);
  }
  if (buyerActions.has(resultCode)) {
    return unknown('provider_error', 'buyer action required');
  }
  return undecided.has(resultCode)
    ? unknown('provider_unavailable', 'result pending')
    : unknown('provider_error', 'unexpected result code');
}

function declined(answer: JsonObject, resultCode: 'Refused' | 'Error' | 'Cancelled'): ChargeOutcome {
  const facts = chargeFacts(answer);
  const code = refusalFailure({
    resultCode,
    reasonCode: jsonText(answer, 'refusalReasonCode'),
    rawReason: jsonText(jsonObject(answer.additionalData), 'refusalReasonRaw'),
    brand: facts.brand,
    authentication: authenticationResult(answer),
    // A challenge is answered through `/payments/details`, never by the first answer.
    afterChallenge: false,
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
  return {
    upstreamReference: jsonText(answer, 'pspReference'),
    brand: brandName(brand),
    bin: digits(jsonText(additional, 'cardBin') ?? jsonText(additional, 'issuerBin'), /^\d{6,8}$/),
    last4: digits(jsonText(additional, 'cardSummary'), /^\d{4}$/),
    threeDSecure: threeDSecure(authenticationResult(answer)),
    avs: null,
    networkTransactionReference: jsonText(additional, 'networkTxReference'),
  };
}

const digits = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;

const unknown = (answer: ProviderAnswer, reason: string): ChargeOutcome => ({
  kind: 'unknown',
  answer,
  reason,
});
