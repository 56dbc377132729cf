import type { FailureCode } from '@till/contract';
import type { SavedInstrument } from '../../port/instruments.ts';
import type { ChargeFacts, ChargeRequest, NoAnswer, UpstreamIds } from '../../port/port.ts';
import { unknown } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import { webAddress } from '../../wire/text.ts';
import { savedInstrument } from '../saved-methods/vaulting.ts';
import { isAmount } from '../wire/money.ts';
import { avsVerdict } from './processor-response.ts';
import { type AuthenticationResult, authenticationResult, threeDSecure } from './three-d-secure.ts';

/** The request's values that a response has to match before it may change a payment. */
export type ExpectedPayment = Pick<ChargeRequest, 'paymentId' | 'amount' | 'currency'> & {
  /** The charge is merchant-initiated, so a decline may be permanent. */
  readonly offSession?: boolean;
};

/** Like `ExpectedPayment`, if no amount is at stake. */
type NamedPayment = Pick<ChargeRequest, 'paymentId'> & Partial<ExpectedPayment>;

/** An order, as read from a response. */
export interface Order {
  readonly id: string;
  readonly status: string;
  /** The card that pays the order; null if a wallet pays or the card is not known yet. */
  readonly card: JsonObject | null;
  readonly authentication: AuthenticationResult | null;
  /** The instrument that the payment saved for later charges. */
  readonly saved: SavedInstrument | null;
  readonly authorizations: readonly JsonObject[];
  readonly captures: readonly JsonObject[];
  readonly refunds: readonly JsonObject[];
  /** URL where the buyer approves or authenticates. */
  readonly redirectUrl: string | null;
}

/**
 * Reads an order from a response. A body that is not an order, or that is about another payment or amount, counts as no
 * answer (PayPal REST Orders v2, order).
 */
export function readOrder(body: JsonObject, expected: NamedPayment): Order | NoAnswer {
  const id = jsonText(body, 'id') ?? '';
  const status = jsonText(body, 'status');
  // The id is used in URL paths.
  if (!/^[A-Z0-9]{1,36}$/.test(id) || status === null) return unknown('provider_error', 'malformed answer');
  const unit = jsonObjects(body, 'purchase_units')[0] ?? {};
  const difference = differenceOf(unit, expected);
  if (difference !== undefined) return unknown('provider_error', difference);
  const source = jsonObject(body.payment_source);
  const card = source.card === undefined || source.card === null ? null : jsonObject(source.card);
  const payments = jsonObject(unit.payments);
  return {
    id,
    status,
    card,
    authentication: card === null ? null : authenticationResult(card),
    saved: savedInstrument(source),
    authorizations: jsonObjects(payments, 'authorizations'),
    captures: jsonObjects(payments, 'captures'),
    refunds: jsonObjects(payments, 'refunds'),
    redirectUrl: approvalLink(body),
  };
}

/**
 * Compares an order, capture or authorization with the expected payment. Our reference may be absent, but if present it must
 * match.
 */
export function differenceOf(object: JsonObject, expected: NamedPayment): string | undefined {
  const reference = jsonText(object, 'custom_id');
  if (reference !== null && reference !== expected.paymentId) return 'reference differs';
  const { amount, currency } = expected;
  const comparable = amount !== undefined && currency !== undefined && hasAmount(object);
  return comparable && !isAmount(object.amount, amount, currency) ? 'amount differs' : undefined;
}

/** Whether an authorization holds money or still may. */
export const isHeld = (authorization: JsonObject): boolean =>
  ['CREATED', 'PENDING'].includes(jsonText(authorization, 'status') ?? '');

const hasAmount = ({ amount }: JsonObject): boolean => amount !== undefined && amount !== null;

/** Like `differenceOf`, but an object that moves or holds money must also state its amount. */
export const paymentDifference = (payment: JsonObject, expected: ExpectedPayment): string | undefined =>
  differenceOf(payment, expected) ?? (hasAmount(payment) ? undefined : 'amount missing');

const approvalRels: readonly string[] = ['payer-action', 'approve', 'redirect'];

/** The buyer's approval link in an order, or in an error that requires the buyer; null if there is none. */
export function approvalLink(body: JsonObject): string | null {
  const details = jsonObjects(body, 'details').flatMap((detail) => jsonObjects(detail, 'links'));
  const links = [...jsonObjects(body, 'links'), ...details];
  for (const rel of approvalRels) {
    const link = links.find((candidate) => candidate.rel === rel);
    const href = link === undefined ? null : webAddress(jsonText(link, 'href'));
    if (href !== null) return href;
  }
  return null;
}

const renamedBrands: ReadonlyMap<string, string> = new Map([
  ['cb_nationale', 'cartes_bancaires'],
  ['china_union_pay', 'unionpay'],
]);

/** Facts that only the order contains, not its captures and authorizations. */
export type OrderDetails = Pick<Order, 'card' | 'authentication' | 'saved'>;

/** Facts of an order apart from its outcome. `payment` is the capture or authorization that decided the outcome, if any. */
export function orderFacts(
  order: OrderDetails,
  upstream: UpstreamIds,
  payment: JsonObject = {},
): ChargeFacts {
  const card = order.card ?? {};
  const brand = brandName(jsonText(card, 'brand'));
  return {
    upstream,
    brand,
    bin: matching(jsonText(jsonObject(card.bin_details), 'bin'), /^\d{6,8}$/),
    last4: matching(jsonText(card, 'last_digits'), /^\d{4}$/),
    ...expiry(jsonText(card, 'expiry') ?? jsonText(jsonObject(card.from_request), 'expiry')),
    threeDSecure: threeDSecure(order.authentication),
    avs: avsVerdict(jsonObject(payment.processor_response), brand),
    networkTransactionReference: jsonText(jsonObject(payment.network_transaction_reference), 'id'),
    saved: order.saved,
  };
}

function brandName(upstreamBrand: string | null): string | null {
  const brand = upstreamBrand?.toLowerCase() ?? '';
  return /^[a-z][a-z_]{1,29}$/.test(brand) ? (renamedBrands.get(brand) ?? brand) : null;
}

/** Parses an expiry such as `2030-03`. */
function expiry(text: string | null): Pick<ChargeFacts, 'expMonth' | 'expYear'> {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '');
  return match === null
    ? { expMonth: null, expYear: null }
    : { expMonth: Number(match[2]), expYear: Number(match[1]) };
}

const matching = (text: string | null, pattern: RegExp): string | null =>
  text !== null && pattern.test(text) ? text : null;

/** Outcome of an order that failed without a capture or authorization. */
export const declinedOrder = (order: Order, code: FailureCode) =>
  ({ kind: 'declined', code, facts: orderFacts(order, { order: order.id }) }) as const;
