import type { ClientTokenCreate } from '../objects/client-token.ts';
import type { CustomerCreate, CustomerUpdate } from '../objects/customer.ts';
import type { DisputeDefend, TestDispute } from '../objects/dispute.ts';
import type { PaymentCreate } from '../objects/payment-create.ts';
import type { PaymentLinkCreate, PaymentLinkUpdate } from '../objects/payment-link.ts';
import type { RefundCreate, RefundSettle } from '../objects/refund.ts';
import type { PaymentApprove } from '../objects/sandbox-helpers.ts';
import { walletProvider, walletType } from '../primitives/processors.ts';

const returnUrls = { success_url: 'https://shop.example/ok', failure_url: 'https://shop.example/failed' };
const card = {
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: 'Jane Smith',
} as const;

/** A request that works in the sandbox without changes, with a unique name. */
export interface RequestExample<Body> {
  readonly name: string;
  readonly summary: string;
  readonly body: Body;
}

const payments: readonly RequestExample<PaymentCreate>[] = [
  {
    name: 'card',
    summary: 'A card, charged at once',
    body: { amount: 4990, currency: 'EUR', reference: 'order-1001', payment_method: card, ...returnUrls },
  },
  {
    name: 'declined',
    summary: 'A card that the issuer declines',
    body: {
      amount: 4990,
      currency: 'EUR',
      payment_method: { ...card, holder_name: 'CCREJECT-REFUSED' },
      ...returnUrls,
    },
  },
  {
    name: 'challenge',
    summary: 'A card that its bank asks the buyer about',
    body: {
      amount: 4990,
      currency: 'EUR',
      payment_method: { ...card, number: '4212345678910006' },
      ...returnUrls,
    },
  },
  {
    name: 'save',
    summary: 'The first charge of a subscription, which saves the card',
    body: {
      amount: 1990,
      currency: 'EUR',
      customer: { email: 'jane@shop.example', name: 'Jane Smith' },
      save_payment_method: true,
      recurring_processing_model: 'subscription',
      payment_method: card,
      ...returnUrls,
    },
  },
  {
    name: 'rebill',
    summary: 'A rebill of a saved card, without the buyer',
    body: {
      amount: 1990,
      currency: 'EUR',
      customer: 'cus_mwp2q4b1k7x0r9s3t5v8w1y4',
      stored_payment_method: 'pm_mwp2q4b3c8d2f6g1h4j7k9m3',
      merchant_initiated: true,
    },
  },
  {
    name: 'wallet',
    summary: `A wallet (${walletProvider})`,
    body: { amount: 4990, currency: 'EUR', payment_method: { type: walletType }, ...returnUrls },
  },
  {
    name: 'card_fields',
    summary: `A card typed on the hosted page (${walletProvider})`,
    body: { amount: 4990, currency: 'EUR', payment_method: { type: 'card_fields' }, ...returnUrls },
  },
  {
    name: 'hold',
    summary: `A hold, to be captured or voided later (${walletProvider})`,
    body: {
      amount: 12_000,
      currency: 'EUR',
      capture_method: 'manual',
      payment_method: card,
      ...returnUrls,
    },
  },
];

const customerCreate: CustomerCreate = {
  email: 'jane@shop.example',
  name: 'Jane Smith',
  locale: 'en-GB',
  billing_address: { line1: '1 High Street', city: 'London', postal_code: 'N1 1AA', country: 'GB' },
};
const customerUpdate: CustomerUpdate = { name: 'Jane Doe' };
const clientTokenCreate: ClientTokenCreate = { domains: ['shop.example'] };
const refundCreate: RefundCreate = { amount: 500, reason: 'requested_by_customer' };
const refundSettle: RefundSettle = { outcome: 'succeeded' };
const paymentApprove: PaymentApprove = { outcome: 'approved' };
const testDispute: TestDispute = { state: 'chargeback', reason: 'product_not_received' };
const disputeDefend: DisputeDefend = {
  statement: 'Delivered on 3 November.',
  evidence: [{ type: 'proof_of_delivery', text: 'Signed for by the buyer.' }],
};

const paymentLinks: readonly RequestExample<PaymentLinkCreate>[] = [
  {
    name: 'fixed',
    summary: 'A course that anybody can pay for',
    body: {
      title: 'Pottery course',
      currency: 'EUR',
      amount: 4990,
      reference_label: 'Name of the participant',
    },
  },
  {
    name: 'invoice',
    summary: 'An invoice that is paid once',
    body: { title: 'Invoice 2026-117', currency: 'EUR', amount: 129_000, max_payments: 1 },
  },
  {
    name: 'open',
    summary: 'A donation of any amount',
    body: { title: 'Donation', currency: 'EUR', amount_range: { min: 100, max: 100_000, suggested: 2000 } },
  },
];
const paymentLinkUpdate: PaymentLinkUpdate = { status: 'inactive' };

const only = (body: object): readonly RequestExample<object>[] => [
  { name: 'example', summary: 'Example', body },
];

/** Example request bodies by the id of their operation. If only one can be shown, it is the first. */
export const requestExamples: Readonly<Record<string, readonly RequestExample<object>[]>> = {
  createPayment: payments,
  createCustomer: only(customerCreate),
  updateCustomer: only(customerUpdate),
  createPaymentLink: paymentLinks,
  updatePaymentLink: only(paymentLinkUpdate),
  createClientToken: only(clientTokenCreate),
  createRefund: only(refundCreate),
  settleRefund: only(refundSettle),
  approvePayment: only(paymentApprove),
  openTestDispute: only(testDispute),
  defendDispute: only(disputeDefend),
  advanceClock: only({ seconds: 901 }),
};
