import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import { maskCardNumber } from '../../lib/redact.ts';
import { readTotal } from '../model/amounts.ts';
import { payPalAccountId } from '../model/identities.ts';
import type { Instrument } from '../model/instruments.ts';
import { internetTime, type Order } from '../model/order.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { optionalText, requiredObject } from '../wire/fields.ts';
import { readDirective } from './directives.ts';
import { type PaymentSource, readPaymentSource } from './payment-source.ts';

function readIntent(body: JsonObject): Order['intent'] {
  const { intent } = body;
  if (intent === undefined || intent === null) throw malformed('MISSING_REQUIRED_PARAMETER', '/intent');
  if (intent !== 'CAPTURE' && intent !== 'AUTHORIZE') throw malformed('INVALID_PARAMETER_VALUE', '/intent');
  return intent;
}

function readUnit(body: JsonObject, intent: Order['intent']): JsonObject {
  const units = body.purchase_units;
  if (units === undefined || units === null) throw malformed('MISSING_REQUIRED_PARAMETER', '/purchase_units');
  if (!Array.isArray(units) || units.length === 0) {
    throw malformed('INVALID_PARAMETER_VALUE', '/purchase_units');
  }
  if (units.length > 1) {
    if (intent === 'AUTHORIZE') throw unprocessable('UNSUPPORTED_INTENT', '/intent');
    // PayPal accepts up to ten units, but the merchant's side never sends more than one.
    throw malformed('INVALID_PARAMETER_VALUE', '/purchase_units');
  }
  return requiredObject(units[0], '/purchase_units/0');
}

/** Reads the merchant's own ids of a purchase unit, and checks the other texts. */
function readTexts(unit: JsonObject) {
  const text = (name: string, longest: number) =>
    optionalText(unit[name], `/purchase_units/0/${name}`, longest);
  text('description', 3000);
  text('soft_descriptor', 22);
  return {
    referenceId: text('reference_id', 256),
    customId: text('custom_id', 255),
    invoiceId: text('invoice_id', 127),
  };
}

/** Returns the part of the request that may be stored: everything but the card's number and security code. */
function withoutCardSecrets(body: JsonObject, { number, card: facts }: PaymentSource): JsonObject {
  const source = objectIn(body, 'payment_source');
  if (!isObject(source.card)) return body;
  const { number: _number, security_code: _code, ...card } = source.card;
  const seen = facts === null ? {} : { bin: facts.bin, last_digits: facts.last4 };
  const kept = { ...body, payment_source: { card: { ...card, ...seen } } };
  return number === null ? kept : maskCardNumber(kept, number);
}

const shown = [
  'reference_id',
  'amount',
  'description',
  'custom_id',
  'invoice_id',
  'soft_descriptor',
  'items',
  'shipping',
  'supplementary_data',
];

function shownUnit(received: JsonObject, merchantAccount: string): JsonObject {
  const units = Array.isArray(received.purchase_units) ? received.purchase_units : [];
  const unit: JsonObject = isObject(units[0]) ? units[0] : {};
  const echoed = shown.flatMap((name) => (unit[name] === undefined ? [] : [[name, unit[name]] as const]));
  return {
    reference_id: 'default',
    ...Object.fromEntries(echoed),
    payee: { merchant_id: payPalAccountId(merchantAccount) },
  };
}

/**
 * Returns the part of a payment source's card that may be stored. Masks its number in the holder name as
 * well.
 */
export function knownCard({ card, number }: PaymentSource): Order['card'] {
  if (card === null || card.name === null || number === null) return card;
  return { ...card, name: maskCardNumber(card.name, number) };
}

/**
 * Reads the intent, the amount and the merchant's own ids of a request.
 * @throws Refusal as PayPal does
 */
export function readUnitFacts(
  received: JsonObject,
  { id, merchantAccount }: Pick<Order, 'id' | 'merchantAccount'>,
): Pick<Order, 'intent' | 'reference' | 'invoiceId' | 'money' | 'minorAmount' | 'unit'> {
  const intent = readIntent(received);
  const unit = readUnit(received, intent);
  const { referenceId, customId, invoiceId } = readTexts(unit);
  const { money, minor } = readTotal(unit, '/purchase_units/0');
  return {
    intent,
    reference: customId ?? referenceId ?? id,
    invoiceId,
    money,
    minorAmount: minor,
    unit: shownUnit(received, merchantAccount),
  };
}

/**
 * Reads a new order and applies its payment source, without any effects yet.
 * @throws Refusal as PayPal does
 */
export function readOrderRequest(
  body: JsonObject,
  deps: {
    readonly id: string;
    readonly merchantAccount: string;
    readonly now: Date;
    readonly instrument: Instrument | null;
  },
): Order {
  const { id, merchantAccount, now, instrument } = deps;
  const facts = readUnitFacts(body, { id, merchantAccount });
  const directive = readDirective(body) ?? instrument?.facts.directive ?? null;
  const source = readPaymentSource(body, { merchantAccount, orderId: id, directive, now, instrument });
  const received = withoutCardSecrets(body, source);
  const at = internetTime(now);
  return {
    id,
    merchantAccount,
    ...facts,
    // Replaces the unit in `facts` by one with the card number masked.
    unit: shownUnit(received, merchantAccount),
    status: 'CREATED',
    createdAt: at,
    updatedAt: at,
    approvedAt: null,
    received,
    directive,
    origin: source.origin,
    returnUrl: source.returnUrl,
    cancelUrl: source.cancelUrl,
    brandName: source.brandName,
    card: knownCard(source),
    saving: source.saving,
    vaulted: null,
    stored: source.stored,
    authentication: source.authentication,
    buyer: null,
    authorization: null,
    capture: null,
    refunds: [],
  };
}
