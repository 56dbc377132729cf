import type { Approval } from '../objects/approval.ts';
import type { ClientToken } from '../objects/client-token.ts';
import type { Customer } from '../objects/customer.ts';
import type { Dispute } from '../objects/dispute.ts';
import type { Event, EventType } from '../objects/event.ts';
import type { StoredFile } from '../objects/file.ts';
import type { Payment } from '../objects/payment.ts';
import type { PaymentLink } from '../objects/payment-link.ts';
import type { DeletedPaymentMethod, PaymentMethod } from '../objects/payment-method.ts';
import type { Payout, PayoutLine } from '../objects/payout.ts';
import type { Refund } from '../objects/refund.ts';
import { exampleOfFields } from '../objects/repeated-fields.ts';
import type { ErrorBody } from '../primitives/error.ts';

const created = 1_795_176_000;

const payment: Payment = {
  id: 'pay_mwp2q4b0h5n8s2v6x9a3d7g1',
  object: 'payment',
  amount: 4990,
  currency: 'EUR',
  status: 'succeeded',
  ...exampleOfFields,
  customer: null,
  payment_method: { type: 'card', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
  payment_method_id: null,
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

const approval: Approval = {
  id: 'apr_mwp2q4d3n8k1v5s9x2b6g0j4',
  object: 'approval',
  status: 'pending',
  action: 'refund',
  amount: 4990,
  currency: 'EUR',
  resource: payment.id,
  result: null,
  failure: null,
  requested_by: 'key_mwp2q4a0b3c6d9e2f5g8h1i4',
  requester_email: null,
  decided_by: null,
  reason: null,
  expires_at: '2026-11-23T12:00:00Z',
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

const paymentLink: PaymentLink = {
  id: 'pl_mwp2q4f1h6k0n4r8t2w5y9b3',
  object: 'payment_link',
  url: 'https://pay.example/pay/mwp2q4a0c3e6g9j2l5n8q1s4tmwp2q4f1h6k0n4r8t2w5y9b3',
  status: 'active',
  title: 'Pottery course',
  description: null,
  currency: 'EUR',
  amount: 4990,
  amount_range: null,
  max_payments: null,
  payments_count: 3,
  expires_at: '2026-12-31T23:59:59Z',
  reference_label: 'Name of the participant',
  save_payment_method: false,
  success_url: null,
  failure_url: null,
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

const payout: Payout = {
  id: 'po_mwp2q4f3a6c9e2g5j8m1p4r7',
  object: 'payout',
  provider: 'processor_a',
  currency: 'EUR',
  gross: 4490,
  fees: 68,
  net: 4422,
  arrival_date: '2026-11-20',
  lines_count: 3,
  unmatched_count: 0,
  livemode: false,
  created,
};

const payoutLine: PayoutLine = {
  id: 'pol_mwp2q4f3b8d1f4h7k0n3q6s9',
  object: 'payout_line',
  payout: payout.id,
  type: 'payment',
  payment: payment.id,
  refund: null,
  dispute: null,
  gross: 4990,
  fee: 46,
  net: 4944,
  currency: 'EUR',
  upstream_reference: 'QFQTPCQ8HXSKGK82',
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

/** Example responses by the name of their schema. */
export const responseExamples: Readonly<Record<string, object>> = {
  Payment: payment,
  PaymentList: listOf(payment),
  Refund: refund,
  RefundList: listOf(refund),
  Approval: approval,
  ApprovalList: listOf(approval),
  Customer: customer,
  CustomerList: listOf(customer),
  PaymentMethod: paymentMethod,
  PaymentMethodList: listOf(paymentMethod),
  DeletedPaymentMethod: deletedPaymentMethod,
  ClientToken: clientToken,
  PaymentLink: paymentLink,
  PaymentLinkList: listOf(paymentLink),
  Dispute: dispute,
  DisputeList: listOf(dispute),
  File: file,
  Payout: payout,
  PayoutList: listOf(payout),
  PayoutLine: payoutLine,
  PayoutLineList: listOf(payoutLine),
  Event: event,
  EventList: listOf(event),
  Error: error,
  TestClock: { object: 'test_clock', now: '2026-11-20T12:15:01Z' },
};

const paymentWith = (changes: Partial<Payment>): Payment => ({ ...payment, ...changes });
const failed = {
  code: 'do_not_honor',
  message: 'The card issuer declined the payment without giving a reason.',
};
const hold: Partial<Payment> = {
  capture_method: 'manual',
  authorization_guaranteed_until: '2026-11-23T12:00:00Z',
  authorization_expires: '2026-12-19T12:00:00Z',
};
const nextAction = {
  type: 'processor_a_redirect',
  redirect_url: 'https://bank.example/challenge/…',
  checkout_url: 'https://pay.example/checkout/pay/…',
} as const;

/** Example of `data.object` for each event type. Null if it is not a resource of the API. */
export const eventExamples: Readonly<
  Record<EventType, Payment | Refund | Approval | Dispute | PaymentLink | null>
> = {
  'payment.succeeded': payment,
  'payment.failed': paymentWith({ status: 'failed', failure: failed }),
  'payment.requires_action': paymentWith({ status: 'requires_action', next_action: nextAction }),
  'payment.authorized': paymentWith({ status: 'authorized', ...hold }),
  'payment.voided': paymentWith({ status: 'voided', ...hold }),
  'refund.succeeded': { ...refund, status: 'succeeded' },
  'refund.failed': {
    ...refund,
    status: 'failed',
    failure: { code: 'refused', message: 'The processor refused the refund.' },
  },
  'dispute.created': dispute,
  'dispute.updated': { ...dispute, status: 'challenged' },
  'dispute.closed': { ...dispute, status: 'won' },
  'payment_link.created': { ...paymentLink, payments_count: 0 },
  'payment_link.updated': { ...paymentLink, status: 'inactive' },
  'approval.created': approval,
  'approval.decided': {
    ...approval,
    status: 'refused',
    decided_by: 'jane@shop.example',
    reason: 'The goods were not sent back.',
  },
  'endpoint.test': null,
};
