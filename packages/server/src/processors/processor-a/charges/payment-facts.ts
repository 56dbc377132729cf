import type { SavedInstrument } from '../../port/instruments.ts';
import type { ChargeFacts } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { brandName } from './brands.ts';
import { authenticationResult, threeDSecure } from './three-d-secure.ts';

/**
 * Facts of a decided payment, from a response of `/payments` or a notification converted to that form (Adyen API,
 * PaymentResponse). AVS is always null, because our API reports it only for the other processor.
 */
export function paymentFacts(answer: JsonObject): ChargeFacts {
  const additional = jsonObject(answer.additionalData);
  const brand =
    jsonText(jsonObject(answer.paymentMethod), 'brand') ??
    jsonText(additional, 'paymentMethod') ??
    jsonText(additional, 'cardPaymentMethod');
  const psp = jsonText(answer, 'pspReference');
  return {
    upstream: psp === null ? {} : { psp },
    brand: brandName(brand),
    bin: matching(jsonText(additional, 'cardBin') ?? jsonText(additional, 'issuerBin'), /^\d{6,8}$/),
    last4: matching(jsonText(additional, 'cardSummary'), /^\d{4}$/),
    ...expiry(jsonText(additional, 'expiryDate')),
    threeDSecure: threeDSecure(authenticationResult(answer)),
    avs: null,
    networkTransactionReference: jsonText(additional, 'networkTxReference'),
    saved: null,
  };
}

/**
 * The token of the card that an approved payment saved, or null. The older member name also appears on charges of a stored
 * card, so only a caller that knows the purpose of the payment can rely on it (Adyen docs, "Tokenization").
 */
export function savedInstrument(answer: JsonObject): SavedInstrument | null {
  const additional = jsonObject(answer.additionalData);
  if (jsonText(additional, 'shopperInteraction') === 'ContAuth') return null;
  return storedToken(
    jsonText(additional, 'tokenization.storedPaymentMethodId') ??
      jsonText(additional, 'recurring.recurringDetailReference'),
  );
}

/**
 * Accepts a token that the upstream takes back, of at most 64 characters; otherwise null. The upstream has no customer ids of
 * its own.
 */
export function storedToken(text: string | null): SavedInstrument | null {
  const token = matching(text, /^[\x21-\x7e]{1,64}$/);
  return token === null ? null : { token, upstreamCustomer: null };
}

/** Parses an expiry such as `3/2030`. */
function expiry(text: string | null): Pick<ChargeFacts, 'expMonth' | 'expYear'> {
  const match = /^(0?[1-9]|1[0-2])\/(\d{4})$/.exec(text ?? '');
  return match === null
    ? { expMonth: null, expYear: null }
    : { expMonth: Number(match[1]), expYear: Number(match[2]) };
}

const matching = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;
