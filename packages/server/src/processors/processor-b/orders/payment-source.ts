import type { Address } from '@till/contract';
import { localeOf } from '../../../lib/text/language-tag.ts';
import type { SaveRequest, StoredInstrument } from '../../port/instruments.ts';
import type { AuthenticationDemand, Buyer, Card, ChargeRequest } from '../../port/port.ts';
import { cut, filled } from '../../wire/text.ts';
import {
  type UpstreamCustomer,
  upstreamCustomer,
  upstreamEmail,
  upstreamName,
  upstreamPhone,
} from '../saved-methods/customer.ts';
import {
  type CardCredential,
  cardVaulting,
  firstCardCredential,
  firstWalletCredential,
  laterCardCredential,
  laterWalletCredential,
  type WalletCredential,
  type WalletVaulting,
  walletVaulting,
} from '../saved-methods/vaulting.ts';
import { cardAddress, type UpstreamAddress, upstreamAddress } from './address.ts';

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
        readonly vault?: typeof cardVaulting | undefined;
      }
    | undefined;
  readonly stored_credential?: CardCredential | undefined;
  readonly experience_context: CardContext;
}

interface CardContext {
  readonly return_url: string;
  readonly cancel_url: string;
}

/** A saved card: the upstream already has its details. */
interface StoredCardSource {
  readonly vault_id: string;
  readonly stored_credential: CardCredential;
  readonly attributes?: { readonly verification: { readonly method: string } } | undefined;
  readonly experience_context?: CardContext;
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
  readonly attributes?:
    | { readonly customer?: UpstreamCustomer | undefined; readonly vault?: WalletVaulting | undefined }
    | undefined;
  readonly stored_credential?: WalletCredential | undefined;
}

interface StoredWalletSource {
  readonly vault_id: string;
  readonly stored_credential: WalletCredential;
}

export type PaymentSource =
  | { readonly card: CardSource | StoredCardSource }
  | { readonly paypal: WalletSource | StoredWalletSource };

/** Builds the payment source of an order. For card fields the card has no number: the buyer's browser adds it later. */
export function paymentSource(request: ChargeRequest): PaymentSource {
  const { instrument } = request;
  switch (instrument.kind) {
    case 'card':
      return { card: cardSource({ ...request, card: instrument.card }) };
    case 'card_fields':
    case 'withheld':
      return { card: cardSource({ ...request, card: null }) };
    case 'wallet':
      return { paypal: walletSource(request) };
    case 'stored':
      return instrument.method === 'card'
        ? { card: storedCardSource(instrument, request) }
        : { paypal: { vault_id: instrument.token, stored_credential: laterWalletCredential(instrument) } };
  }
}

/** A merchant-initiated charge must not request authentication: no buyer is present, and the upstream refuses it. */
function storedCardSource(instrument: StoredInstrument, request: ChargeRequest): StoredCardSource {
  const source = { vault_id: instrument.token, stored_credential: laterCardCredential(instrument) };
  if (instrument.initiator === 'merchant') return source;
  const method = verifications[request.authentication];
  return {
    ...source,
    attributes: method === undefined ? undefined : { verification: { method } },
    experience_context: cardContext(request),
  };
}

/** The data that a charge and a card typed into our page have in common. */
export interface CardPayment {
  readonly card: Card | null;
  readonly buyer: Buyer | null;
  readonly save: SaveRequest | null;
  readonly billingAddress: Address | null;
  readonly authentication: AuthenticationDemand;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/** `payment_source.card` (PayPal REST Orders v2, card_request). */
export function cardSource(payment: CardPayment): CardSource {
  const { card, buyer, save } = payment;
  const method = verifications[payment.authentication];
  return {
    ...(card === null ? {} : cardDetails(card)),
    billing_address: cardAddress(payment.billingAddress),
    attributes:
      method === undefined && buyer === null && save === null
        ? undefined
        : {
            verification: method === undefined ? undefined : { method },
            customer: buyer === null ? undefined : upstreamCustomer(buyer, save),
            vault: save === null ? undefined : cardVaulting,
          },
    stored_credential: save === null ? undefined : firstCardCredential(save.model),
    experience_context: cardContext(payment),
  };
}

const cardContext = ({
  returnUrl,
  cancelUrl,
}: Pick<CardPayment, 'returnUrl' | 'cancelUrl'>): CardContext => ({
  return_url: returnUrl,
  cancel_url: cancelUrl,
});

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

/** Keeps language, script and region: the upstream accepts no other parts of a language tag (PayPal REST docs, `locale`). */
function upstreamLocale(tag: string | null | undefined): string | undefined {
  const { language = '', script, region } = localeOf(tag ?? '') ?? {};
  if (language.length !== 2) return undefined;
  return [language, script, region].filter((part) => part !== undefined).join('-');
}

function walletSource(request: ChargeRequest): WalletSource {
  const { buyer, save } = request;
  return {
    experience_context: {
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
      user_action: 'PAY_NOW',
      // Excludes bank debits: their captures stay pending for days.
      payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
      shipping_preference: shippingPreference(request),
      brand_name: brandName(request.merchantName),
      locale: upstreamLocale(buyer?.locale),
    },
    ...(buyer === null ? {} : walletOwner(buyer)),
    address: upstreamAddress(request.billingAddress),
    attributes:
      buyer === null && save === null
        ? undefined
        : {
            customer: buyer === null ? undefined : upstreamCustomer(buyer, save),
            vault: save === null ? undefined : walletVaulting(save.model),
          },
    stored_credential: save === null ? undefined : firstWalletCredential(save.model),
  };
}

function walletOwner(buyer: Buyer): Partial<WalletSource> {
  const birthDate = buyer.dateOfBirth ?? '';
  return {
    email_address: upstreamEmail(buyer.email),
    name: upstreamName(buyer.name),
    phone: upstreamPhone(buyer.phone),
    birth_date: /^\d{4}-\d{2}-\d{2}$/.test(birthDate) ? birthDate : undefined,
  };
}

function shippingPreference(request: ChargeRequest) {
  if (upstreamAddress(request.deliveryAddress) !== undefined) return 'SET_PROVIDED_ADDRESS';
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
