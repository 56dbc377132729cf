import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Dispute, disputeReasons, disputeStates, disputeStatuses } from '../../objects/dispute.ts';
import { Payment } from '../../objects/payment.ts';
import { Refund } from '../../objects/refund.ts';
import { approvalOutcomes, ClockAdvance } from '../../objects/sandbox-helpers.ts';
import {
  Amount,
  Currency,
  limits,
  Nullable,
  PageQuery,
  Provider,
  Ref,
  Text,
} from '../../primitives/common.ts';
import { methodTypes } from '../../primitives/processors.ts';
import { ImportedReport } from './imported-report.ts';

/** How many of the newest objects each list of the sandbox tools shows. */
export const sandboxLimits = { listed: 10, events: 50 } as const;

const Position = Type.Object({
  state: Type.Enum([...disputeStates]),
  status: Type.Enum([...disputeStatuses]),
});

/** A payment in the lists of the sandbox tools. */
export const SandboxPayment = Type.Object({
  id: Type.String(),
  amount: Amount,
  currency: Type.String(),
  method_type: Type.String(),
  last4: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  created_at: IsoTime,
  /** Until when the buyer can confirm. Null if the payment does not wait for a buyer. */
  confirm_by: Nullable(IsoTime),
  /**
   * Whether the buyer has returned. The payment then waits for `confirmSandboxPayment` or for the merchant's
   * server.
   */
  buyer_done: Type.Boolean(),
});
export type SandboxPayment = Static<typeof SandboxPayment>;

export const SandboxDispute = Type.Object({
  id: Type.String(),
  payment: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  ...Position.properties,
  respond_by: Nullable(IsoTime),
  /** Positions to which the issuer or the scheme can move the dispute from here. */
  next: Type.Array(Position),
});
export type SandboxDispute = Static<typeof SandboxDispute>;

export const SandboxRefund = Type.Object({
  id: Type.String(),
  payment: Type.String(),
  amount: Amount,
  currency: Type.String(),
  created_at: IsoTime,
});
export type SandboxRefund = Static<typeof SandboxRefund>;

/** The account's clock and the newest objects that the tools can act on. All times are account time. */
export const SandboxState = Type.Object({
  now: IsoTime,
  /** How far the clock is ahead of real time. */
  ahead_seconds: Type.Integer(),
  processor: Provider,
  three_d_secure: Type.Enum(['off', 'enabled', 'always']),
  waiting: Type.Array(SandboxPayment),
  disputable: Type.Array(SandboxPayment),
  disputes: Type.Array(SandboxDispute),
  refunds: Type.Array(SandboxRefund),
});
export type SandboxState = Static<typeof SandboxState>;

export const ClockMove = Type.Object({
  before: IsoTime,
  now: IsoTime,
  /** The events that occurred in the meantime, oldest first. */
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      object_id: Type.String(),
    }),
  ),
  has_more_events: Type.Boolean(),
  /** Number of holds whose 3-day guarantee, or whose 29 days, ended in the meantime. */
  holds_unguaranteed: Type.Integer(),
  holds_expired: Type.Integer(),
});
export type ClockMove = Static<typeof ClockMove>;

/** Something that a tester can send, and its outcome. */
export const SandboxTrigger = Type.Object({
  /** Identifies the test case. Several triggers may belong to one case. */
  id: Type.String(),
  /** Path of the field in the merchant API. */
  field: Type.String(),
  value: Type.String(),
  outcome: Type.String(),
  failure_code: Nullable(Type.String()),
  /** Whether `simulatePayment` accepts it. The other triggers belong to refunds. */
  on_payment: Type.Boolean(),
});
export type SandboxTrigger = Static<typeof SandboxTrigger>;

export const triggerFields = [
  'payment_method.number',
  'payment_method.holder_name',
  'payment_method.cvc',
  'billing_address.line1',
  'description',
  'note',
] as const;

