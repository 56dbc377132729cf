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

/** How many of each kind are named; the number of all stands beside them, counted up to `countedUpTo`. */
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

/** What needs somebody. Deadlines are in account time, everything else in real time. */
export const Attention = Type.Object({
  /** An answer is due; the nearest deadline first. */
  disputes: Some(
    Type.Object({ id: Type.String(), ...Money, reason: Type.String(), respond_by: Nullable(IsoTime) }),
  ),
  /** What processors said against settled payments and nobody has dealt with; the newest first. */
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
  /** Holds whose guarantee ends within `attentionLimits.guaranteeHours`, or did so as recently; the oldest first. */
  guarantees: Some(
    Type.Object({
      id: Type.String(),
      ...Money,
      reference: Nullable(Type.String()),
      authorization_guaranteed_until: IsoTime,
    }),
  ),
  /** Refunds that failed and that nobody has dealt with; the newest first. */
  failed_refunds: Some(
    Type.Object({
      id: Type.String(),
      payment: Type.String(),
      ...Money,
      /** The processor's reason, for people. */
      reason: Nullable(Type.String()),
      created_at: IsoTime,
    }),
  ),
  /** That fail now, or were paused. Null where the person's role does not show endpoints. */
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
  /** Pending for longer than `attentionLimits.refundHours`, or without an answer of the processor. */
  refunds: Some(
    Type.Object({
      id: Type.String(),
      payment: Type.String(),
      ...Money,
      unanswered: Type.Boolean(),
      created_at: IsoTime,
    }),
  ),
  /** Attempts on checkout pages that were slowed down or refused in the last 24 hours, since cards were tried there. */
  card_testing: Type.Object({
    slowed: Type.Integer(),
    refused: Type.Integer(),
    /** At how many payments. */
    payments: Type.Integer(),
  }),
  /** Asked of the processor more than a minute ago, and no answer yet. It is asked again by itself. */
  in_doubt: Some(
    Type.Object({
      payment: Type.String(),
      ...Money,
      kind: Type.Enum(['charge', 'confirm', 'capture', 'void', 'expire', 'cancel']),
      /** Whether the payment has a page: one that was never answered has none yet. */
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
    /** The person does not want to see it. */
    hidden: Type.Boolean(),
    /** In the order in which they are best done. Empty while hidden. */
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
  /** For the person alone. */
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
