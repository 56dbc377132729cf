import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { ChargeRequest } from '../../port/port.ts';
import { cut, filled } from '../../wire/text.ts';
import { paysByWallet } from '../saved-methods/vaulting.ts';
import { type Money, toMoney } from '../wire/money.ts';
import { type UpstreamAddress, upstreamAddress } from './address.ts';
import { type Basket, basket, type UpstreamItem } from './basket.ts';
import { type CardData, cardData } from './level-two-three.ts';
import { type PaymentSource, paymentSource } from './payment-source.ts';

interface PurchaseUnit {
  readonly reference_id: string;
  readonly custom_id: string;
  readonly invoice_id: string;
  readonly description?: string | undefined;
  readonly soft_descriptor?: string | undefined;
  readonly amount: Money & { readonly breakdown?: Basket['breakdown'] | undefined };
  readonly items?: readonly UpstreamItem[] | undefined;
  readonly shipping?: Shipping | undefined;
  readonly supplementary_data?: SupplementaryData | undefined;
}

interface Shipping {
  readonly type: 'SHIPPING';
  readonly name?: { readonly full_name: string } | undefined;
  readonly address: UpstreamAddress;
}

interface SupplementaryData {
  readonly card?: CardData | undefined;
  readonly risk?: { readonly customer: { readonly ip_address: string } } | undefined;
}

/** Body of `POST /v2/checkout/orders`. Undefined members are not sent. */
export interface OrderRequest {
  readonly intent: 'CAPTURE' | 'AUTHORIZE';
  readonly purchase_units: readonly [PurchaseUnit];
  readonly payment_source: PaymentSource;
}

/**
 * Builds the upstream order, or returns undefined if the upstream cannot express the amount. The same charge always produces
 * the same order, member by member, so that a repeat under the same idempotency key sends the same bytes (PayPal REST Orders
 * v2, order_request).
 */
export function orderRequest(request: ChargeRequest): OrderRequest | undefined {
  const amount = toMoney(request.amount, request.currency);
  if (amount === undefined) return undefined;
  const lines = basket(request);
  const description = filled(request.order.description);
  return {
    intent: request.captureMethod === 'manual' ? 'AUTHORIZE' : 'CAPTURE',
    purchase_units: [
      {
        reference_id: request.paymentId,
        custom_id: request.paymentId,
        // Must be unique in the merchant's PayPal account; only our own id certainly is.
        invoice_id: request.paymentId,
        description: description === undefined ? undefined : cut(description, 127),
        soft_descriptor: request.statementDescriptor || undefined,
        amount: { ...amount, breakdown: lines?.breakdown },
        items: lines?.items,
        shipping: shipping(request),
        supplementary_data: supplementaryData(request, lines),
      },
    ],
    payment_source: paymentSource(request),
  };
}

function shipping({ deliveryAddress, buyer }: ChargeRequest): Shipping | undefined {
  const address = upstreamAddress(deliveryAddress);
  const name = filled(buyer?.name);
  if (address === undefined) return undefined;
  return {
    type: 'SHIPPING',
    name: name === undefined ? undefined : { full_name: cut(name, 300) },
    address,
  };
}

function supplementaryData(request: ChargeRequest, lines: Basket | undefined): SupplementaryData | undefined {
  const card = paysByWallet(request.instrument) ? undefined : cardData(request, lines);
  const ip = request.shopperIp ?? '';
  const validIp = isIP(ip) !== 0 && ip.length >= 7 && ip.length <= 39;
  if (card === undefined && !validIp) return undefined;
  return { card, risk: validIp ? { customer: { ip_address: ip } } : undefined };
}

/**
 * `PayPal-Client-Metadata-Id` of a risk session, which also identifies its transaction context: the session id itself if it
 * fits into the header, otherwise its digest. Undefined without a session (PayPal REST docs, "HTTP request headers").
 */
export function metadataId(riskSession: string | null): string | undefined {
  if (!riskSession) return undefined;
  return /^[\x21-\x7e]{1,36}$/.test(riskSession)
    ? riskSession
    : createHash('sha256').update(riskSession).digest('hex').slice(0, 32);
}
