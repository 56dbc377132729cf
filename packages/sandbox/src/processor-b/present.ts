import type { JsonObject } from '../json.ts';
import type { Brand } from '../test-cards.ts';
import type { Authorization, Capture, CardFacts, Order } from './order.ts';
import { payPalAccountId } from './order-request.ts';

/** The bodies of PayPal Orders v2 and Payments v2. */

interface Link {
  readonly href: string;
  readonly rel: string;
  readonly method: 'GET' | 'POST';
}

/** Where the answered request came in, and where buyers reach the pages. */
export interface Addresses {
  readonly api: string;
  readonly pages: string;
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

function buyerLinks(order: Order, addresses: Addresses, rel: 'approve' | 'payer-action'): Link[] {
  if (order.origin === 'wallet' && order.directive === withoutPage) return [];
  const page = order.card === null ? 'approve' : 'challenge';
  const href = `${addresses.pages}/sandbox/processor-b/${page}/${order.id}`;
  return [{ href, rel, method: 'GET' }];
}

function orderLinks(order: Order, addresses: Addresses): Link[] {
  const href = `${addresses.api}/v2/checkout/orders/${order.id}`;
  const self: Link = { href, rel: 'self', method: 'GET' };
  if (order.status === 'PAYER_ACTION_REQUIRED')
    return [self, ...buyerLinks(order, addresses, 'payer-action')];
  if (order.status === 'COMPLETED') return [self];
  const action = order.intent === 'CAPTURE' ? 'capture' : 'authorize';
  const pay: Link = { href: `${href}/${action}`, rel: action, method: 'POST' };
  return order.status === 'CREATED' ? [self, ...buyerLinks(order, addresses, 'approve'), pay] : [self, pay];
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

function authorizationBody(order: Order, authorization: Authorization, addresses: Addresses): JsonObject {
  const href = `${addresses.api}/v2/payments/authorizations/${authorization.id}`;
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
      { href: `${addresses.api}/v2/checkout/orders/${order.id}`, rel: 'up', method: 'GET' },
    ],
  };
}

function captureBody(order: Order, capture: Capture, addresses: Addresses): JsonObject {
  const href = `${addresses.api}/v2/payments/captures/${capture.id}`;
  const { amount, processorResponse } = capture;
  const zero = { ...amount, value: amount.value.replace(/\d/g, '0').replace(/^0+(?=\d)/, '') };
  const breakdown = { gross_amount: amount, paypal_fee: zero, net_amount: amount };
  return {
    id: capture.id,
    status: capture.status,
    amount,
    ...ownIds(order),
    ...networkOf(order.card, capture.networkReference),
    ...sellerProtection,
    final_capture: capture.finalCapture,
    ...(capture.status === 'COMPLETED' ? { seller_receivable_breakdown: breakdown } : {}),
    create_time: capture.createdAt,
    update_time: capture.createdAt,
    ...(processorResponse === null ? {} : { processor_response: processorResponse }),
    links: [
      { href, rel: 'self', method: 'GET' },
      { href: `${href}/refund`, rel: 'refund', method: 'POST' },
      { href: `${addresses.api}/v2/checkout/orders/${order.id}`, rel: 'up', method: 'GET' },
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

/** An authorization by itself (PayPal Payments v2, authorization). */
export function showAuthorization(
  order: Order,
  authorization: Authorization,
  addresses: Addresses,
): JsonObject {
  return { ...authorizationBody(order, authorization, addresses), ...related(order) };
}

/** A capture by itself (PayPal Payments v2, capture). */
export function showCapture(order: Order, capture: Capture, addresses: Addresses): JsonObject {
  return { ...captureBody(order, capture, addresses), ...related(order) };
}

function payments(order: Order, addresses: Addresses): JsonObject {
  const { authorization, capture } = order;
  if (authorization === null && capture === null) return {};
  return {
    payments: {
      ...(authorization === null
        ? {}
        : { authorizations: [authorizationBody(order, authorization, addresses)] }),
      ...(capture === null ? {} : { captures: [captureBody(order, capture, addresses)] }),
    },
  };
}

function cardSource(order: Order, card: CardFacts): JsonObject {
  const { name, last4, expiry, brand, bin } = card;
  return {
    card: {
      ...(name === null || name.length < 2 ? {} : { name }),
      last_digits: last4,
      expiry,
      ...(brand === null ? {} : { brand: brandNames[brand] }),
      type: 'UNKNOWN',
      bin_details: { bin },
      ...(order.authentication === null ? {} : { authentication_result: order.authentication }),
    },
  };
}

function walletSource(order: Order): JsonObject {
  const approved = order.approvedAt !== null;
  const buyer = {
    email_address: 'buyer@example.com',
    account_id: payPalAccountId(order.id),
    account_status: 'VERIFIED',
    name: { given_name: 'Sandbox', surname: 'Buyer' },
  };
  return { paypal: approved ? buyer : {} };
}

function paymentSource(order: Order): JsonObject {
  if (order.card !== null) return { payment_source: cardSource(order, order.card) };
  return order.origin === 'wallet' ? { payment_source: walletSource(order) } : {};
}

/** An order (PayPal Orders v2, order): everything, or with `return=minimal` its id, status and links. */
export function showOrder(order: Order, addresses: Addresses, minimal: boolean): JsonObject {
  const links = orderLinks(order, addresses);
  if (minimal) return { id: order.id, status: order.status, links };
  return {
    id: order.id,
    intent: order.intent,
    status: order.status,
    ...paymentSource(order),
    purchase_units: [{ ...order.unit, ...payments(order, addresses) }],
    create_time: order.createdAt,
    update_time: order.updatedAt,
    links,
  };
}

/** An authorization or capture in the short form of `return=minimal`. */
export function minimalPayment(body: JsonObject): JsonObject {
  const { id, status, links } = body;
  return { id, status, links };
}
