import { findTestCard } from '../../directives/cards.ts';
import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { passesLuhn } from '../../lib/luhn.ts';
import { findDecline } from '../model/declines.ts';
import type { Instrument } from '../model/instruments.ts';
import type { Authentication, CardFacts, Order, Saving, StoredUse } from '../model/order.ts';
import { readSaving } from '../model/saving.ts';
import { readVerification, verify } from '../model/three-d-secure.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { optionalText, optionalUrl, requiredObject } from '../wire/fields.ts';
import { readCredential } from './stored-credential.ts';

/** How a request is paid. */
export interface PaymentSource {
  readonly origin: Order['origin'];
  readonly card: CardFacts | null;
  readonly saving: Saving | null;
  readonly stored: StoredUse | null;
  readonly authentication: Authentication | null;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly brandName: string | null;
  /** Only in memory during the request, to remove the number from what is stored. */
  readonly number: string | null;
}

/** What is known before the payment source is read. */
export interface SourceContext {
  readonly merchantAccount: string;
  readonly orderId: string;
  readonly directive: string | null;
  readonly now: Date;
  /** The instrument of the request's vault id. Null if the request has no vault id. */
  readonly instrument: Instrument | null;
}

const at = '/payment_source/card';

/**
 * Values of address line 1, with the AVS code that each makes the issuer return (PayPal docs, "Card
 * testing").
 */
export const avsTriggers: Readonly<Record<string, string>> = {
  AVS_A_971: 'A',
  AVS_B_972: 'B',
  AVS_C_973: 'C',
  AVS_D_974: 'D',
  AVS_E_975: 'E',
  AVS_F_976: 'F',
  AVS_G_977: 'G',
  AVS_I_979: 'I',
  AVS_M_983: 'M',
  AVS_N_984: 'N',
  AVS_P_986: 'P',
  AVS_R_988: 'R',
  AVS_S_989: 'S',
  AVS_U_991: 'U',
  AVS_W_993: 'W',
  AVS_X_994: 'X',
  AVS_Y_995: 'Y',
  AVS_Z_996: 'Z',
};

/** Security codes, with the CVV code that each makes the issuer return (PayPal docs, "Card testing"). */
export const cvvTriggers: Readonly<Record<string, string>> = {
  '115': 'M',
  '116': 'N',
  '120': 'P',
  '123': 'S',
  '125': 'U',
  '130': 'X',
};

function readNumber(value: unknown): string {
  if (typeof value !== 'string' || !/^\d{12,19}$/.test(value) || !passesLuhn(value)) {
    throw malformed('INVALID_PARAMETER_VALUE', `${at}/number`);
  }
  return value;
}

function readExpiry(value: unknown, now: Date): string {
  if (value === undefined || value === null) throw unprocessable('CARD_EXPIRY_REQUIRED', `${at}/expiry`);
  if (typeof value !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(value)) {
    throw malformed('INVALID_PARAMETER_SYNTAX', `${at}/expiry`);
  }
  if (value < now.toISOString().slice(0, 7)) throw unprocessable('CARD_EXPIRED', `${at}/expiry`);
  return value;
}

function readCvvCode(value: unknown, number: string): string {
  // The security code is optional at PayPal. Without it the issuer does not check it.
  if (value === undefined || value === null) return 'X';
  if (typeof value !== 'string' || !/^\d{3,4}$/.test(value)) {
    throw malformed('INVALID_PARAMETER_SYNTAX', `${at}/security_code`);
  }
  if (value.length !== (/^3[47]/.test(number) ? 4 : 3)) {
    throw unprocessable('INVALID_SECURITY_CODE_LENGTH', `${at}/security_code`);
  }
  return cvvTriggers[value] ?? 'M';
}

function readAvsCode(card: JsonObject): string {
  if (card.billing_address === undefined) return 'U';
  const field = `${at}/billing_address`;
  const address = requiredObject(card.billing_address, field);
  if (address.country_code === undefined) {
    throw malformed('MISSING_REQUIRED_PARAMETER', `${field}/country_code`);
  }
  if (typeof address.country_code !== 'string' || !/^([A-Z]{2}|C2)$/.test(address.country_code)) {
    throw malformed('INVALID_PARAMETER_SYNTAX', `${field}/country_code`);
  }
  const line = optionalText(address.address_line_1, `${field}/address_line_1`, 300);
  return (line === null ? undefined : avsTriggers[line]) ?? 'Y';
}

/**
 * Returns the result of 3-D Secure for the card. A directive for a decline takes precedence over the card,
 * which then gets no challenge.
 */
