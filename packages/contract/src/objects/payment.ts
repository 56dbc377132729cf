import { type Static, Type } from 'typebox';
import {
  Amount,
  Currency,
  IdOf,
  ListOf,
  LiveMode,
  Nullable,
  ObjectName,
  PageQuery,
  Ref,
  Text,
  UnixSeconds,
  UnixSecondsFilter,
} from '../primitives/common.ts';
import { methodTypes, nextActionTypes, walletProvider, walletType } from '../primitives/processors.ts';
import { shownFields } from './repeated-fields.ts';

export const PaymentStatus = Type.Enum(['requires_action', 'authorized', 'succeeded', 'failed', 'voided'], {
  description:
    '`requires_action`: waits for its buyer, nothing is charged. `authorized`: the money is held. `succeeded`: it was collected. `failed`: nothing was, and nothing will be. `voided`: a hold that was released.',
});
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
  'not_processed',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export const Failure = Type.Object({
  code: Type.String({ description: `Stable; one of ${failureCodes.join(', ')}. New codes may be added.` }),
  message: Type.String({ description: 'For you, not for the buyer; may change.' }),
});

/** Strings as the processor reported them, never a boolean (spec, "three_d_secure object"). */
export const ThreeDSecure = Type.Object(
  {
    liability_shift: Type.String({
      description: '`POSSIBLE` or `YES`: shift obtained; `NO`, `UNKNOWN`: no shift.',
    }),
    enrollment_status: Type.Optional(
      Type.String({ description: 'Whether the card takes part: `Y`, `N`, or `U` where that is not known.' }),
    ),
    authentication_status: Type.Optional(
      Type.String({
        description:
          'What the bank said: `Y` authenticated, `A` attempted, `N` failed, `R` rejected, `C` asked for a challenge, `U` not possible.',
      }),
    ),
  },
  {
    $id: 'ThreeDSecure',
    description: 'What 3-D Secure came to, as the processor reported it. Absent where nothing was reported.',
  },
);
export type ThreeDSecure = Static<typeof ThreeDSecure>;

const Match = (what: string) =>
  Type.Enum(['match', 'no_match', 'not_checked'], {
    description: `Whether the ${what} fits the issuer's records.`,
  });

export const AvsVerdict = Type.Object(
  {
    code: Type.String({ description: 'As the issuer sent it, such as `Y` or `U`.' }),
    address: Match('street address'),
    postal_code: Match('postal code'),
    cvc: Match('security code'),
  },
  {
    $id: 'AvsVerdict',
    description: `How the issuer compared address and security code with its own records (cards on ${walletProvider}). \`not_checked\`: it did not, or nothing was sent. The payment is not refused for it.`,
  },
);
export type AvsVerdict = Static<typeof AvsVerdict>;

const pixels = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });

export const BrowserInfo = Type.Object(
  {
    user_agent: Type.Optional(Text(2048, '`navigator.userAgent`.')),
    accept_header: Type.Optional(Text(2048, "The header `Accept` of the buyer's request to you.")),
    language: Type.Optional(Text(35, '`navigator.language`.')),
    screen_height: Type.Optional(pixels('`screen.height`, in pixels.')),
    screen_width: Type.Optional(pixels('`screen.width`, in pixels.')),
    color_depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 48, description: '`screen.colorDepth`, in bits.' }),
    ),
    time_zone_offset: Type.Optional(
      Type.Integer({
        minimum: -1440,
        maximum: 1440,
        description: '`Date.prototype.getTimezoneOffset`, in minutes.',
      }),
    ),
    java_enabled: Type.Optional(Type.Boolean({ description: '`navigator.javaEnabled()`.' })),
  },
  { $id: 'BrowserInfo', description: "The buyer's browser, for 3-D Secure and risk checks." },
);
export type BrowserInfo = Static<typeof BrowserInfo>;

export const NextAction = Type.Object(
  {
    type: Type.Enum(nextActionTypes, {
      description: 'What the payment waits for; says which addresses there are.',
    }),
    redirect_url: Type.Optional(
      Type.String({ description: 'Page of the bank or wallet. Confirm when the buyer is back from it.' }),
    ),
    checkout_url: Type.Optional(
      Type.String({ description: 'Hosted page of this payment, which confirms by itself.' }),
    ),
  },
  {
    $id: 'NextAction',
    description: 'Where to send the buyer; only while the payment waits and its 15 minutes are not over.',
  },
);
export type NextAction = Static<typeof NextAction>;

export const PaymentMethodSummary = Type.Object(
  {
    type: Type.Enum(methodTypes, {
      description: `What the request named: a card, card fields, or the wallet (\`${walletType}\`).`,
    }),
    brand: Nullable(
      Type.String(),
      'In lower case, such as `visa`; null for a wallet, and before card fields are confirmed.',
    ),
    last4: Nullable(Type.String(), 'Last four digits of the card; null where `brand` is.'),
    exp_month: Type.Optional(Type.Integer({ description: '1 to 12; on cards only.' })),
    exp_year: Type.Optional(Type.Integer({ description: 'Four digits; on cards only.' })),
  },
  { description: 'What pays, without anything that could be charged.' },
);
export type PaymentMethodSummary = Static<typeof PaymentMethodSummary>;

export const Payment = Type.Object(
  {
    id: IdOf('pay'),
    object: ObjectName('payment'),
    amount: Amount,
    currency: Currency,
    status: PaymentStatus,
    ...shownFields,
    customer: Nullable(Type.String(), 'The `cus_` id; null where none is attached.'),
    payment_method: PaymentMethodSummary,
    payment_method_id: Nullable(
      Type.String(),
      'The `pm_` id of the saved card or wallet. Null: nothing is saved, or not confirmed yet.',
    ),
    capture_method: Type.Optional(Type.Literal('manual', { description: 'On holds only.' })),
    failure: Nullable(Failure, 'Why it has failed, where `status` is `failed`.'),
    authorization_guaranteed_until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'On holds: until then the issuer honours the capture. Absent where that is not known.',
      }),
    ),
    authorization_expires: Type.Optional(
      Type.String({ format: 'date-time', description: 'On holds: after that nothing can be captured.' }),
    ),
    three_d_secure: Type.Optional(Ref(ThreeDSecure)),
    next_action: Type.Optional(Ref(NextAction)),
    avs: Type.Optional(Ref(AvsVerdict)),
    payment_link: Type.Optional(
      Type.String({ description: 'The `pl_` id of the payment link with which the buyer paid.' }),
    ),
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Payment' },
);
export type Payment = Static<typeof Payment>;

export const PaymentList = ListOf(Payment, 'PaymentList');

export const PaymentListQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(PaymentStatus),
  customer: Type.Optional(Type.String({ description: 'The `cus_` id of a customer.' })),
  reference: Type.Optional(Type.String({ description: 'Exact match.' })),
  created_gte: UnixSecondsFilter('Unix seconds, inclusive.'),
  created_lt: UnixSecondsFilter('Unix seconds, exclusive.'),
  payment_method_type: Type.Optional(
    Type.Enum(methodTypes, { description: 'The `payment_method.type` of the payment.' }),
  ),
  payment_link: Type.Optional(Type.String({ description: 'The `pl_` id of a payment link.' })),
});
export type PaymentListQuery = Static<typeof PaymentListQuery>;
