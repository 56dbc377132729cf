import { type Static, type TSchema, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Approval } from '../../objects/approval.ts';
import { failureCodes, Payment } from '../../objects/payment.ts';
import { Refund, refundReasons } from '../../objects/refund.ts';
import { Amount, Currency, limits, Nullable, Ref, Text } from '../../primitives/common.ts';
import { methodTypes } from '../../primitives/processors.ts';
import { AlertKind } from './payment-alerts.ts';
import { PaymentDetail } from './payment-detail.ts';

/** How far filtered lists reach. Further results need a narrower filter. */
export const listLimits = {
  perPage: 50,
  /** A filtered list counts up to this many rows. `total_is_exact` is false if there may be more. */
  countedRows: 10_000,
  /** Pages beyond this row need a narrower filter. */
  filteredRows: 10_000,
  /** How many of the newest payments in the period are scanned if no index supports the filters. */
  searchedRows: 250_000,
  /** For how many customers that match a search the payments are looked up. */
  searchedCustomers: 200,
} as const;

/** One or more of the given words in one parameter, separated by commas. */
export const AnyOf = (words: readonly string[]) =>
  Type.String({
    pattern: `^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$`,
    maxLength: 500,
    description: `one or more of ${words.join(', ')}, separated by commas`,
  });

const AmountBound = Type.Integer({ minimum: 0, maximum: limits.amountMax });

/** The filters of a view of payments, which apply to the list and to its export. */
const paymentFilters = {
  /**
   * A search text: an id, a reference, an email address, a name, the last four digits, an upstream's id, …
   */
  q: Type.Optional(Text(200)),
  status: Type.Optional(AnyOf(['requires_action', 'authorized', 'succeeded', 'failed', 'voided'])),
  method: Type.Optional(AnyOf(methodTypes)),
  brand: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_]{1,30}(?:,[a-z0-9_]{1,30}){0,19}$',
      description: 'brands in lower case, separated by commas',
    }),
  ),
  capture_method: Type.Optional(Type.Enum(['automatic', 'manual'])),
  failure_code: Type.Optional(AnyOf(failureCodes)),
  currency: Type.Optional(Currency),
  /**
   * In minor units. Both bounds need `currency`, since amounts in different currencies are not comparable.
   */
  amount_gte: Type.Optional(AmountBound),
  amount_lte: Type.Optional(AmountBound),
  created_gte: Type.Optional(IsoTime),
  created_lt: Type.Optional(IsoTime),
  customer: Type.Optional(Text(limits.textLength)),
  /** The id of a payment link. */
  payment_link: Type.Optional(Text(limits.textLength)),
  /** Sorting by amount needs `currency`. */
  sort: Type.Optional(Type.Enum(['-created', 'created', '-amount', 'amount'])),
};

export const PaymentsQuery = Type.Object({
  ...paymentFilters,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: listLimits.perPage }),
  ),
});
export type PaymentsQuery = Static<typeof PaymentsQuery>;

export const PaymentsExportQuery = Type.Object(paymentFilters);
export type PaymentsExportQuery = Static<typeof PaymentsExportQuery>;

/** A page of a list that is counted up to a limit. */
export const CountedPageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    /** The exact count, or a lower bound. */
    total_count: Type.Integer(),
    total_is_exact: Type.Boolean(),
    /**
     * Payments created before this time were not searched. To continue, use it as `created_lt`. Null if
     * everything was searched.
     */
    searched_back_to: Nullable(IsoTime),
  });

export const PaymentListItem = Type.Object({
  payment: Ref(Payment),
  customer: Nullable(Type.Object({ id: Type.String(), email: Type.String(), name: Nullable(Type.String()) })),
  /** Refunded or pending, in minor units. */
  refunded_amount: Type.Integer(),
  /** A refund failed, and nobody has acknowledged that. */
  refund_failed: Type.Boolean(),
  disputed: Type.Boolean(),
});
export type PaymentListItem = Static<typeof PaymentListItem>;

/**
 * The amount that the person saw and typed. The request is rejected if it differs from the payment's amount.
 */
const SeenAmount = Type.Object({ amount: Amount });

const onPayment = '/accounts/:account/payments/:id';
const money = { roles: rolesFor.money, sandboxRoles: ['developer'] } as const;

/** The search for payments, and the operations on a payment. */
export const paymentsApi = {
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    path: '/accounts/:account/payments',
    roles: rolesFor.viewing,
    query: PaymentsQuery,
    answers: { 200: CountedPageOf(PaymentListItem) },
  },
  /** A CSV file of exactly the payments that the list shows with these filters, across all pages. */
  exportPayments: {
    id: 'exportPayments',
    method: 'GET',
    path: '/accounts/:account/payments/export',
    roles: rolesFor.viewing,
    query: PaymentsExportQuery,
    answers: {},
    audit: 'payments.exported',
  },
  retrievePayment: {
    id: 'retrievePayment',
    method: 'GET',
    path: onPayment,
    roles: rolesFor.viewing,
    answers: { 200: PaymentDetail },
  },
  capturePayment: {
    id: 'capturePayment',
    method: 'POST',
    movesMoney: true,
    path: `${onPayment}/capture`,
    ...money,
    idempotency: 'required',
    body: SeenAmount,
    answers: { 200: Ref(Payment), 202: Ref(Approval) },
    audit: 'payment.captured',
  },
  voidPayment: {
    id: 'voidPayment',
    method: 'POST',
    movesMoney: true,
    path: `${onPayment}/void`,
    ...money,
    idempotency: 'required',
    body: SeenAmount,
    answers: { 200: Ref(Payment) },
    audit: 'payment.voided',
  },
  refundPayment: {
    id: 'refundPayment',
    method: 'POST',
    movesMoney: true,
    path: `${onPayment}/refunds`,
    ...money,
    idempotency: 'required',
    body: Type.Object({
      amount: Amount,
      reason: Type.Optional(Type.Enum([...refundReasons])),
      note: Type.Optional(Text(limits.refundNoteLength)),
    }),
    codes: { amount: 'amount_invalid' },
    answers: { 201: Ref(Refund), 202: Ref(Approval) },
    audit: 'payment.refunded',
  },
  /** Records that somebody has dealt with the processor's alert about the payment. */
  acknowledgePaymentAlert: {
    id: 'acknowledgePaymentAlert',
    method: 'POST',
    movesMoney: false,
    path: `${onPayment}/alerts/acknowledge`,
    ...money,
    body: Type.Object({ kind: AlertKind }),
    answers: { 200: Done },
    audit: 'payment.alert_acknowledged',
  },
} as const satisfies Record<string, DashboardOperation>;
