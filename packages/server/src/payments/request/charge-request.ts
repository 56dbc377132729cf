import { type PaymentCreate, type Provider, walletType } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { cardBrand } from '../../lib/cards.ts';
import type { OpenOperation } from '../../operations/operation.ts';
import type {
  Card,
  ChargeInstrument,
  ChargeRequest,
  OrderData,
  ProcessorPort,
} from '../../processors/port/port.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { ClientInfo, StoredRequest } from '../kept-request.ts';
import type { PaymentRow } from '../payment.ts';
import { changeKey } from './charge-keys.ts';
import { statementDescriptor } from './descriptor.ts';
import { reconcile } from './line-items.ts';
import { transactionContext } from './risk.ts';
import { type SentWith, sentBefore } from './sent-with.ts';

/** The statement descriptor for this payment's processor and method, sanitised and cut to length; null: none. */
export const descriptorOf = (payment: PaymentRow, processor: Provider): string | null =>
  statementDescriptor(
    payment.shopper_statement,
    capabilitiesOf(processor).descriptorLimit(methodKind(payment), payment.brand),
  );

const methodKind = ({ method_type: type }: PaymentRow) => (type === walletType ? 'wallet' : 'card');

/** The order data for the processor, reconciled. @throws RangeError if the amounts do not add up, which create has checked */
export function orderOf(request: PaymentCreate): OrderData {
  const result = reconcile(request);
  if (!result.ok) throw new RangeError(result.message);
  return {
    ...result.order,
    ...(request.invoice_id === undefined ? {} : { invoiceId: request.invoice_id }),
    ...(request.description === undefined ? {} : { description: request.description }),
    ...(request.ships_from_postal_code === undefined
      ? {}
      : { shipsFromPostalCode: request.ships_from_postal_code }),
  };
}

/** Builds the charge request to the processor from the stored payment and the request. The same input gives the same request. */
export function toChargeRequest(input: {
  context: AccountContext;
  deps: PaymentDependencies;
  payment: PaymentRow;
  upstreamKey: string;
  /** End of this process' lease on the charge (real time). */
  leaseUntil: Date;
  request: PaymentCreate;
  instrument: ChargeInstrument;
  sent: SentWith;
  isRepeat?: boolean;
}): ChargeRequest {
  const { context, payment, request } = input;
  const { client, addresses, buyer, save } = input.sent;
  const { links } = input.deps;
  const token = links.token(context.accountId, context.livemode, payment.id);
  return {
    paymentId: payment.id,
    upstreamKey: input.upstreamKey,
    commitKey: (upstreamKey, known = {}) =>
      changeKey(input.deps, payment, { upstreamKey, known, leaseUntil: input.leaseUntil }),
    ...(input.isRepeat === true ? { isRepeat: true } : {}),
    amount: payment.amount,
    currency: payment.currency,
    instrument: input.instrument,
    captureMethod: payment.capture_method,
    authentication: payment.authentication,
    returnUrl: links.returnUrl(token),
    cancelUrl: links.cancelUrl(token),
    merchantName: context.accountName,
    reference: payment.reference,
    statementDescriptor: descriptorOf(payment, context.processor),
    buyer,
    billingAddress: addresses.billing,
    deliveryAddress: addresses.delivery,
    shopperIp: shopperIp(payment, request, client),
    deviceFingerprint: request.device_fingerprint ?? null,
    browserInfo: request.browser_info ?? null,
    acceptHeader: client.accept,
    userAgent: client.userAgent,
    order: orderOf(request),
    save,
    riskSession: payment.risk_session,
    transactionContext: capabilitiesOf(context.processor).transactionContext
      ? transactionContext(request)
      : null,
    createdAt: payment.created_at,
  };
}

/** The buyer's IP address if it is known: the one that the merchant sent, else that of a call from our own page. */
export const shopperIp = (
  payment: Pick<PaymentRow, 'merchant_initiated'>,
  request: Pick<PaymentCreate, 'shopper_ip'>,
  client: ClientInfo,
): string | null => request.shopper_ip ?? (payment.merchant_initiated ? null : client.ip);

/**
 * Rebuilds the charge request from stored data. It has neither a typed card nor the token of a saved method: if the upstream
 * never got the first request, this repeat charges nothing, since only the merchant's own retry may charge.
 */
export async function rebuildChargeRequest(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  operation: Pick<OpenOperation, 'upstream_key' | 'lease_until'>,
  stored: StoredRequest,
): Promise<ChargeRequest> {
  return toChargeRequest({
    context,
    deps,
    payment,
    upstreamKey: operation.upstream_key,
    leaseUntil: operation.lease_until,
    request: stored,
    instrument: rebuiltInstrument(payment),
    sent: await sentBefore(deps, context, payment, stored),
  });
}

/** Card fields and wallets need no card data. Of any other instrument only the kind is stored. */
function rebuiltInstrument(payment: PaymentRow): ChargeInstrument {
  const { method_type: type, payment_method_id: stored, merchant_initiated: alone } = payment;
  if (stored === null && type === 'card_fields') return { kind: 'card_fields' };
  if (stored === null && type === walletType) return { kind: 'wallet' };
  return {
    kind: 'withheld',
    method: methodKind(payment),
    initiator: alone ? 'merchant' : 'customer',
  };
}

/** The stored part of a typed card: brand, first six digits, last four digits and expiry. */
export function storedCard(card: Card) {
  return {
    brand: cardBrand(card.number),
    bin: card.number.slice(0, 6),
    last4: card.number.slice(-4),
    exp_month: card.expMonth,
    exp_year: card.expYear,
  };
}

/** Whether the upstream still answers a repeat of the charge's key with its first answer. @param now account time */
export const isKeyRemembered = (payment: PaymentRow, port: ProcessorPort, now: Date): boolean =>
  now.getTime() - payment.created_at.getTime() < port.capabilities.chargeKeyMs;
