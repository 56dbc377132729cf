import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Amount, Currency, Nullable } from '../../primitives/common.ts';

/** Roles that can have a limit. Owners and admins set it, and viewers cannot refund. */
export const limitedRoles = ['support', 'developer'] as const;
export type LimitedRole = (typeof limitedRoles)[number];

/** Maximum number of currencies with a limit of their own. */
export const maxRefundLimits = 50;

export const RefundLimits = Type.Object({
  role: Type.Enum([...limitedRoles]),
  /** The maximum amount of one refund, by currency. */
  limits: Type.Array(Type.Object({ currency: Currency, amount: Amount }), { maxItems: maxRefundLimits }),
  /** Whether refunds in currencies that `limits` does not contain are allowed. */
  other_currencies: Type.Enum(['unlimited', 'refused']),
});
export type RefundLimits = Static<typeof RefundLimits>;

const RefundLimitsChange = Type.Object({
  role: RefundLimits.properties.role,
  /** Limits of other currencies stay. Null removes the limit of a currency. */
  limits: Type.Optional(
    Type.Array(Type.Object({ currency: Currency, amount: Nullable(Amount) }), {
      maxItems: 2 * maxRefundLimits,
    }),
  ),
  other_currencies: Type.Optional(RefundLimits.properties.other_currencies),
});
export type RefundLimitsChange = Static<typeof RefundLimitsChange>;

/**
 * How much a role may refund at once in the dashboard, the same in the sandbox and live. The limit applies to
 * each single refund, and not to refunds by API key.
 */
export const refundLimitsApi = {
  retrieveRefundLimits: {
    id: 'retrieveRefundLimits',
    method: 'GET',
    path: '/accounts/:account/settings/refund_limits',
    roles: rolesFor.viewing,
    answers: { 200: Type.Object({ data: Type.Array(RefundLimits) }) },
  },
  /** Updates the given limits of one role. */
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
