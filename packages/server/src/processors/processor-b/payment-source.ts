import type { Address } from '@till/contract';
import type { AuthenticationDemand, Buyer, Card, ChargeRequest } from '../port.ts';
import { cut, filled } from '../text.ts';
import { cardAddress, type UpstreamAddress, upstreamAddress } from './address.ts';
import {
  type UpstreamCustomer,
  upstreamCustomer,
  upstreamEmail,
  upstreamName,
  upstreamPhone,
} from './customer.ts';

export interface CardSource {
  readonly number?: string;
  readonly expiry?: string;
  readonly security_code?: string;
  readonly name?: string;
  readonly billing_address?: UpstreamAddress | undefined;
  readonly attributes?:
    | {
        readonly verification?: { readonly method: string } | undefined;
        readonly customer?: UpstreamCustomer | undefined;
      }
    | undefined;
  readonly experience_context: { readonly return_url: string; readonly cancel_url: string };
}

interface WalletSource {
  readonly experience_context: {
    readonly return_url: string;
    readonly cancel_url: string;
    readonly user_action: 'PAY_NOW';
    readonly payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED';
    readonly shipping_preference: 'SET_PROVIDED_ADDRESS' | 'NO_SHIPPING' | 'GET_FROM_FILE';
    readonly brand_name?: string | undefined;
    readonly locale?: string | undefined;
  };
  readonly email_address?: string | undefined;
  readonly name?: object | undefined;
  readonly phone?: object | undefined;
  readonly birth_date?: string | undefined;
  readonly address?: UpstreamAddress | undefined;
  readonly attributes?: { readonly customer: UpstreamCustomer } | undefined;
}

export type PaymentSource = { readonly card: CardSource } | { readonly paypal: WalletSource };

/** What pays an order. Card fields send the card without a number: the buyer's browser fills that in later. */
export function paymentSource(request: ChargeRequest): PaymentSource {
  const { instrument, buyer } = request;
  if (instrument.kind === 'wallet') {
    return { paypal: walletSource(request) };
  }
  const card = instrument.kind === 'card' ? instrument.card : null;
  return { card: cardSource({ ...request, card, buyer }) };
}

/** The parts of a card payment that a charge and a card typed into our page have in common. */
export interface CardPayment {
  readonly card: Card | null;
  readonly buyer: Buyer | null;
  readonly billingAddress: Address | null;
  readonly authentication: AuthenticationDemand;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/** `payment_source.card` (PayPal REST Orders v2, card_request). */
export function cardSource(payment: CardPayment): CardSource {
  const { card, buyer } = payment;
  const method = verifications[payment.authentication];
  return {
    ...(card === null ? {} : cardDetails(card)),
    billing_address: cardAddress(payment.billingAddress),
    attributes:
      method === undefined && buyer === null
        ? undefined
        : {
            verification: method === undefined ? undefined : { method },
            customer: buyer === null ? undefined : upstreamCustomer(buyer),
          },
    experience_context: { return_url: payment.returnUrl, cancel_url: payment.cancelUrl },
  };
}

const verifications: Readonly<Record<AuthenticationDemand, string | undefined>> = {
  always: 'SCA_ALWAYS',
  automatic: 'SCA_WHEN_REQUIRED',
  never: undefined,
};

const cardDetails = (card: Card) => ({
  number: card.number,
  expiry: `${card.expYear}-${String(card.expMonth).padStart(2, '0')}`,
  security_code: card.cvc,
  name: card.holderName,
});

const localePattern = /^[a-z]{2}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/;

function walletSource(request: ChargeRequest): WalletSource {
  const locale = request.buyer?.locale?.replace('_', '-');
  return {
    experience_context: {
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
      user_action: 'PAY_NOW',
      // Keeps out bank debits, whose captures stay pending for days.
      payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
      shipping_preference: shippingPreference(request),
      brand_name: brandName(request.merchantName),
      locale: locale !== undefined && localePattern.test(locale) ? locale : undefined,
    },
    ...(request.buyer === null ? {} : walletOwner(request.buyer)),
    address: upstreamAddress(request.billingAddress),
  };
}

function walletOwner(buyer: Buyer): Partial<WalletSource> {
  const birthDate = buyer.dateOfBirth ?? '';
  return {
    email_address: upstreamEmail(buyer.email),
    name: upstreamName(buyer.name),
    phone: upstreamPhone(buyer.phone),
    birth_date: /^\d{4}-\d{2}-\d{2}$/.test(birthDate) ? birthDate : undefined,
    attributes: { customer: upstreamCustomer(buyer) },
  };
}

function shippingPreference(request: ChargeRequest) {
  if (upstreamAddress(request.deliveryAddress) !== undefined) {
    return 'SET_PROVIDED_ADDRESS';
  }
  const lines = request.order.lineItems;
  const nothingShips =
    lines.length > 0 &&
    lines.every(({ category }) => category === 'DIGITAL_GOODS' || category === 'DONATION');
  return nothingShips ? 'NO_SHIPPING' : 'GET_FROM_FILE';
}

function brandName(name: string): string | undefined {
  const line = filled(name.replace(/\s+/g, ' '));
  return line === undefined ? undefined : cut(line, 127);
}
