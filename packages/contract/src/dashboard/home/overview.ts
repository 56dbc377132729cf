import { type Static, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';
import { AlertKind } from '../payments/payment-alerts.ts';

export const checklistSteps = [
  'test_payment',
  'test_decline',
  'webhook',
  'test_refund',
  'branding',
  'two_factor',
  'go_live',
] as const;
export type ChecklistStep = (typeof checklistSteps)[number];

/** At most `shown` items of each kind are listed. Their total is counted up to `countedUpTo`. */
export const attentionLimits = {
  shown: 5,
  countedUpTo: 1000,
  holdHours: 72,
  guaranteeHours: 24,
  refundHours: 24,
  cardTestingHours: 24,
} as const;

const Counted = Type.Integer({ minimum: 0, maximum: attentionLimits.countedUpTo });

const Some = <S extends Parameters<typeof Type.Array>[0]>(item: S) =>
  Type.Object({ total: Counted, data: Type.Array(item) });

const Money = { amount: Type.Integer(), currency: Type.String() };

/** What needs a person's attention. Deadlines are in account time, everything else in real time. */
export const Attention = Type.Object({
  /** Disputes that need a response, the nearest deadline first. */
  disputes: Some(
    Type.Object({ id: Type.String(), ...Money, reason: Type.String(), respond_by: Nullable(IsoTime) }),
  ),
  /** Alerts of processors about settled payments that nobody has acknowledged, newest first. */
  alerts: Some(Type.Object({ payment: Type.String(), ...Money, kind: AlertKind, created_at: IsoTime })),
  /** Holds that end within `attentionLimits.holdHours` and were neither captured nor voided. */
  holds: Some(
    Type.Object({
      id: Type.String(),
      ...Money,
      reference: Nullable(Type.String()),
      authorization_expires: IsoTime,
    }),
  ),
  /** Holds whose guarantee ends, or ended, within `attentionLimits.guaranteeHours`, the oldest first. */
  guarantees: Some(
    Type.Object({
      id: Type.String(),
      ...Money,
      reference: Nullable(Type.String()),
      authorization_guaranteed_until: IsoTime,
    }),
  ),
  /** Failed refunds that nobody has acknowledged, newest first. */
  failed_refunds: Some(
    Type.Object({
      id: Type.String(),
      payment: Type.String(),
      ...Money,
      /** The processor's reason, as text for people. */
      reason: Nullable(Type.String()),
      created_at: IsoTime,
    }),
  ),
  /** Endpoints that are failing or were paused. Null if the person's role may not see endpoints. */
  endpoints: Nullable(
    Some(
      Type.Object({
        id: Type.String(),
        name: Nullable(Type.String()),
        url: Type.String(),
        status: Type.Enum(['active', 'paused']),
        paused_reason: Nullable(Type.Enum(['merchant', 'failing'])),
        failing_since: Nullable(IsoTime),
      }),
    ),
  ),
  /**
   * Refunds that have been pending for longer than `attentionLimits.refundHours`, or that the processor has
   * not answered.
   */
  refunds: Some(
    Type.Object({
      id: Type.String(),
      payment: Type.String(),
      ...Money,
      unanswered: Type.Boolean(),
      created_at: IsoTime,
    }),
  ),
  /**
   * Checkout attempts of the last 24 hours that were slowed down or refused because of suspected card
   * testing.
   */
  card_testing: Type.Object({
    slowed: Type.Integer(),
    refused: Type.Integer(),
    /** Number of payments with such attempts. */
    payments: Type.Integer(),
  }),
  /**
   * Operations that the processor has not answered for more than a minute. They are retried automatically.
   */
  in_doubt: Some(
    Type.Object({
      payment: Type.String(),
      ...Money,
      kind: Type.Enum(['charge', 'confirm', 'capture', 'void', 'expire', 'cancel']),
      /** Whether the payment has a page. A payment whose creation was never answered has none yet. */
      shown: Type.Boolean(),
      since: IsoTime,
      next_try_at: Nullable(IsoTime),
    }),
  ),
});
export type Attention = Static<typeof Attention>;

const Step = Type.Object({ id: Type.Enum([...checklistSteps]), done: Type.Boolean() });

/** The top of the home page. */
export const Home = Type.Object({
  checklist: Type.Object({
    /** Whether the person has hidden the checklist. */
    hidden: Type.Boolean(),
    /** In the recommended order. Empty if the checklist is hidden. */
    steps: Type.Array(Step),
  }),
  attention: Attention,
});
export type Home = Static<typeof Home>;

export const overviewOperations = {
  retrieveHome: {
    id: 'retrieveHome',
    method: 'GET',
    path: '/accounts/:account/home',
    roles: rolesFor.viewing,
    answers: { 200: Home },
  },
  /** Applies to the person alone. */
  changeChecklist: {
    id: 'changeChecklist',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/home/checklist',
    roles: rolesFor.viewing,
    body: Type.Object({ hidden: Type.Boolean() }),
    answers: { 200: Done },
    audit: 'checklist.changed',
  },
} as const satisfies Record<string, DashboardOperation>;
