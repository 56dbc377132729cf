import type { Brand } from '../../directives/cards.ts';
import { type JsonObject, objectIn } from '../../lib/json.ts';
import { moneyOf, walletFee } from '../model/amounts.ts';
import { buyerAddress, sandboxBuyer } from '../model/identities.ts';
import type { Authorization, Capture, CardFacts, Money, Order } from '../model/order.ts';
import { refundedAmount } from '../model/refund-status.ts';

/** The response bodies of PayPal Orders v2 and Payments v2. */

interface Link {
  readonly href: string;
  readonly rel: string;
  readonly method: 'GET' | 'POST';
}

/** The origins of the API and of the buyer pages, and the account's time. */
export interface View {
  readonly api: string;
  readonly pages: string;
  readonly now: Date;
}

const brandNames: Readonly<Record<Brand, string>> = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  amex: 'AMEX',
  discover: 'DISCOVER',
  diners: 'DINERS',
  jcb: 'JCB',
  maestro: 'MAESTRO',
  bancontact: 'MAESTRO',
  cartes_bancaires: 'CB_NATIONALE',
  unionpay: 'CHINA_UNION_PAY',
};

const withoutPage = 'SIM-WALLET-NO-APPROVAL-URL';

function buyerLinks(order: Order, view: View, rel: 'approve' | 'payer-action'): Link[] {
  if (order.origin === 'wallet' && order.directive === withoutPage) return [];
  const page = order.card === null ? 'approve' : 'challenge';
  const href = `${view.pages}/sandbox/processor-b/${page}/${order.id}`;
  return [{ href, rel, method: 'GET' }];
}

function orderLinks(order: Order, view: View): Link[] {
  const href = `${view.api}/v2/checkout/orders/${order.id}`;
  const self: Link = { href, rel: 'self', method: 'GET' };
  if (order.status === 'PAYER_ACTION_REQUIRED') return [self, ...buyerLinks(order, view, 'payer-action')];
  if (order.status === 'COMPLETED') return [self];
  const action = order.intent === 'CAPTURE' ? 'capture' : 'authorize';
  const pay: Link = { href: `${href}/${action}`, rel: action, method: 'POST' };
  return order.status === 'CREATED' ? [self, ...buyerLinks(order, view, 'approve'), pay] : [self, pay];
}

function networkOf(card: CardFacts | null, reference: string | null): JsonObject {
  if (reference === null || card === null || card.brand === null) return {};
  return { network_transaction_reference: { id: reference, network: brandNames[card.brand] } };
}

const sellerProtection = { seller_protection: { status: 'NOT_ELIGIBLE' } };

function ownIds(order: Order): JsonObject {
  return {
    custom_id: order.reference,
    ...(order.invoiceId === null ? {} : { invoice_id: order.invoiceId }),
  };
}

function authorizationBody(order: Order, authorization: Authorization, view: View): JsonObject {
  const href = `${view.api}/v2/payments/authorizations/${authorization.id}`;
  const { createdAt, processorResponse } = authorization;
  return {
    id: authorization.id,
    status: authorization.status,
    amount: order.money,
    ...ownIds(order),
    ...networkOf(order.card, authorization.networkReference),
    ...sellerProtection,
    expiration_time: authorization.expiresAt,
    ...(createdAt === null ? {} : { create_time: createdAt }),
    update_time: authorization.updatedAt,
    ...(processorResponse === null ? {} : { processor_response: processorResponse }),
    links: [
      { href, rel: 'self', method: 'GET' },
      { href: `${href}/capture`, rel: 'capture', method: 'POST' },
      { href: `${href}/void`, rel: 'void', method: 'POST' },
      { href: `${href}/reauthorize`, rel: 'reauthorize', method: 'POST' },
      { href: `${view.api}/v2/checkout/orders/${order.id}`, rel: 'up', method: 'GET' },
    ],
  };
}

/** Zero, with as many decimals as the amount. */
export function zeroOf(amount: Money): Money {
  return { ...amount, value: amount.value.replace(/\d/g, '0').replace(/^0+(?=\d)/, '') };
}

function captureStatus(order: Order, capture: Capture, now: Date): string {
  const refunded = refundedAmount(order, now, 'COMPLETED');
  if (capture.status !== 'COMPLETED' || refunded === 0) return capture.status;
  return refunded < capture.minorAmount ? 'PARTIALLY_REFUNDED' : 'REFUNDED';
}

/**
 * The merchant's share of a capture. PayPal deducts the fees of wallet payments at once and charges those of
 * card payments separately (PayPal, merchant fees).
 */
function receivable(order: Order, { amount, minorAmount }: Capture): JsonObject {
  if (order.card !== null) return { gross_amount: amount, paypal_fee: zeroOf(amount), net_amount: amount };
  const { currency_code } = amount;
  const fee = walletFee(minorAmount, currency_code);
  return {
    gross_amount: amount,
    paypal_fee: moneyOf(fee, currency_code),
    net_amount: moneyOf(minorAmount - fee, currency_code),
  };
}

function captureBody(order: Order, capture: Capture, view: View): JsonObject {
  const href = `${view.api}/v2/payments/captures/${capture.id}`;
  const { amount, processorResponse } = capture;
  return {
    id: capture.id,
    status: captureStatus(order, capture, view.now),
    amount,
    ...ownIds(order),
    ...networkOf(order.card, capture.networkReference),
    ...sellerProtection,
    final_capture: capture.finalCapture,
    ...(capture.status === 'COMPLETED' ? { seller_receivable_breakdown: receivable(order, capture) } : {}),
    create_time: capture.createdAt,
    update_time: capture.createdAt,
    ...(processorResponse === null ? {} : { processor_response: processorResponse }),
    links: [
      { href, rel: 'self', method: 'GET' },
      { href: `${href}/refund`, rel: 'refund', method: 'POST' },
      { href: `${view.api}/v2/checkout/orders/${order.id}`, rel: 'up', method: 'GET' },
    ],
  };
}

