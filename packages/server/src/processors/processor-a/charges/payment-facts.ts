import type { SavedInstrument } from '../../port/instruments.ts';
import type { ChargeFacts } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { brandName } from './brands.ts';
import { authenticationResult, threeDSecure } from './three-d-secure.ts';

/**
 * Facts of a payment that was decided, from an answer of `/payments` or a notification in its form (Adyen API,
 * PaymentResponse). AVS stays null, since the merchant API reports it for the other processor only.
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
 * The token of the card that an approved payment stored, or null. The older name also comes with charges of a stored
 * card, so only who knows what the payment was to do can rely on it (Adyen docs, "Tokenization").
 */
export function savedInstrument(answer: JsonObject): SavedInstrument | null {
  const additional = jsonObject(answer.additionalData);
  if (jsonText(additional, 'shopperInteraction') === 'ContAuth') return null;
  return storedToken(
    jsonText(additional, 'tokenization.storedPaymentMethodId') ??
      jsonText(additional, 'recurring.recurringDetailReference'),
  );
}

/** A token as the upstream takes it back, of at most 64 characters; the upstream keeps no customers of its own. */
export function storedToken(text: string | null): SavedInstrument | null {
  const token = matching(text, /^[\x21-\x7e]{1,64}$/);
  return token === null ? null : { token, upstreamCustomer: null };
}

/** Month and year of `3/2030`. */
function expiry(text: string | null): Pick<ChargeFacts, 'expMonth' | 'expYear'> {
  const match = /^(0?[1-9]|1[0-2])\/(\d{4})$/.exec(text ?? '');
  return match === null
    ? { expMonth: null, expYear: null }
    : { expMonth: Number(match[1]), expYear: Number(match[2]) };
}

const matching = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;
