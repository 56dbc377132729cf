import { type Static, Type } from 'typebox';
import {
  Amount,
  Currency,
  ListOf,
  limits,
  Nullable,
  PageQuery,
  PartAmount,
  Provider,
  Ref,
  Text,
  UnixSeconds,
} from './common.ts';
import { CustomerCreate } from './customer.ts';
import { LineItem } from './line-item.ts';

export const PaymentStatus = Type.Enum(['requires_action', 'authorized', 'succeeded', 'failed', 'voided']);
export type PaymentStatus = Static<typeof PaymentStatus>;

export const failureCodes = [
  'refused',
  'do_not_honor',
  'expired_card',
  'insufficient_funds',
  'invalid_cvv',
  'invalid_card',
  'restricted_card',
  'declined',
  'lost_card',
  'stolen_card',
  'pickup_card',
  '3ds_failed',
  '3ds_abandoned',
  '3ds_token_expired',
  '3ds_not_available',
  'confirmation_expired',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export const Failure = Type.Object({
  code: Type.String({ description: `Stable; one of ${failureCodes.join(', ')}. New codes may be added.` }),
  message: Type.String(),
});

/** Strings as the processor reported them; never a boolean (spec, "three_d_secure object"). */
export const ThreeDSecure = Type.Object(
  {
    liability_shift: Type.String({
      description: '`POSSIBLE` or `YES`: shift obtained; `NO`, `UNKNOWN`: no shift.',
    }),
    enrollment_status: Type.Optional(Type.String()),
    authentication_status: Type.Optional(Type.String()),
  },
  { $id: 'ThreeDSecure' },
);
export type ThreeDSecure = Static<typeof ThreeDSecure>;

const Match = Type.Enum(['match', 'no_match', 'not_checked']);

export const AvsVerdict = Type.Object(
  { code: Type.String(), address: Match, postal_code: Match, cvc: Match },
  { $id: 'AvsVerdict' },
);
export type AvsVerdict = Static<typeof AvsVerdict>;

export const BrowserInfo = Type.Object(
  {
    user_agent: Type.Optional(Text(2048)),
    accept_header: Type.Optional(Text(2048)),
    language: Type.Optional(Text(35)),
    screen_height: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    screen_width: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    color_depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 48 })),
    time_zone_offset: Type.Optional(Type.Integer({ minimum: -1440, maximum: 1440, description: 'Minutes.' })),
    java_enabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'BrowserInfo' },
);
export type BrowserInfo = Static<typeof BrowserInfo>;

export const NextAction = Type.Object(
  {
    type: Type.Enum([
      'processor_a_redirect',
      'processor_b_card_fields',
      'processor_b_wallet',
      'processor_b_payer_action',
    ]),
    redirect_url: Type.Optional(Type.String()),
    checkout_url: Type.Optional(Type.String()),
  },
  { $id: 'NextAction' },
);
export type NextAction = Static<typeof NextAction>;

export const PaymentMethodSummary = Type.Object({
  type: Type.Enum(['card', 'card_fields', 'processor_b']),
  brand: Nullable(Type.String()),
  last4: Nullable(Type.String()),
  exp_month: Type.Optional(Type.Integer()),
  exp_year: Type.Optional(Type.Integer()),
});
export type PaymentMethodSummary = Static<typeof PaymentMethodSummary>;

export const Payment = Type.Object(
  {
    id: Type.String({ pattern: '^pay_[a-z0-9]{24}$' }),
    object: Type.Literal('payment'),
    amount: Amount,
    currency: Currency,
    status: PaymentStatus,
    reference: Nullable(Type.String()),
    shopper_statement: Nullable(Type.String()),
    customer: Nullable(Type.String()),
    payment_method: PaymentMethodSummary,
    payment_method_id: Nullable(Type.String()),
    renews_payment: Nullable(Type.String()),
    capture_method: Type.Optional(Type.Literal('manual')),
    failure: Nullable(Failure),
    authorization_guaranteed_until: Type.Optional(Type.String({ format: 'date-time' })),
    authorization_expires: Type.Optional(Type.String({ format: 'date-time' })),
    three_d_secure: Type.Optional(Ref(ThreeDSecure)),
    next_action: Type.Optional(Ref(NextAction)),
    avs: Type.Optional(Ref(AvsVerdict)),
    livemode: Type.Boolean(),
    created: UnixSeconds,
  },
  { $id: 'Payment' },
);
export type Payment = Static<typeof Payment>;

