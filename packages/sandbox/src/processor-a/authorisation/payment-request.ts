import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { passesLuhn } from '../../lib/luhn.ts';
import { fromAdyenUnits } from '../../lib/money.ts';
import { maskCardNumber } from '../../lib/redact.ts';
import { isBrowserAddress } from '../../lib/return-url.ts';
import type { Card, KeptCard } from './card.ts';
import { invalid, ServiceRefusal } from './errors.ts';
import type { Instrument, StoredCard } from './instruments.ts';
import { readSaving, readStoredCharge, type Saving, type StoredCharge } from './recurring.ts';

/** The part of a payment that may be stored: everything but the card number. */
export interface KeptPayment {
  readonly reference: string;
  readonly amount: {
    readonly value: number;
    readonly currency: string;
    /** The value in the merchant's minor units. */
    readonly minor: number;
  };
  readonly card: KeptCard;
  readonly returnUrl: string;
  readonly authentication: 'never' | 'automatic' | 'always';
  readonly manualCapture: boolean;
  readonly hasBillingAddress: boolean;
  readonly saving?: Saving | undefined;
  /** Present if the payment charges a stored card. */
  readonly stored?: StoredCharge | undefined;
  /** Set if the charge of a stored card has no security code, which is allowed. */
  readonly withoutCvc?: true | undefined;
}

export interface PaymentRequest extends KeptPayment {
  readonly card: Card;
}

function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Parses a request body into a JSON object.
 * @throws ServiceRefusal as Adyen does for input that it cannot parse
 */
export function parseBody(body: Buffer): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    // Does not reuse the parser's message, which quotes the input and so possibly a card number.
    throw new ServiceRefusal(400, '702', 'Unexpected input, expected: a JSON object');
  }
  if (!isObject(parsed)) throw new ServiceRefusal(400, '702', 'Unexpected input, expected: a JSON object');
  return parsed;
}

/**
 * Returns the merchant account of a request. The simulator accepts every account and only refuses a request
 * without one.
 */
export function readMerchantAccount(body: JsonObject): string {
  const account = filledText(body.merchantAccount);
  if (account === undefined || account.length > 80) {
    throw new ServiceRefusal(403, '901', 'Invalid Merchant Account', 'security');
  }
  return account;
}

/**
 * Returns the texts that may be directives: the holder name first, then the descriptions of all line items.
 */
export function readDirectives(body: JsonObject): readonly string[] {
  const lines = Array.isArray(body.lineItems) ? body.lineItems : [];
  const descriptions = lines.map((line) => (isObject(line) ? line.description : undefined));
  return [objectIn(body, 'paymentMethod').holderName, ...descriptions].filter(
    (value) => typeof value === 'string',
  );
}

function readAmount(body: JsonObject): KeptPayment['amount'] {
  const { value, currency } = objectIn(body, 'amount');
  // An amount of zero verifies a card: it is authorised and nothing is charged (Adyen docs, "Zero-value
  // authorisation").
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw invalid('137', 'Invalid amount specified');
  }
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    throw invalid('138', 'Unsupported currency specified');
  }
  const minor = fromAdyenUnits(value, currency);
  if (minor === undefined) throw invalid('137', 'Invalid amount specified');
  return { value, currency, minor };
}

function readReference(body: JsonObject): string {
  const reference = filledText(body.reference);
  if (reference === undefined) throw invalid('130', 'Reference Missing');
  if (reference.length > 80) throw invalid('14_018', 'Invalid payload provided');
  return reference;
}

/** Whether a card has expired. It is valid until the end of its expiry month. */
export function hasExpired(card: Pick<Card, 'expiryMonth' | 'expiryYear'>, now: Date): boolean {
  return card.expiryYear * 12 + card.expiryMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
}

/** @param digits the card number, or at least its first digits */
function checkCvc(cvc: unknown, digits: string): void {
  // Amex cards accept three digits as well, so that a tester can use one CVC for every test card.
  const pattern = /^3[47]/.test(digits) ? /^\d{3,4}$/ : /^\d{3}$/;
  if (typeof cvc !== 'string' || !pattern.test(cvc)) throw invalid('103', 'CVC is not the right length');
}

function readCard(body: JsonObject, now: Date): Card {
  const method = body.paymentMethod;
  if (!isObject(method) || method.type !== 'scheme') throw invalid('14_018', 'Invalid payload provided');
  const { number, cvc, expiryMonth, expiryYear } = method;
  if (typeof number !== 'string' || !/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    throw invalid('101', 'Invalid card number');
  }
  if (filledText(method.holderName) === undefined) throw invalid('128', 'Card Holder Missing');
  if (typeof expiryMonth !== 'string' || !/^(0?[1-9]|1[0-2])$/.test(expiryMonth)) {
    throw invalid('140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now');
  }
  if (typeof expiryYear !== 'string' || !/^[2-9]\d{3}$/.test(expiryYear)) {
    throw invalid('140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now');
  }
  const expiry = { expiryMonth: Number(expiryMonth), expiryYear: Number(expiryYear) };
  if (hasExpired(expiry, now)) throw invalid('129', 'Expiry Date Invalid');
  if (cvc === undefined) throw invalid('153', 'CVC is missing');
  checkCvc(cvc, number);
  return {
    number,
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    ...expiry,
  };
}

