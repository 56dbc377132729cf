import type { TSchema } from 'typebox';
import { Customer, CustomerCreate, CustomerList, CustomerListQuery, CustomerUpdate } from './customer.ts';
import type { ErrorCode } from './error.ts';
import { Event, EventList, EventListQuery } from './event.ts';
import { Payment, PaymentCreate, PaymentList, PaymentListQuery } from './payment.ts';
import { ClockAdvance, PaymentApprove, TestClock } from './sandbox-helpers.ts';

/** One endpoint: what validates it, serialises it and documents it. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify notation, `:id` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly idempotency: 'required' | 'optional' | 'unused';
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Body fields whose absence is 400 `missing_field`; any other absent field is 422 `invalid_params`. */
  readonly missingFields?: readonly string[];
  /** Body fields in which null means "clear"; elsewhere null counts as absent. */
  readonly keepsNull?: boolean;
  /** Body fields that are dropped, not refused, when malformed. */
  readonly lenientFields?: readonly string[];
  readonly answers: Readonly<Record<number, TSchema>>;
  readonly errors: readonly ErrorCode[];
}

export const merchantApi = {
  createCustomer: {
    id: 'createCustomer',
    method: 'POST',
    path: '/api/v1/customers',
    tag: 'Customers',
    summary: 'Create a customer',
    idempotency: 'optional',
    body: CustomerCreate,
    answers: { 201: Customer },
    errors: [
      'missing_field',
      'invalid_params',
      'customer_email_taken',
      'customer_external_id_taken',
      'key_reused',
    ],
  },
  retrieveCustomer: {
    id: 'retrieveCustomer',
    method: 'GET',
    path: '/api/v1/customers/:id',
    tag: 'Customers',
    summary: 'Retrieve a customer',
    idempotency: 'unused',
    answers: { 200: Customer },
    errors: ['not_found'],
  },
  updateCustomer: {
    id: 'updateCustomer',
    method: 'PATCH',
    path: '/api/v1/customers/:id',
    tag: 'Customers',
    summary: 'Update a customer',
    idempotency: 'unused',
    body: CustomerUpdate,
    keepsNull: true,
    answers: { 200: Customer },
    errors: [
      'missing_field',
      'not_found',
      'invalid_params',
      'customer_email_taken',
      'customer_external_id_taken',
    ],
  },
  listCustomers: {
    id: 'listCustomers',
    method: 'GET',
    path: '/api/v1/customers',
    tag: 'Customers',
    summary: 'List customers, most recent first',
    idempotency: 'unused',
    query: CustomerListQuery,
    answers: { 200: CustomerList },
    errors: ['invalid_params'],
  },
  createPayment: {
    id: 'createPayment',
    method: 'POST',
    path: '/api/v1/payments',
    tag: 'Payments',
    summary: 'Create a payment',
    idempotency: 'required',
    body: PaymentCreate,
    missingFields: [
      'amount',
      'currency',
      'payment_method.type',
      'payment_method.number',
      'payment_method.exp_month',
      'payment_method.exp_year',
      'payment_method.cvc',
    ],
    lenientFields: ['billing_address', 'delivery_address'],
    answers: { 200: Payment, 201: Payment },
    errors: [
      'missing_idempotency_key',
      'missing_field',
      'customer_not_found',
      'key_reused',
      'invalid_params',
      'customer_email_taken',
      'customer_external_id_taken',
      'provider_not_configured',
      'processing_not_enabled',
      'processing_not_active',
      'missing_approval_url',
      'provider_error',
      'provider_unavailable',
    ],
  },
  retrievePayment: {
    id: 'retrievePayment',
    method: 'GET',
    path: '/api/v1/payments/:id',
    tag: 'Payments',
    summary: 'Retrieve a payment',
    idempotency: 'unused',
    answers: { 200: Payment },
    errors: ['not_found'],
  },
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    path: '/api/v1/payments',
    tag: 'Payments',
    summary: 'List payments, most recent first',
    idempotency: 'unused',
    query: PaymentListQuery,
    answers: { 200: PaymentList },
    errors: ['invalid_params'],
  },
  confirmPayment: {
    id: 'confirmPayment',
    method: 'POST',
    path: '/api/v1/payments/:id/confirm',
    tag: 'Payments',
    summary: 'Charge what the buyer approved',
    idempotency: 'optional',
    answers: { 200: Payment },
    errors: [
      'not_found',
      'key_reused',
      'invalid_params',
      'provider_not_configured',
      'processing_not_enabled',
      'processing_not_active',
      'provider_error',
      'provider_unavailable',
    ],
  },
  capturePayment: {
    id: 'capturePayment',
    method: 'POST',
    path: '/api/v1/payments/:id/capture',
    tag: 'Payments',
    summary: 'Collect the whole held amount',
    idempotency: 'optional',
    answers: { 200: Payment },
    errors: [
      'not_found',
      'key_reused',
      'invalid_params',
      'provider_not_configured',
      'processing_not_enabled',
      'processing_not_active',
      'provider_error',
      'provider_unavailable',
    ],
  },
  voidPayment: {
    id: 'voidPayment',
    method: 'POST',
    path: '/api/v1/payments/:id/void',
    tag: 'Payments',
    summary: 'Release a hold',
    idempotency: 'optional',
    answers: { 200: Payment },
    errors: [
      'not_found',
      'key_reused',
      'invalid_params',
      'provider_not_configured',
      'provider_error',
      'provider_unavailable',
    ],
  },
  advanceClock: {
    id: 'advanceClock',
    method: 'POST',
    path: '/api/v1/test_helpers/clock/advance',
    tag: 'Test helpers',
    summary: "Move a sandbox account's clock forward",
    idempotency: 'unused',
    body: ClockAdvance,
    answers: { 200: TestClock },
    errors: ['missing_field', 'not_found', 'invalid_params'],
  },
  approvePayment: {
    id: 'approvePayment',
    method: 'POST',
    path: '/api/v1/test_helpers/payments/:id/approve',
    tag: 'Test helpers',
    summary: 'Do what the buyer would do on the approval or challenge page',
    idempotency: 'unused',
    body: PaymentApprove,
    answers: { 200: Payment },
    errors: ['missing_field', 'not_found', 'invalid_params'],
  },
  retrieveEvent: {
    id: 'retrieveEvent',
    method: 'GET',
    path: '/api/v1/events/:id',
    tag: 'Events',
    summary: 'Retrieve an event',
    idempotency: 'unused',
    answers: { 200: Event },
    errors: ['not_found'],
  },
  listEvents: {
    id: 'listEvents',
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Events',
    summary: 'List events, most recent first',
    idempotency: 'unused',
    query: EventListQuery,
    answers: { 200: EventList },
    errors: ['invalid_params'],
  },
} as const satisfies Record<string, Operation>;