/** A payment with made-up data. */
export const SimulatedPayment = Type.Object({
  amount: Amount,
  currency: Currency,
  /** Default: `card`. */
  method: Type.Optional(Type.Enum(methodTypes)),
  /** One row of the trigger table. Without it the payment is approved. */
  trigger: Type.Optional(Type.Object({ field: Type.Enum([...triggerFields]), value: Text(255) })),
  capture_method: Type.Optional(Type.Enum(['automatic', 'manual'])),
  authentication: Type.Optional(Type.Enum(['automatic', 'always', 'never'])),
  /** Creates a customer with this email address and saves the method for them. */
  customer_email: Type.Optional(Type.String({ format: 'email', maxLength: limits.emailLength })),
});
export type SimulatedPayment = Static<typeof SimulatedPayment>;

const tools = '/accounts/:account/sandbox';

/**
 * Moves the clock and plays buyers, banks and issuers. In a live account all operations respond with
 * `not_found`.
 */
export const sandboxApi = {
  retrieveSandbox: {
    id: 'retrieveSandbox',
    method: 'GET',
    path: tools,
    roles: rolesFor.developing,
    answers: { 200: SandboxState },
  },
  listTriggers: {
    id: 'listTriggers',
    method: 'GET',
    path: `${tools}/triggers`,
    roles: rolesFor.developing,
    query: Type.Object({
      ...PageQuery,
      /** Words that a row must contain, case-insensitive. */
      q: Type.Optional(Text(100)),
      field: Type.Optional(Type.Enum([...triggerFields])),
    }),
    answers: { 200: PageOf(SandboxTrigger) },
  },
  advanceSandboxClock: {
    id: 'advanceSandboxClock',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/clock`,
    roles: rolesFor.developing,
    body: Type.Object({ seconds: ClockAdvance.properties.seconds }),
    answers: { 200: ClockMove },
    audit: 'sandbox.clock_advanced',
  },
  simulatePayment: {
    id: 'simulatePayment',
    method: 'POST',
    movesMoney: true,
    path: `${tools}/payments`,
    roles: rolesFor.developing,
    idempotency: 'required',
    body: SimulatedPayment,
    answers: { 200: Ref(Payment), 201: Ref(Payment) },
    audit: 'sandbox.payment_made',
  },
  playBuyer: {
    id: 'playBuyer',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/payments/:id/approve`,
    roles: rolesFor.developing,
    body: Type.Object({ outcome: Type.Enum([...approvalOutcomes]) }),
    answers: { 200: Ref(Payment) },
    audit: 'sandbox.buyer_played',
  },
  /** Charges what the buyer approved, as the merchant's server would. */
  confirmSandboxPayment: {
    id: 'confirmSandboxPayment',
    method: 'POST',
    movesMoney: true,
    path: `${tools}/payments/:id/confirm`,
    roles: rolesFor.developing,
    idempotency: 'required',
    answers: { 200: Ref(Payment) },
    audit: 'sandbox.payment_confirmed',
  },
  openSandboxDispute: {
    id: 'openSandboxDispute',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/payments/:id/disputes`,
    roles: rolesFor.developing,
    body: Type.Object({
      state: Type.Optional(Type.Enum([...disputeStates])),
      amount: Type.Optional(Amount),
      reason: Type.Optional(Type.Enum([...disputeReasons])),
    }),
    answers: { 201: Ref(Dispute) },
    audit: 'sandbox.dispute_opened',
  },
  /** Moves a dispute to one of its `next` positions. */
  moveSandboxDispute: {
    id: 'moveSandboxDispute',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/disputes/:id/move`,
    roles: rolesFor.developing,
    body: Position,
    answers: { 200: Ref(Dispute) },
    audit: 'sandbox.dispute_moved',
  },
  /** Makes the processor pay out everything charged since the last payout, and imports its report. */
  payOutSandbox: {
    id: 'payOutSandbox',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/payouts`,
    roles: rolesFor.developing,
    answers: { 200: ImportedReport },
    audit: 'sandbox.paid_out',
  },
  settleSandboxRefund: {
    id: 'settleSandboxRefund',
    method: 'POST',
    movesMoney: false,
    path: `${tools}/refunds/:id/settle`,
    roles: rolesFor.developing,
    body: Type.Object({ outcome: Type.Enum(['succeeded', 'failed']) }),
    answers: { 200: Ref(Refund) },
    audit: 'sandbox.refund_settled',
  },
} as const satisfies Record<string, DashboardOperation>;
