import { type Static, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { PaymentStatus } from '../../objects/payment.ts';
import { Refund, refundReasons } from '../../objects/refund.ts';
import { Currency, limits, Nullable, Ref, Text } from '../../primitives/common.ts';
import { methodTypes } from '../../primitives/processors.ts';
import { TimelineStep } from './payment-detail.ts';
import { AnyOf, CountedPageOf, listLimits } from './payments.ts';

/** The filters of a view of refunds, which apply to the list and to its export. */
const refundFilters = {
  /** An id of the refund or its payment, the upstream's id, or a metadata value. */
  q: Type.Optional(Text(200)),
  status: Type.Optional(AnyOf(['pending', 'succeeded', 'failed'])),
  /** `none`: refunds without a reason. */
  reason: Type.Optional(AnyOf([...refundReasons, 'none'])),
  currency: Type.Optional(Currency),
  payment: Type.Optional(Text(limits.textLength)),
  created_gte: Type.Optional(IsoTime),
  created_lt: Type.Optional(IsoTime),
};

export const RefundsQuery = Type.Object({
  ...refundFilters,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: listLimits.perPage }),
  ),
});
export type RefundsQuery = Static<typeof RefundsQuery>;

export const RefundsExportQuery = Type.Object(refundFilters);
export type RefundsExportQuery = Static<typeof RefundsExportQuery>;

const RefundedPayment = Type.Object({
  id: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  status: PaymentStatus,
  reference: Nullable(Type.String()),
  brand: Nullable(Type.String()),
  last4: Nullable(Type.String()),
  method: Type.Enum(methodTypes),
  /** Refunded or pending, over all refunds of the payment. */
  refunded_amount: Type.Integer(),
});

export const RefundListItem = Type.Object({ refund: Ref(Refund), payment: RefundedPayment });
export type RefundListItem = Static<typeof RefundListItem>;

export const RefundDetail = Type.Object({
  refund: Ref(Refund),
  payment: RefundedPayment,
  /** The processor's own id. Null as long as there is none. */
  upstream_id: Nullable(Type.String()),
  timeline: Type.Array(TimelineStep),
});
export type RefundDetail = Static<typeof RefundDetail>;

/** The refunds of all payments. */
export const refundsApi = {
  listRefunds: {
    id: 'listRefunds',
    method: 'GET',
    path: '/accounts/:account/refunds',
    roles: rolesFor.viewing,
    query: RefundsQuery,
    answers: { 200: CountedPageOf(RefundListItem) },
  },
  /** A CSV file of exactly the refunds that the list shows with these filters, across all pages. */
  exportRefunds: {
    id: 'exportRefunds',
    method: 'GET',
    path: '/accounts/:account/refunds/export',
    roles: rolesFor.viewing,
    query: RefundsExportQuery,
    answers: {},
    audit: 'refunds.exported',
  },
  retrieveRefund: {
    id: 'retrieveRefund',
    method: 'GET',
    path: '/accounts/:account/refunds/:id',
    roles: rolesFor.viewing,
    answers: { 200: RefundDetail },
  },
  /**
   * Records that somebody has dealt with the failure, for example by paying the buyer another way. Repeating
   * it changes nothing.
   */
  acknowledgeFailedRefund: {
    id: 'acknowledgeFailedRefund',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/refunds/:id/acknowledge',
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    answers: { 200: Done },
    audit: 'refund.failure_acknowledged',
  },
} as const satisfies Record<string, DashboardOperation>;
