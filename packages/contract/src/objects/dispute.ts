import { type Static, Type } from 'typebox';
import {
  IdOf,
  ListOf,
  LiveMode,
  limits,
  Metadata,
  Nullable,
  ObjectName,
  PageQuery,
  Ref,
  Text,
  UnixSeconds,
  UnixSecondsFilter,
} from '../primitives/common.ts';
import { PaymentMethodSummary } from './payment.ts';

export const disputeStates = [
  'information_request',
  'chargeback',
  'pre_arbitration',
  'scheme_arbitration',
  'second_chargeback',
] as const;

export const disputeStatuses = [
  'new',
  'action_required',
  'challenged',
  'recovered',
  'accepted',
  'lost',
  'won',
] as const;

export const disputeReasons = [
  'fraudulent',
  'authorization',
  'processing_error',
  'duplicate',
  'paid_by_other_means',
  'incorrect_amount',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'credit_not_processed',
  'general',
] as const;

export const evidenceTypes = [
  'receipt',
  'proof_of_delivery',
  'shipping_documentation',
  'customer_communication',
  'customer_signature',
  'service_documentation',
  'refund_policy',
  'cancellation_policy',
  'proof_of_refund',
  'recurring_agreement',
  'duplicate_charge_documentation',
  'access_activity_log',
  'other',
] as const;

/** Limits of one defence. */
export const evidenceLimits = {
  items: 20,
  textLength: 2000,
  reasonCodeLength: 100,
  /** Total size of all files in one defence. */
  filesBytes: 20 * 1024 * 1024,
} as const;

const DisputeState = Type.Enum([...disputeStates], {
  description:
    '`information_request`: the issuer asks for documents, no money has moved. `chargeback`: the money was taken back. `pre_arbitration`: the issuer rejected the defence. `scheme_arbitration`: the card scheme decides. `second_chargeback`: raised again after it was reversed.',
});
const DisputeStatus = Type.Enum([...disputeStatuses], {
  description:
    '`action_required`: accept or defend before `respond_by`. `challenged`: the defence is with the issuer. `accepted`: given up, or not answered in time. `recovered`: lost, and reversed later.',
});
const DisputeReason = Type.Enum([...disputeReasons], {
  description: "Why the buyer disputes it: the card network's reason in words that do not change.",
});
const Time = Type.String({ format: 'date-time' });

export const Dispute = Type.Object(
  {
    id: IdOf('dsp'),
    object: ObjectName('dispute'),
    payment: Type.String({ description: 'The `pay_` id.' }),
    customer: Nullable(Type.String(), 'The `cus_` id; null where none is attached.'),
    amount: Type.Integer({
      description: "In the currency's minor units; may be less than the payment's.",
    }),
    currency: Type.String({ description: 'ISO 4217 code in uppercase.' }),
    state: DisputeState,
    status: DisputeStatus,
    reason: DisputeReason,
    respond_by: Nullable(
      Time,
      'Until when to answer, ISO 8601 in UTC; null where the processor names no deadline.',
    ),
    raised_at: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC.' }),
    payment_method: PaymentMethodSummary,
    arn: Nullable(Type.String(), "The acquirer's reference number, where it was returned."),
    metadata: Metadata,
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'Dispute' },
);
export type Dispute = Static<typeof Dispute>;

export const DisputeList = ListOf(Dispute, 'DisputeList');

export const DisputeListQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(DisputeState),
  status: Type.Optional(DisputeStatus),
  payment: Type.Optional(Type.String({ description: 'The `pay_` id of a payment.' })),
  created_gte: UnixSecondsFilter('Unix seconds, inclusive.'),
  created_lt: UnixSecondsFilter('Unix seconds, exclusive.'),
});
export type DisputeListQuery = Static<typeof DisputeListQuery>;

/** One piece of evidence: a text, an uploaded file, or both. */
export const DisputeEvidence = Type.Object(
  {
    type: Type.Enum([...evidenceTypes], { description: 'What it proves or is.' }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: evidenceLimits.textLength,
        description: 'In words; with a file, or alone.',
      }),
    ),
    file: Type.Optional(Text(limits.textLength, 'The `file_` id of an uploaded file.')),
  },
  { $id: 'DisputeEvidence' },
);
export type DisputeEvidence = Static<typeof DisputeEvidence>;

export const DisputeDefend = Type.Object(
  {
    reason_code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: evidenceLimits.reasonCodeLength,
        description: "One of the processor's defence reasons; the first that fits where none is named.",
      }),
    ),
    statement: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: evidenceLimits.textLength,
        description: 'Why the payment is right, in your own words.',
      }),
    ),
    evidence: Type.Array(Ref(DisputeEvidence), {
      maxItems: evidenceLimits.items,
      description: 'May be empty where a `statement` is sent.',
    }),
  },
  { $id: 'DisputeDefend' },
);
export type DisputeDefend = Static<typeof DisputeDefend>;

/** The dispute that the simulated processor opens. Default: a `chargeback` of the whole payment. */
export const TestDispute = Type.Object(
  {
    state: Type.Optional(DisputeState),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.amountMax,
        description: 'In minor units, at most that of the payment. Left out: all of it.',
      }),
    ),
    reason: Type.Optional(DisputeReason),
  },
  { $id: 'TestDispute' },
);
export type TestDispute = Static<typeof TestDispute>;
