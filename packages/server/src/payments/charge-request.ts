import type { PaymentCreate } from '@till/contract';
import type { CustomerRow } from '../customers/store.ts';
import { cardBrand } from '../lib/cards.ts';
import type { AuthenticationDemand, Buyer, Card, ChargeRequest, OrderData } from '../processors/port.ts';
import { resolveAddresses } from './address.ts';
import { statementDescriptor } from './descriptor.ts';
import type { PaymentRow } from './present.ts';

/** What the HTTP request itself told about the buyer's browser, where the merchant's page called us directly. */
export interface ClientInfo {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

function toBuyer(customer: CustomerRow | null): Buyer | null {
  if (customer === null) return null;
  return {
    id: customer.id,
    email: customer.email,
    name: customer.name,
    phone: customer.phone,
    locale: customer.locale,
    dateOfBirth: customer.date_of_birth,
  };
}

/** What the processor is asked, from the stored payment and the request. The same inputs always give the same request. */
export function toChargeRequest(input: {
  payment: PaymentRow;
  upstreamKey: string;
  request: PaymentCreate;
  card: Card;
  order: OrderData;
  customer: CustomerRow | null;
  authentication: AuthenticationDemand;
  returnUrl: string;
  client: ClientInfo;
}): ChargeRequest {
  const { payment, request, card, customer, client } = input;
  const addresses = resolveAddresses(request, customer);
  return {
    paymentId: payment.id,
    upstreamKey: input.upstreamKey,
    amount: payment.amount,
    currency: payment.currency,
    card,
    authentication: input.authentication,
    returnUrl: input.returnUrl,
    reference: payment.reference,
    statementDescriptor: statementDescriptor(payment.shopper_statement, { processor: 'processor_a' }),
    buyer: toBuyer(customer),
    billingAddress: addresses.billing,
    deliveryAddress: addresses.delivery,
    shopperIp: request.shopper_ip ?? client.ip,
    deviceFingerprint: request.device_fingerprint ?? null,
    browserInfo: request.browser_info ?? null,
    acceptHeader: client.accept,
    userAgent: client.userAgent,
    order: input.order,
    createdAt: payment.created_at,
  };
}

/** Brand, first six and last four digits: all that is kept of a typed card. */
export function keptOfCard(card: Card) {
  return {
    brand: cardBrand(card.number),
    bin: card.number.slice(0, 6),
    last4: card.number.slice(-4),
    exp_month: card.expMonth,
    exp_year: card.expYear,
  };
}