function related(order: Order): JsonObject {
  return {
    supplementary_data: {
      related_ids: {
        order_id: order.id,
        ...(order.authorization === null ? {} : { authorization_id: order.authorization.id }),
        ...(order.capture === null ? {} : { capture_id: order.capture.id }),
      },
    },
    payee: order.unit.payee,
  };
}

/** A standalone authorization (PayPal Payments v2, authorization). */
export function showAuthorization(order: Order, authorization: Authorization, view: View): JsonObject {
  return { ...authorizationBody(order, authorization, view), ...related(order) };
}

/** A standalone capture (PayPal Payments v2, capture). */
export function showCapture(order: Order, capture: Capture, view: View): JsonObject {
  return { ...captureBody(order, capture, view), ...related(order) };
}

function payments(order: Order, view: View): JsonObject {
  const { authorization, capture } = order;
  if (authorization === null && capture === null) return {};
  return {
    payments: {
      ...(authorization === null ? {} : { authorizations: [authorizationBody(order, authorization, view)] }),
      ...(capture === null ? {} : { captures: [captureBody(order, capture, view)] }),
    },
  };
}

/** A card without its number (PayPal Orders v2, card_response). */
export function showCard({ name, last4, expiry, brand }: CardFacts): JsonObject {
  return {
    ...(name === null || name.length < 2 ? {} : { name }),
    last_digits: last4,
    expiry,
    ...(brand === null ? {} : { brand: brandNames[brand] }),
  };
}

/** The saved payment source (PayPal Orders v2, vault_response). */
function vaultAttributes({ id, vaulted }: Order, view: View): JsonObject {
  if (vaulted === null) return {};
  const { token, customerId, announced } = vaulted;
  const href = `${view.api}/v3/vault/payment-tokens/${token}`;
  const links = [
    { href, rel: 'self', method: 'GET' },
    { href, rel: 'delete', method: 'DELETE' },
    { href: `${view.api}/v2/checkout/orders/${id}`, rel: 'up', method: 'GET' },
  ];
  const kept = announced ? { id: token, status: 'VAULTED', links } : { status: 'APPROVED' };
  return { attributes: { vault: { ...kept, customer: { id: customerId } } } };
}

function cardSource(order: Order, card: CardFacts, view: View): JsonObject {
  return {
    card: {
      ...showCard(card),
      type: 'UNKNOWN',
      bin_details: { bin: card.bin },
      ...(order.authentication === null ? {} : { authentication_result: order.authentication }),
      ...vaultAttributes(order, view),
    },
  };
}

/** Whether PayPal reveals the owner of the wallet. */
const knowsBuyer = ({ origin, approvedAt, stored }: Order): boolean =>
  origin === 'wallet' && (approvedAt !== null || stored !== null);

function walletSource(order: Order, view: View): JsonObject {
  const { country_code } = buyerAddress;
  const buyer = {
    ...sandboxBuyer,
    account_status: 'VERIFIED',
    address: { country_code },
    ...vaultAttributes(order, view),
  };
  return { paypal: knowsBuyer(order) ? buyer : {} };
}

/** The buyer in the field that older clients read (PayPal Orders v2, order.payer). */
function payer(order: Order): JsonObject {
  if (!knowsBuyer(order)) return {};
  const { name, email_address, account_id } = sandboxBuyer;
  const { country_code } = buyerAddress;
  return { payer: { name, email_address, payer_id: account_id, address: { country_code } } };
}

/**
 * The shipping address: the shop's if it sent one, otherwise the wallet's own, unless the shop's preference
 * excludes that.
 */
function shipping({ unit, origin, approvedAt, received }: Order): JsonObject {
  if (unit.shipping !== undefined || origin !== 'wallet' || approvedAt === null) return {};
  const wallet = objectIn(objectIn(received, 'payment_source'), 'paypal');
  const contexts = [objectIn(wallet, 'experience_context'), objectIn(received, 'application_context')];
  const preference = contexts.map((context) => context.shipping_preference).find((one) => one !== undefined);
  if (preference !== undefined && preference !== 'GET_FROM_FILE') return {};
  const { given_name, surname } = sandboxBuyer.name;
  return { shipping: { name: { full_name: `${given_name} ${surname}` }, address: buyerAddress } };
}

function paymentSource(order: Order, view: View): JsonObject {
  if (order.card !== null) return { payment_source: cardSource(order, order.card, view) };
  return order.origin === 'wallet' ? { payment_source: walletSource(order, view) } : {};
}

/** An order (PayPal Orders v2, order): in full, or with `return=minimal` its id, status and links. */
export function showOrder(order: Order, view: View, minimal: boolean): JsonObject {
  const links = orderLinks(order, view);
  if (minimal) return { id: order.id, status: order.status, links };
  return {
    id: order.id,
    intent: order.intent,
    status: order.status,
    ...paymentSource(order, view),
    ...payer(order),
    purchase_units: [{ ...order.unit, ...shipping(order), ...payments(order, view) }],
    create_time: order.createdAt,
    update_time: order.updatedAt,
    links,
  };
}

/** The short form of an authorization or capture for `return=minimal`. */
export function minimalPayment(body: JsonObject): JsonObject {
  const { id, status, links } = body;
  return { id, status, links };
}