/** Card details are checked further in code: which are required depends on `type` (spec, "Payment create request fields"). */
export const PaymentMethodInput = Type.Object({
  type: Type.Enum(['card', 'card_fields', 'processor_b']),
  number: Type.Optional(
    Type.String({
      pattern: '^[0-9](?:[ -]*[0-9]){11,18}$',
      maxLength: 64,
      description: '12 to 19 digits.',
      writeOnly: true,
    }),
  ),
  exp_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })),
  exp_year: Type.Optional(
    Type.Integer({ minimum: 1000, maximum: 9999, description: 'Four digits; the month must not be over.' }),
  ),
  cvc: Type.Optional(
    Type.String({ pattern: '^[0-9]{3,4}$', description: '3 or 4 digits.', writeOnly: true }),
  ),
  holder_name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type PaymentMethodInput = Static<typeof PaymentMethodInput>;

/** `format: https-url`: an absolute https URL without fragment or credentials. */
const ReturnUrl = Type.String({
  format: 'https-url',
  maxLength: limits.urlLength,
  description: 'An https:// URL without fragment.',
});

const stcValue = Type.Union([Type.String({ maxLength: 2000 }), Type.Number(), Type.Boolean()]);

export const PaymentCreate = Type.Object(
  {
    amount: Amount,
    currency: Currency,
    customer: Type.Optional(
      Type.Union([Type.String({ maxLength: 255, description: 'A `cus_` id.' }), Ref(CustomerCreate)], {
        description: 'A `cus_` id or an object with the fields of a new customer.',
      }),
    ),
    billing_address: Type.Optional(
      Type.Unsafe<unknown>({
        $ref: 'Address',
        description: "Overrides the customer's for this payment; a malformed one is ignored.",
      }),
    ),
    delivery_address: Type.Optional(Type.Unsafe<unknown>({ $ref: 'Address' })),
    reference: Type.Optional(Text(limits.referenceLength)),
    shopper_statement: Type.Optional(Text(1000)),
    capture_method: Type.Optional(Type.Enum(['automatic', 'manual'])),
    payment_method: Type.Optional(PaymentMethodInput),
    line_items: Type.Optional(Type.Array(Ref(LineItem), { maxItems: limits.lineItems })),
    tax_amount: Type.Optional(PartAmount),
    shipping_amount: Type.Optional(PartAmount),
    handling_amount: Type.Optional(PartAmount),
    discount_amount: Type.Optional(PartAmount),
    duty_amount: Type.Optional(PartAmount),
    invoice_id: Type.Optional(Text(127)),
    description: Type.Optional(Text(3000)),
    ships_from_postal_code: Type.Optional(Text(60)),
    stc: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), stcValue, {
        maxProperties: 100,
        additionalProperties: false,
        description: 'processor_b only: flat object of at most 100 snake_case keys with scalar values.',
      }),
    ),
    save_payment_method: Type.Optional(Type.Boolean()),
    stored_payment_method: Type.Optional(Text(255, 'A `pm_` id.')),
    use_last_payment_method: Type.Optional(Type.Boolean()),
    merchant_initiated: Type.Optional(Type.Boolean()),
    recurring_processing_model: Type.Optional(
      Type.Enum(['card_on_file', 'subscription', 'unscheduled_card_on_file']),
    ),
    renews_payment: Type.Optional(Text(255, 'A `pay_` id.')),
    shopper_ip: Type.Optional(Type.String({ format: 'ip', description: 'An IPv4 or IPv6 address.' })),
    device_fingerprint: Type.Optional(Text(5000)),
    browser_info: Type.Optional(Ref(BrowserInfo)),
    success_url: Type.Optional(ReturnUrl),
    failure_url: Type.Optional(ReturnUrl),
    authentication: Type.Optional(Type.Enum(['automatic', 'always', 'never'])),
    provider: Type.Optional(Provider),
  },
  { $id: 'PaymentCreate' },
);
export type PaymentCreate = Static<typeof PaymentCreate>;

export const PaymentList = ListOf(Payment, 'PaymentList');

export const PaymentListQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(PaymentStatus),
  customer: Type.Optional(Type.String()),
  reference: Type.Optional(Type.String()),
  created_gte: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds, inclusive.' })),
  created_lt: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds, exclusive.' })),
  payment_method_type: Type.Optional(Type.Enum(['card', 'card_fields', 'processor_b'])),
});
export type PaymentListQuery = Static<typeof PaymentListQuery>;
