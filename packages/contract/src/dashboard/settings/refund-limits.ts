import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Amount, Currency, Nullable } from '../../primitives/common.ts';

/** Roles that can be held to a limit: owners and admins set it, viewers refund nothing. */
export const limitedRoles = ['support', 'developer'] as const;
export type LimitedRole = (typeof limitedRoles)[number];

/** Currencies with a limit of their own at most. */
export const maxRefundLimits = 50;

export const RefundLimits = Type.Object({
  role: Type.Enum([...limitedRoles]),
  /** The largest amount of one refund, by currency. */
  limits: Type.Array(Type.Object({ currency: Currency, amount: Amount }), { maxItems: maxRefundLimits }),
  /** Refunds in currencies that `limits` does not name. */
  other_currencies: Type.Enum(['unlimited', 'refused']),
});
export type RefundLimits = Static<typeof RefundLimits>;

const RefundLimitsChange = Type.Object({
  role: RefundLimits.properties.role,
  /** Those of other currencies stay. Null: the currency has no limit of its own any more. */
  limits: Type.Optional(
    Type.Array(Type.Object({ currency: Currency, amount: Nullable(Amount) }), {
      maxItems: 2 * maxRefundLimits,
    }),
  ),
  other_currencies: Type.Optional(RefundLimits.properties.other_currencies),
});
export type RefundLimitsChange = Static<typeof RefundLimitsChange>;

/**
 * What a role may refund in the dashboard at once, the same in the sandbox and live. It holds for each refund alone, and
 * not for refunds by API key.
 */
export const refundLimitsApi = {
  retrieveRefundLimits: {
    id: 'retrieveRefundLimits',
    method: 'GET',
    path: '/accounts/:account/settings/refund_limits',
    roles: rolesFor.viewing,
    answers: { 200: Type.Object({ data: Type.Array(RefundLimits) }) },
  },
  /** Changes the limits of one role that are named. */
  updateRefundLimits: {
    id: 'updateRefundLimits',
    method: 'PATCH',
    path: '/accounts/:account/settings/refund_limits',
    roles: rolesFor.managing,
    confirmation: true,
    body: RefundLimitsChange,
    keepsNull: true,
    answers: { 200: RefundLimits },
    audit: 'refund_limits.changed',
  },
} as const satisfies Record<string, DashboardOperation>;
