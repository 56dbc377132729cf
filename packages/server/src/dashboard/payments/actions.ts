import { DashboardError, type dashboardApi } from '@till/contract/dashboard';
import { approvalForCapture, approvalForRefund } from '../../approvals/ask.ts';
import { closeAlert } from '../../payment-alerts/alerts.ts';
import { capturePayment } from '../../payments/operations/capture.ts';
import { voidPayment } from '../../payments/operations/void.ts';
import { requirePayment } from '../../payments/reads.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import { runUnlessApprovalNeeded } from '../approvals/requester.ts';
import type { DashboardAnswer, StaffCall } from '../call.ts';
import type { PaymentsSection, PaymentsSectionDependencies } from './dependencies.ts';
import { requireWithinLimit } from './refund-limit.ts';

type Call<Name extends 'capturePayment' | 'voidPayment' | 'refundPayment'> = StaffCall<
  (typeof dashboardApi)[Name]
>;

/** @throws ApiError `not_found`; DashboardError `conflict` if the person saw another amount */
async function requireSeen(
  { payments }: PaymentsSectionDependencies,
  { context, params, body }: Call<'capturePayment' | 'voidPayment'>,
): Promise<string> {
  const payment = await requirePayment(payments.store, context, params.id ?? '');
  if (payment.amount !== body.amount) {
    throw new DashboardError('conflict', 'The payment has another amount. Reload the page and look again.');
  }
  return payment.id;
}

/** Captures a hold, as the API does, or makes the capture wait for approval. @throws as `capturePayment` of payments */
export async function captureFromDashboard(
  { approvals, ...deps }: PaymentsSection,
  call: Call<'capturePayment'>,
): Promise<DashboardAnswer> {
  const { context, body, claim, resumes } = call;
  const paymentId = await requireSeen(deps, call);
  return runUnlessApprovalNeeded(
    approvals.db,
    call,
    (by) => approvalForCapture(approvals, context, body, { paymentId, claim, resumes }, by),
    (as) => capturePayment(deps.payments, as, paymentId, idempotencyOf(call)),
  );
}

/** Voids a hold, as the API does. @throws as `voidPayment` of payments */
export async function voidFromDashboard(
  deps: PaymentsSectionDependencies,
  call: Call<'voidPayment'>,
): Promise<DashboardAnswer> {
  const id = await requireSeen(deps, call);
  return voidPayment(deps.payments, call.context, id, idempotencyOf(call));
}

/**
 * Refunds a payment, as the API does, within the limit of the person's role, or makes the refund wait for approval.
 * @throws as `createRefund` of refunds
 */
export async function refundFromDashboard(
  { approvals, ...deps }: PaymentsSection,
  call: Call<'refundPayment'>,
): Promise<DashboardAnswer> {
  const { context, params, body: request, claim, resumes } = call;
  const paymentId = params.id ?? '';
  await requireWithinLimit(deps, call);
  return runUnlessApprovalNeeded(
    approvals.db,
    call,
    (by) => approvalForRefund(approvals, context, request, { paymentId, claim, resumes }, by),
    (as) => createRefund(deps.refunds, as, { paymentId, request, ...idempotencyOf(call) }),
  );
}

/** Records that a person has dealt with a processor's report against a payment. @throws ApiError `not_found` */
export async function acknowledgeAlert(
  { payments }: PaymentsSectionDependencies,
  { context, params, body: { kind }, staff, audit }: StaffCall<typeof dashboardApi.acknowledgePaymentAlert>,
): Promise<{ readonly status: 200; readonly body: { readonly done: true } }> {
  const payment = await requirePayment(payments.store, context, params.id ?? '');
  await payments.db.transaction(async (tx) => {
    const alert = { paymentId: payment.id, kind, by: staff.email, at: context.now };
    const isNew = await closeAlert(tx, context, alert);
    const after = isNew ? { kind } : { kind, outcome: 'nothing_changed' };
    await audit({ objectId: payment.id, after }, tx);
  });
  return { status: 200, body: { done: true } };
}

/** The request's idempotency claim, and the audit entry that is committed with the processor operation. */
const idempotencyOf = ({
  claim,
  resumes,
  audited,
}: Call<'capturePayment' | 'voidPayment' | 'refundPayment'>) => ({
  claim,
  resumes,
  audited: audited(),
});
