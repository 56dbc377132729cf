import { type Static, type TSchema, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { Approval } from '../../objects/approval.ts';
import { failureCodes, Payment } from '../../objects/payment.ts';
import { Refund, refundReasons } from '../../objects/refund.ts';
import { Amount, Currency, limits, Nullable, Ref, Text } from '../../primitives/common.ts';
import { methodTypes } from '../../primitives/processors.ts';
import { AlertKind } from './payment-alerts.ts';
import { PaymentDetail } from './payment-detail.ts';

/** How far filtered lists reach: what is beyond needs a narrower filter. */
export const listLimits = {
  perPage: 50,
  /** A filtered list counts up to here; `total_is_exact` says whether it went further. */
  countedRows: 10_000,
  /** Pages beyond need a narrower filter. */
  filteredRows: 10_000,
  /** How many of the newest payments in the range are looked through where no index answers the filters. */
  searchedRows: 250_000,
  /** How many customers that match the words of a search are followed to their payments. */
  searchedCustomers: 200,
} as const;

/** One or more of some words, in one parameter, separated by commas. */
export const AnyOf = (words: readonly string[]) =>
  Type.String({
    pattern: `^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$`,
    maxLength: 500,
    description: `one or more of ${words.join(', ')}, separated by commas`,
  });

const AmountBound = Type.Integer({ minimum: 0, maximum: limits.amountMax });

/** The filters of a view of payments: what the list shows and the export writes. */
const paymentFilters = {
  /** What a caller knows: an id, a reference, an e-mail address, a name, last four digits, an upstream's id, … */
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
  /** In minor units; both bounds need `currency`, since amounts of several are never compared. */
  amount_gte: Type.Optional(AmountBound),
  amount_lte: Type.Optional(AmountBound),
  created_gte: Type.Optional(IsoTime),
  created_lt: Type.Optional(IsoTime),
  customer: Type.Optional(Text(limits.textLength)),
  /** The id of a payment link. */
  payment_link: Type.Optional(Text(limits.textLength)),
  /** By amount needs `currency`. */
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
    /** Exact, or the least number that there are. */
    total_count: Type.Integer(),
    total_is_exact: Type.Boolean(),
    /**
     * Older ones were not looked through: filter by `created_lt` with this time to go on. Null: everything was.
     */
    searched_back_to: Nullable(IsoTime),
  });

export const PaymentListItem = Type.Object({
  payment: Ref(Payment),
  customer: Nullable(Type.Object({ id: Type.String(), email: Type.String(), name: Nullable(Type.String()) })),
  /** Refunded or pending, in minor units. */
  refunded_amount: Type.Integer(),
  /** A refund failed, and nobody has dealt with that. */
  refund_failed: Type.Boolean(),
  disputed: Type.Boolean(),
});
export type PaymentListItem = Static<typeof PaymentListItem>;

/** The amount that the person saw and typed: the operation is refused where the payment has another one. */
const SeenAmount = Type.Object({ amount: Amount });

const onPayment = '/accounts/:account/payments/:id';
const money = { roles: rolesFor.money, sandboxRoles: ['developer'] } as const;

/** Payments as people look for them, and what may be done with one. */
export const paymentsApi = {
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    path: '/accounts/:account/payments',
    roles: rolesFor.viewing,
    query: PaymentsQuery,
    answers: { 200: CountedPageOf(PaymentListItem) },
  },
  /** A CSV file of exactly what the list shows with these filters, all pages of it. */
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
  /** Somebody has dealt with what the processor said against the payment. */
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
