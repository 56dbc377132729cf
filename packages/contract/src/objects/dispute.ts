import { type Static, Type } from 'typebox';
import {
  ListOf,
  limits,
  Metadata,
  Nullable,
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

/** How much may be submitted with one defence. */
export const evidenceLimits = {
  items: 20,
  textLength: 2000,
  reasonCodeLength: 100,
  /** The files of one defence together. */
  filesBytes: 20 * 1024 * 1024,
} as const;

const DisputeState = Type.Enum([...disputeStates]);
const DisputeStatus = Type.Enum([...disputeStatuses]);
const Deadline = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC.' });

export const Dispute = Type.Object(
  {
    id: Type.String({ pattern: '^dsp_[a-z0-9]{24}$' }),
    object: Type.Literal('dispute'),
    payment: Type.String(),
    customer: Nullable(Type.String()),
    amount: Type.Integer({
      description: "In the currency's minor units; may be less than the payment's.",
    }),
    currency: Type.String(),
    state: DisputeState,
    status: DisputeStatus,
    reason: Type.Enum([...disputeReasons]),
    respond_by: Nullable(Deadline),
    raised_at: Deadline,
    payment_method: PaymentMethodSummary,
    arn: Nullable(Type.String({ description: "The acquirer's reference number, where it was returned." })),
    metadata: Metadata,
    livemode: Type.Boolean(),
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
  payment: Type.Optional(Type.String()),
  created_gte: UnixSecondsFilter('Unix seconds, inclusive.'),
  created_lt: UnixSecondsFilter('Unix seconds, exclusive.'),
});
export type DisputeListQuery = Static<typeof DisputeListQuery>;

/** One piece of evidence: words, an uploaded file, or both. */
export const DisputeEvidence = Type.Object(
  {
    type: Type.Enum([...evidenceTypes]),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: evidenceLimits.textLength })),
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
    statement: Type.Optional(Type.String({ minLength: 1, maxLength: evidenceLimits.textLength })),
    evidence: Type.Array(Ref(DisputeEvidence), { maxItems: evidenceLimits.items }),
  },
  { $id: 'DisputeDefend' },
);
export type DisputeDefend = Static<typeof DisputeDefend>;

/** What the simulated processor opens; a `chargeback` of the whole payment where nothing is said. */
export const TestDispute = Type.Object(
  {
    state: Type.Optional(DisputeState),
    amount: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.amountMax })),
    reason: Type.Optional(Type.Enum([...disputeReasons])),
  },
  { $id: 'TestDispute' },
);
export type TestDispute = Static<typeof TestDispute>;
