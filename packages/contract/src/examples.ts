import type { ClientToken, ClientTokenCreate } from './client-token.ts';
import type { Customer, CustomerCreate, CustomerUpdate } from './customer.ts';
import type { Dispute, DisputeDefend, TestDispute } from './dispute.ts';
import type { ErrorBody } from './error.ts';
import type { Event } from './event.ts';
import type { StoredFile } from './file.ts';
import type { Payment } from './payment.ts';
import type { PaymentCreate } from './payment-create.ts';
import type { DeletedPaymentMethod, PaymentMethod } from './payment-method.ts';
import type { Refund, RefundCreate, RefundSettle } from './refund.ts';
import type { PaymentApprove } from './sandbox-helpers.ts';

const created = 1_795_176_000;
const returnUrls = { success_url: 'https://shop.example/ok', failure_url: 'https://shop.example/failed' };
const card = {
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: 'Jane Smith',
} as const;

/** A request that works in the sandbox as it stands, by a name of its own. */
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
    summary: 'A wallet (processor_b)',
    body: { amount: 4990, currency: 'EUR', payment_method: { type: 'processor_b' }, ...returnUrls },
  },
  {
    name: 'card_fields',
    summary: 'A card typed on the hosted page (processor_b)',
    body: { amount: 4990, currency: 'EUR', payment_method: { type: 'card_fields' }, ...returnUrls },
  },
  {
    name: 'hold',
    summary: 'A hold, to be captured or voided later (processor_b)',
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

const only = (body: object): readonly RequestExample<object>[] => [
  { name: 'example', summary: 'Example', body },
];

/** Bodies of requests, by the id of their operation. The first one is shown where only one can be. */
export const requestExamples: Readonly<Record<string, readonly RequestExample<object>[]>> = {
  createPayment: payments,
  createCustomer: only(customerCreate),
  updateCustomer: only(customerUpdate),
  createClientToken: only(clientTokenCreate),
  createRefund: only(refundCreate),
  settleRefund: only(refundSettle),
  approvePayment: only(paymentApprove),
  openTestDispute: only(testDispute),
  defendDispute: only(disputeDefend),
  advanceClock: only({ seconds: 901 }),
};

const payment: Payment = {
  id: 'pay_mwp2q4b0h5n8s2v6x9a3d7g1',
  object: 'payment',
  amount: 4990,
  currency: 'EUR',
  status: 'succeeded',
  reference: 'order-1001',
  shopper_statement: null,
  customer: null,
  payment_method: { type: 'card', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
  payment_method_id: null,
  renews_payment: null,
  failure: null,
  three_d_secure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
  livemode: false,
  created,
};

const refund: Refund = {
  id: 're_mwp2q4c5k2m7p1r6t0w4z8b3',
  object: 'refund',
  payment: payment.id,
  amount: 500,
  currency: 'EUR',
  status: 'pending',
  reason: 'requested_by_customer',
  note: null,
  failure: null,
  metadata: {},
  livemode: false,
  created,
};

const customer: Customer = {
  id: 'cus_mwp2q4b1k7x0r9s3t5v8w1y4',
  object: 'customer',
  email: 'jane@shop.example',
  name: 'Jane Smith',
  phone: null,
  locale: 'en-GB',
  external_id: null,
  billing_address: { line1: '1 High Street', city: 'London', postal_code: 'N1 1AA', country: 'GB' },
  delivery_address: null,
  date_of_birth: null,
  metadata: {},
  livemode: false,
  created,
};

const paymentMethod: PaymentMethod = {
  id: 'pm_mwp2q4b3c8d2f6g1h4j7k9m3',
  object: 'payment_method',
  type: 'card',
  customer: customer.id,
  brand: 'visa',
  last4: '1111',
  bin: '411111',
  exp_month: 3,
  exp_year: 2032,
  recurring_processing_model: 'subscription',
  provider: 'processor_a',
  status: 'active',
  livemode: false,
  created,
};

const deletedPaymentMethod: DeletedPaymentMethod = {
  id: paymentMethod.id,
  object: 'payment_method',
  deleted: true,
};

const clientToken: ClientToken = {
  object: 'client_token',
  client_token: 'eyJhbGciOi…',
  client_id: 'AX2kB…',
  provider: 'processor_b',
  customer: null,
  created,
  expires_at: '2026-11-20T12:15:00Z',
};

const dispute: Dispute = {
  id: 'dsp_mwp2q4d9f3h7k1n5q8s2v6y0',
  object: 'dispute',
  payment: payment.id,
  customer: null,
  amount: 4990,
  currency: 'EUR',
  state: 'chargeback',
  status: 'action_required',
  reason: 'product_not_received',
  respond_by: '2026-11-30T12:00:00Z',
  raised_at: '2026-11-20T12:00:00Z',
  payment_method: payment.payment_method,
  arn: null,
  metadata: {},
  livemode: false,
  created,
};

const file: StoredFile = {
  id: 'file_mwp2q4e4g8j2m6p9r3t7w1z5',
  object: 'file',
  name: 'receipt.pdf',
  content_type: 'application/pdf',
  size: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  livemode: false,
  created,
};

const event: Event = {
  id: 'evt_mwp2q4b2e6h9k3n7q1s5v8y2',
  object: 'event',
  type: 'payment.succeeded',
  created,
  livemode: false,
  sequence: 1,
  data: { object: payment },
};

const error: ErrorBody = {
  error: {
    type: 'validation_error',
    code: 'invalid_params',
    message: 'amount must be an integer from 1 to 999999999999.',
    param: 'amount',
    doc_url: 'http://127.0.0.1:8080/docs/errors#invalid_params',
    request_id: 'req_mwp2q4a7c1f5h9k3n6q0s4v8',
  },
};

const listOf = (item: object) => ({ object: 'list', data: [item], has_more: false, total_count: 1 });

/** Answers, by the name of their schema. */
export const answerExamples: Readonly<Record<string, object>> = {
  Payment: payment,
  PaymentList: listOf(payment),
  Refund: refund,
  RefundList: listOf(refund),
  Customer: customer,
  CustomerList: listOf(customer),
  PaymentMethod: paymentMethod,
  PaymentMethodList: listOf(paymentMethod),
  DeletedPaymentMethod: deletedPaymentMethod,
  ClientToken: clientToken,
  Dispute: dispute,
  DisputeList: listOf(dispute),
  File: file,
  Event: event,
  EventList: listOf(event),
  Error: error,
  TestClock: { object: 'test_clock', now: '2026-11-20T12:15:01Z' },
};
