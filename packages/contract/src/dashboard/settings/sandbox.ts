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

/** How many of the newest objects each list of the tools shows. */
export const sandboxLimits = { listed: 10, events: 50 } as const;

const Position = Type.Object({
  state: Type.Enum([...disputeStates]),
  status: Type.Enum([...disputeStatuses]),
});

/** A payment as the tools list it. */
export const SandboxPayment = Type.Object({
  id: Type.String(),
  amount: Amount,
  currency: Type.String(),
  method_type: Type.String(),
  last4: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  created_at: IsoTime,
  /** Until when the buyer can confirm; null where nobody waits. */
  confirm_by: Nullable(IsoTime),
  /** The buyer has come back: it waits for `confirmSandboxPayment`, or for the merchant's server. */
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
  /** Where the issuer or the scheme can take it from here. */
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

/** The account's clock and the newest objects that somebody can be played for. All times are account time. */
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
  /** What happened on the way, oldest first. */
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      object_id: Type.String(),
    }),
  ),
  has_more_events: Type.Boolean(),
  /** Holds whose 3 days of guarantee, and whose 29 days, ended on the way. */
  holds_unguaranteed: Type.Integer(),
  holds_expired: Type.Integer(),
});
export type ClockMove = Static<typeof ClockMove>;

/** One thing that a tester can send, and what then happens. */
export const SandboxTrigger = Type.Object({
  /** Names the case; several triggers may stand for one. */
  id: Type.String(),
  /** Path in the merchant API. */
  field: Type.String(),
  value: Type.String(),
  outcome: Type.String(),
  failure_code: Nullable(Type.String()),
  /** Whether `simulatePayment` takes it; the others belong to refunds. */
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

/** A payment of made-up data. */
export const SimulatedPayment = Type.Object({
  amount: Amount,
  currency: Currency,
  /** `card` where it is not said. */
  method: Type.Optional(Type.Enum(methodTypes)),
  /** One row of the table of triggers; without one the payment is approved. */
  trigger: Type.Optional(Type.Object({ field: Type.Enum([...triggerFields]), value: Text(255) })),
  capture_method: Type.Optional(Type.Enum(['automatic', 'manual'])),
  authentication: Type.Optional(Type.Enum(['automatic', 'always', 'never'])),
  /** Makes a customer with this address and saves the method for them. */
  customer_email: Type.Optional(Type.String({ format: 'email', maxLength: limits.emailLength })),
});
export type SimulatedPayment = Static<typeof SimulatedPayment>;

const tools = '/accounts/:account/sandbox';

/** Moves time and plays buyers, banks and issuers. In a live account they all answer `not_found`. */
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
      /** Words that a row must contain, whatever their case. */
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
  /** To one of the dispute's `next`. */
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
  /** Has the processor pay out what was charged since the last time, and imports its report. */
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
