import type { LineItem } from '@till/contract';
import { parseUrl } from '../../../lib/web/url.ts';
import type { AuthenticationDemand, Buyer, ChargeRequest } from '../../port/port.ts';
import { cut } from '../../wire/text.ts';
import { type InstrumentMembers, instrumentMembers, isOffSession } from '../saved-methods/instrument.ts';
import { addressCountry, type UpstreamAddress, upstreamAddress } from '../wire/address.ts';
import { toUpstreamAmount } from '../wire/money.ts';
import { type UpstreamBrowserInfo, upstreamBrowserInfo, upstreamLocale } from './browser-info.ts';
import { type LevelTwoThree, levelTwoThree } from './level-two-three.ts';

interface UpstreamLineItem {
  readonly id: string;
  readonly description: string;
  readonly quantity: number;
  readonly amountExcludingTax?: number | undefined;
  readonly taxAmount?: number | undefined;
  readonly amountIncludingTax?: number | undefined;
  readonly sku?: string | undefined;
  readonly upc?: string | undefined;
  readonly itemCategory?: string | undefined;
  readonly productUrl?: string | undefined;
  readonly imageUrl?: string | undefined;
}

/** Body of `POST /payments`. Undefined members are not sent. */
export interface PaymentRequest extends InstrumentMembers, Partial<BrowserMembers> {
  readonly amount: { readonly currency: string; readonly value: number };
  readonly merchantAccount: string;
  readonly reference: string;
  readonly merchantOrderReference?: string | undefined;
  readonly returnUrl: string;
  readonly captureDelayHours: 0;
  readonly shopperReference?: string | undefined;
  readonly shopperEmail?: string | undefined;
  readonly shopperName?: { readonly firstName: string; readonly lastName: string } | undefined;
  readonly telephoneNumber?: string | undefined;
  readonly dateOfBirth?: string | undefined;
  readonly shopperLocale?: string | undefined;
  readonly countryCode?: string | undefined;
  readonly shopperIP?: string | undefined;
  readonly deviceFingerprint?: string | undefined;
  readonly billingAddress?: UpstreamAddress | undefined;
  readonly deliveryAddress?: UpstreamAddress | undefined;
  readonly shopperStatement?: string | undefined;
  readonly lineItems: readonly UpstreamLineItem[];
  readonly enhancedSchemeData?: { readonly levelTwoThree: LevelTwoThree } | undefined;
  readonly metadata: { readonly pay: string };
}

/** Members that are sent only if the buyer is present in a browser. */
interface BrowserMembers {
  readonly origin: string | undefined;
  readonly channel: 'Web';
  readonly sessionValidity: string;
  readonly browserInfo: UpstreamBrowserInfo | undefined;
  readonly authenticationData: {
    readonly attemptAuthentication?: 'always' | 'never' | undefined;
    readonly threeDSRequestData: { readonly nativeThreeDS: 'disabled' };
  };
}

const confirmationWindowMs = 15 * 60 * 1000;

/**
 * Builds the upstream's payment request, or returns undefined if the upstream cannot express the amount. The same charge
 * always produces the same request, member by member, so that a repeat under the same idempotency key sends the same bytes
 * (Adyen API, `POST /payments`). Throws if `instrumentMembers` does.
 */
export function paymentRequest(request: ChargeRequest, merchantAccount: string): PaymentRequest | undefined {
  const value = toUpstreamAmount(request.amount, request.currency);
  if (value === undefined) return undefined;
  const enhanced = levelTwoThree(request);
  return {
    amount: { currency: request.currency, value },
    merchantAccount,
    // Our own id: it is unique, is repeated in notifications and identifies the payment in a cancel request. The merchant's
    // reference is not unique.
    reference: request.paymentId,
    merchantOrderReference: request.reference || undefined,
    ...instrumentMembers(request),
    // The upstream requires it even if no buyer is redirected.
    returnUrl: request.returnUrl,
    captureDelayHours: 0,
    ...(isOffSession(request) ? {} : browserMembers(request)),
    ...(request.buyer === null ? {} : shopper(request.buyer)),
    countryCode: addressCountry(request.billingAddress) ?? addressCountry(request.deliveryAddress),
    shopperIP: request.shopperIp || undefined,
    deviceFingerprint: request.deviceFingerprint || undefined,
    billingAddress: upstreamAddress(request.billingAddress),
    deliveryAddress: upstreamAddress(request.deliveryAddress),
    shopperStatement: request.statementDescriptor || undefined,
    lineItems: lineItems(request, value),
    enhancedSchemeData: enhanced === undefined ? undefined : { levelTwoThree: enhanced },
    metadata: { pay: request.paymentId },
  };
}