const addressParts = [
  { field: 'city', code: '131', name: 'City' },
  { field: 'street', code: '132', name: 'Street' },
  { field: 'houseNumberOrName', code: '133', name: 'HouseNumberOrName' },
  { field: 'postalCode', code: '104', name: 'PostalCode' },
] as const;

function checkAddress(value: unknown, which: 'Billing' | 'Delivery'): void {
  if (value === undefined) return;
  const address = isObject(value) ? value : {};
  for (const { field, code, name } of addressParts) {
    if (filledText(address[field]) === undefined) throw invalid(code, `${which} address problem (${name})`);
  }
  const { country } = address;
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) {
    throw invalid('134', `${which} address problem (Country)`);
  }
  const needsState = country === 'US' || country === 'CA';
  if (needsState && filledText(address.stateOrProvince) === undefined) {
    throw invalid('135', `${which} address problem (StateOrProvince)`);
  }
}

function readAuthentication(body: JsonObject): PaymentRequest['authentication'] {
  const attempt = objectIn(body, 'authenticationData').attemptAuthentication;
  return attempt === 'never' || attempt === 'always' ? attempt : 'automatic';
}

function readReturnUrl(body: JsonObject): string {
  const returnUrl = filledText(body.returnUrl);
  // Adyen also accepts addresses of apps, but the simulator's buyers only have browsers.
  if (returnUrl === undefined || !isBrowserAddress(returnUrl)) {
    throw invalid('14_030', 'Return URL is missing.');
  }
  return returnUrl;
}

function readPayment<Method>(body: JsonObject, readMethod: () => Method) {
  const reference = readReference(body);
  const amount = readAmount(body);
  const returnUrl = readReturnUrl(body);
  const method = readMethod();
  checkAddress(body.billingAddress, 'Billing');
  checkAddress(body.deliveryAddress, 'Delivery');
  return {
    reference,
    amount,
    returnUrl,
    ...method,
    authentication: readAuthentication(body),
    manualCapture: objectIn(body, 'additionalData').manualCapture === 'true',
    hasBillingAddress: body.billingAddress !== undefined,
  };
}

/**
 * Reads the fields that the simulator uses (Adyen Checkout API v71, PaymentRequest and CardDetails).
 * @throws ServiceRefusal for an invalid request
 */
export function readPaymentRequest(body: JsonObject, now: Date): PaymentRequest {
  return readPayment(body, () => ({ card: readCard(body, now), saving: readSaving(body) }));
}

function ownCard(instrument: Instrument | null, { shopperReference }: StoredCharge): StoredCard {
  // Adyen docs, "Error codes and messages": 803 if there are no such details, 800 if they are another
  // shopper's.
  if (instrument === null) throw invalid('803', 'PaymentDetail not found');
  if (instrument.shopper !== shopperReference) throw invalid('800', 'Contract not found');
  return instrument.facts;
}

/**
 * Reads the charge of a stored card.
 *
 * @param instrument the stored card of the request's token; null if there is none or it was removed
 * @throws ServiceRefusal for an invalid request
 */
export function readStoredPayment(
  body: JsonObject,
  instrument: Instrument | null,
): { readonly payment: KeptPayment; readonly card: StoredCard } {
  const { type, cvc } = objectIn(body, 'paymentMethod');
  if (type !== 'scheme') throw invalid('14_018', 'Invalid payload provided');
  const stored = readStoredCharge(body);
  const card = ownCard(instrument, stored);
  if (cvc !== undefined) checkCvc(cvc, card.card.bin);
  const withoutCvc = cvc === undefined ? (true as const) : undefined;
  return { payment: readPayment(body, () => ({ card: card.card, stored, withoutCvc })), card };
}

/**
 * Returns the part of the request that may be stored: without security code, and with the card number masked
 * in every field.
 */
export function withoutCardSecrets(body: JsonObject, card: Card): unknown {
  const { type, holderName, expiryMonth, expiryYear } = objectIn(body, 'paymentMethod');
  const { number, bin, last4 } = card;
  const kept = { ...body, paymentMethod: { type, holderName, expiryMonth, expiryYear, bin, last4 } };
  return maskCardNumber(kept, number);
}

/** Returns the part of a stored-card request that may be stored: everything but the security code. */
export function withoutSecurityCode(body: JsonObject): unknown {
  const { cvc: _cvc, ...paymentMethod } = objectIn(body, 'paymentMethod');
  return { ...body, paymentMethod };
}
