import type { OrderData, PaymentDetail, ProcessingData, RiskData } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { refundLimitOf } from '../../accounts/refund-limits.ts';
import { cardTestingMarksOf, type MarkRow } from '../../card-testing/reads.ts';
import { presentCustomer } from '../../customers/present.ts';
import { presentDispute } from '../../disputes/present.ts';
import { listDisputeRows } from '../../disputes/reads.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { type AlertRow, alertsOf } from '../../payment-alerts/alerts.ts';
import { presentPaymentMethod } from '../../payment-methods/present.ts';
import { requestOf } from '../../payments/drafts.ts';
import type { StoredRequest } from '../../payments/kept-request.ts';
import { retrievePayment } from '../../payments/operations/expire.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { presentPayment } from '../../payments/present.ts';
import { processorRefusal } from '../../payments/reads.ts';
import { resolveAddresses } from '../../payments/request/address.ts';
import { shopperIp } from '../../payments/request/charge-request.ts';
import { transactionContext } from '../../payments/request/risk.ts';
import { customerOf } from '../../payments/request/sent-with.ts';
import { unresolvedRefundsOf } from '../../refunds/failed-refunds.ts';
import { disputeRefusal, type Refundable, refundableOf } from '../../refunds/refundable.ts';
import { presentRefund } from '../../refunds/row.ts';
import { payoutsOfPayment } from '../../settlements/reads.ts';
import type { Database } from '../../store/database.ts';
import { auditEntriesOn } from '../../users/people/reads.ts';
import type { Staff } from '../call.ts';
import { actionStates } from './action-states.ts';
import type { PaymentsSectionDependencies } from './dependencies.ts';
import { viewOf } from './list-payments.ts';
import { type PaymentFacts, paymentFacts } from './store.ts';
import { timelineOf } from './timeline.ts';

/** How many refunds and disputes of one payment are shown. */
const max = 100;

/** Everything that the page of one payment shows. @throws ApiError `not_found` */
export async function retrievePaymentDetail(
  deps: PaymentsSectionDependencies,
  context: AccountContext,
  { role }: Pick<Staff, 'role'>,
  id: string,
): Promise<PaymentDetail> {
  const { payments } = deps;
  const payment = await retrievePayment(payments, context, id);
  const [
    facts,
    refundable,
    request,
    customer,
    method,
    refunds,
    failed,
    disputes,
    alerts,
    entries,
    refundLimit,
    besides,
  ] = await Promise.all([
    paymentFacts(payments.db, context, payment.id),
    refundableOf(payments.db, payment),
    requestOf(payments.db, payment),
    customerOf(payments, context, payment),
    savedMethodOf(deps, context, payment),
    deps.refunds.store.list(context, payment.id, 1, max),
    unresolvedRefundsOf(payments.db, context, payment.id),
    listDisputeRows(payments.db, context, { payment: payment.id, per_page: max }),
    alertsOf(payments.db, context, payment.id),
    auditEntriesOn(payments.db, context, payment.id),
    refundLimitOf(payments.db, context.accountId, role, payment.currency),
    besidesOf(payments.db, context, payment.id),
  ]);
  const addresses = resolveAddresses(request, customer);
  return {
    payment: presentPayment(payment, viewOf(payments, context)),
    now: isoSeconds(context.now),
    customer: customer && presentCustomer(customer, context),
    saved_method:
      method === undefined || method.removed_at !== null ? null : presentPaymentMethod(method, context),
    money: { ...moneyOf(payment, facts, refundable), refund_limit: refundLimit },
    actions: actionStates(payment, context, {
      role,
      unreachable: processorRefusal(payments, context, payment),
      inDoubt: facts.doubt_kind !== null,
      refunded: refundable.refunded,
      disputeRefusal: disputeRefusal(payment, refundable),
      refundLimit,
    }),
    refunds: refunds.rows.map((row) => presentRefund(row, context)),
    failed_refunds: failed,
    disputes: disputes.rows.map((row) => presentDispute(row, context)),
    alerts: alerts.map(presentAlert),
    card_testing: besides.marks.map(presentMark),
    payouts: besides.payouts,
    order: orderOf(request),
    risk: riskOf(payment, request, addresses),
    processing: processingOf(payment, request, context, facts),
    timeline: await timelineOf(payments.db, context, {
      payment,
      refunds: refunds.rows,
      disputes: disputes.rows.map((dispute) => dispute.id),
      alerts,
      marks: besides.marks,
      entries,
    }),
  };
}

/** The payment's card testing marks, and its lines in payouts. */
async function besidesOf(db: Database, context: AccountContext, id: string) {
  const [marks, payouts] = await Promise.all([
    cardTestingMarksOf(db, context, id),
    payoutsOfPayment(db, context, id),
  ]);
  return { marks, payouts };
}

const savedMethodOf = (
  { payments }: PaymentsSectionDependencies,
  context: AccountContext,
  { payment_method_id: id }: PaymentRow,
) => (id === null ? undefined : payments.methods.store.find(context, id));

const presentMark = (mark: MarkRow) => ({ ...mark, at: isoSeconds(mark.at) });

const presentAlert = ({ kind, created_at: at, acknowledged_at: done, acknowledged_by: by }: AlertRow) => ({
  kind,
  created_at: isoSeconds(at),
  acknowledged_at: done && isoSeconds(done),
  acknowledged_by: by,
});

/** Amounts in minor units. Pending refunds reduce the remainder, but do not count as refunded yet. */
function moneyOf(
  { status, amount }: PaymentRow,
  { pending }: PaymentFacts,
  { refunded, left }: Refundable,
): Omit<PaymentDetail['money'], 'refund_limit'> {
  const captured = status === 'succeeded' ? amount : 0;
  return {
    captured,
    refunded: refunded - pending,
    refund_pending: pending,
    disputed: captured === 0 ? 0 : captured - refunded - left,
    remaining: captured === 0 ? 0 : left,
  };
}

const orderFields = [
  'tax_amount',
  'shipping_amount',
  'handling_amount',
  'discount_amount',
  'duty_amount',
  'invoice_id',
  'description',
  'ships_from_postal_code',
] as const;

/** What the merchant sent about the basket. */
export const orderOf = (request: StoredRequest): OrderData => ({
  line_items: request.line_items ?? [],
  ...Object.fromEntries(
    orderFields.flatMap((field) => (request[field] === undefined ? [] : [[field, request[field]]])),
  ),
});

function riskOf(
  payment: PaymentRow,
  request: StoredRequest,
  { billing, delivery }: ReturnType<typeof resolveAddresses>,
): RiskData {
  return {
    shopper_ip: shopperIp(payment, request, request.client),
    device_fingerprint: request.device_fingerprint ?? null,
    browser_info: request.browser_info ?? null,
    billing_address: billing,
    delivery_address: delivery,
    stc: transactionContext(request),
  };
}

function processingOf(
  payment: PaymentRow,
  request: StoredRequest,
  { processor }: AccountContext,
  { doubt_kind: kind, doubt_since: since }: PaymentFacts,
): ProcessingData {
  return {
    processor,
    upstream: { ...payment.upstream },
    network_transaction_reference: payment.network_transaction_reference,
    authentication: payment.authentication,
    merchant_initiated: payment.merchant_initiated,
    success_url: request.success_url ?? null,
    failure_url: request.failure_url ?? null,
    confirm_by: payment.confirm_by && isoSeconds(payment.confirm_by),
    in_doubt: kind === null || since === null ? null : { kind, since: isoSeconds(since) },
  };
}