const browserMembers = (request: ChargeRequest): BrowserMembers => ({
  origin: originOf(request.returnUrl),
  channel: 'Web',
  sessionValidity: new Date(request.createdAt.getTime() + confirmationWindowMs).toISOString(),
  browserInfo: upstreamBrowserInfo(request),
  authenticationData: {
    attemptAuthentication: attempts[request.authentication],
    // The redirect flow needs no upstream script on the merchant's page.
    threeDSRequestData: { nativeThreeDS: 'disabled' },
  },
});

const attempts: Readonly<Record<AuthenticationDemand, 'always' | 'never' | undefined>> = {
  always: 'always',
  automatic: undefined,
  never: 'never',
};

/** Origin of our own page, at most 80 characters. */
function originOf(url: string): string | undefined {
  const origin = parseUrl(url)?.origin ?? '';
  return origin !== '' && origin !== 'null' && origin.length <= 80 ? origin : undefined;
}

function shopper(buyer: Buyer): Partial<PaymentRequest> {
  return {
    shopperReference: buyer.id,
    shopperEmail: buyer.email,
    shopperName: shopperName(buyer.name),
    telephoneNumber: telephoneNumber(buyer.phone),
    // The upstream declares it as date-time, although only the date counts.
    dateOfBirth: buyer.dateOfBirth === null ? undefined : `${buyer.dateOfBirth}T00:00:00Z`,
    shopperLocale: upstreamLocale(buyer.locale),
  };
}

/** Splits a name at its last space. The upstream requires both parts, each of at most 80 characters. */
function shopperName(name: string | null): PaymentRequest['shopperName'] {
  const words = name?.trim().split(/\s+/) ?? [];
  const last = words.length > 1 ? words.pop() : undefined;
  const first = words.join(' ');
  return first === ''
    ? undefined
    : { firstName: cut(first, 80), lastName: last === undefined ? '-' : cut(last, 80) };
}

/** Accepts a plus sign, a country code of 1 to 3 digits and a number of 4 to 15 digits; the upstream ignores anything else. */
function telephoneNumber(phone: string | null): string | undefined {
  const compact = phone?.replace(/[ .-]/g, '') ?? '';
  return /^\+[1-9]\d{4,17}$/.test(compact) ? compact : undefined;
}

/** The order's lines; without any, a single line over the whole amount, named after the order's description. */
function lineItems(request: ChargeRequest, value: number): UpstreamLineItem[] {
  const { lineItems: items, description } = request.order;
  if (items.length === 0) {
    return [{ id: '1', description: description || 'Payment', quantity: 1, amountIncludingTax: value }];
  }
  return items.map((item, index) => upstreamLineItem(item, index, request.currency));
}

/** Leaves out an amount that the upstream cannot express; the total alone decides what is charged. */
function upstreamLineItem(item: LineItem, index: number, currency: string): UpstreamLineItem {
  return {
    id: item.sku || String(index + 1),
    description: item.description || item.name,
    quantity: item.quantity ?? 1,
    amountExcludingTax: toUpstreamAmount(item.unit_amount, currency),
    taxAmount: item.tax === undefined ? undefined : toUpstreamAmount(item.tax, currency),
    amountIncludingTax: toUpstreamAmount(item.unit_amount + (item.tax ?? 0), currency),
    sku: item.sku || undefined,
    upc: item.upc?.code,
    itemCategory: item.category,
    productUrl: item.url || undefined,
    imageUrl: item.image_url || undefined,
  };
}