function verified(
  card: JsonObject,
  threeDSecure: CardFacts['threeDSecure'] | undefined,
  directive: string | null,
) {
  const method = objectIn(objectIn(card, 'attributes'), 'verification').method;
  const declines = directive !== null && findDecline(directive) !== undefined;
  return declines ? verify(undefined, 'none') : verify(threeDSecure, readVerification(method));
}

function typedCard(card: JsonObject, { directive, now }: SourceContext) {
  const number = readNumber(card.number);
  const published = findTestCard(number);
  const name = optionalText(card.name, `${at}/name`, 300);
  readCredential(card, 'card');
  const { authentication, stoppedBy, challenge } = verified(card, published, directive);
  const { frictionless, challenge: asks } = published ?? {};
  const facts: CardFacts = {
    name,
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    expiry: readExpiry(card.expiry, now),
    brand: published?.brand ?? null,
    cvvCode: readCvvCode(card.security_code, number),
    avsCode: readAvsCode(card),
    stoppedBy,
    challenge: challenge ?? null,
    threeDSecure: {
      ...(frictionless === undefined ? {} : { frictionless }),
      ...(asks === undefined ? {} : { challenge: asks }),
    },
  };
  return { number, card: facts, authentication };
}

/** A card from the vault. Its data was entered when it was saved. */
function storedCard(card: JsonObject, kept: CardFacts, token: string, directive: string | null) {
  if (card.number !== undefined) throw unprocessable('INCOMPATIBLE_PARAMETER_VALUE', `${at}/number`);
  const initiator = readCredential(card, 'card');
  const { authentication, stoppedBy, challenge } = verified(card, kept.threeDSecure, directive);
  const facts: CardFacts = {
    ...kept,
    stoppedBy,
    challenge: challenge ?? null,
    cvvCode: readCvvCode(card.security_code, kept.bin),
  };
  return { card: facts, authentication, stored: { token, initiator } };
}

function experience(source: JsonObject, name: 'card' | 'paypal') {
  const context = objectIn(source, 'experience_context');
  const field = `/payment_source/${name}/experience_context`;
  return {
    returnUrl: optionalUrl(context.return_url, `${field}/return_url`),
    cancelUrl: optionalUrl(context.cancel_url, `${field}/cancel_url`),
    brandName: optionalText(context.brand_name, `${field}/brand_name`, 127),
  };
}

const none = { card: null, saving: null, stored: null, authentication: null, number: null };

function cardSource(card: JsonObject, context: SourceContext): PaymentSource {
  const { instrument, directive } = context;
  const shown = experience(card, 'card');
  if (instrument !== null && 'card' in instrument.facts) {
    const stored = storedCard(card, instrument.facts.card, instrument.token, directive);
    return { origin: 'card', ...shown, ...none, ...stored };
  }
  const saving = readSaving(card, 'card', context);
  if (card.number === undefined) return { origin: 'card_fields', ...shown, ...none, saving };
  return { origin: 'card', ...shown, ...none, saving, ...typedCard(card, context) };
}

function walletSource(paypal: JsonObject, context: SourceContext): PaymentSource {
  const wallet = { origin: 'wallet' as const, ...experience(paypal, 'paypal'), ...none };
  const { instrument } = context;
  if (instrument === null) return { ...wallet, saving: readSaving(paypal, 'paypal', context) };
  return { ...wallet, stored: { token: instrument.token, initiator: readCredential(paypal, 'paypal') } };
}

/** Reads `payment_source`: a typed or saved card, a card to be entered later, a wallet, or nothing yet. */
export function readPaymentSource(body: JsonObject, context: SourceContext): PaymentSource {
  const source = body.payment_source;
  if (source === undefined || source === null) {
    return { origin: 'card_fields', returnUrl: null, cancelUrl: null, brandName: null, ...none };
  }
  const { card, paypal } = requiredObject(source, '/payment_source');
  if (isObject(paypal)) return walletSource(paypal, context);
  if (!isObject(card)) throw malformed('INVALID_PARAMETER_VALUE', '/payment_source');
  return cardSource(card, context);
}

/** The card that the directive for card fields fills in. */
export function filledInCard(now: Date): CardFacts {
  return {
    name: null,
    bin: '411111',
    last4: '1111',
    expiry: `${now.getUTCFullYear() + 3}-03`,
    brand: 'visa',
    avsCode: 'U',
    cvvCode: 'M',
    stoppedBy: null,
    challenge: null,
    threeDSecure: {},
  };
}
