import type { Payment, Refund } from '@till/contract';
import { DashboardError, type dashboardApi } from '@till/contract/dashboard';
import { capturePayment } from '../../payments/capture-payment.ts';
import { requirePayment } from '../../payments/retrieve-payment.ts';
import { voidPayment } from '../../payments/void-payment.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import type { DashboardAnswer, StaffCall } from '../call.ts';
import type { PaymentsSectionParts } from './parts.ts';

type Call<Name extends 'capturePayment' | 'voidPayment' | 'refundPayment'> = StaffCall<
  (typeof dashboardApi)[Name]
>;

/** @throws ApiError `not_found`; DashboardError `conflict` where the person saw another amount */
async function requireSeen(
  { payments }: PaymentsSectionParts,
  { context, params, body }: Call<'capturePayment' | 'voidPayment'>,
): Promise<string> {
  const payment = await requirePayment(payments.store, context, params.id ?? '');
  if (payment.amount !== body.amount) {
    throw new DashboardError('conflict', 'The payment has another amount. Reload the page and look again.');
  }
  return payment.id;
}

/** Collects a hold, as the API does. @throws as `capturePayment` of payments */
export async function captureFromDashboard(
  parts: PaymentsSectionParts,
  call: Call<'capturePayment'>,
): Promise<DashboardAnswer> {
  const id = await requireSeen(parts, call);
  const answer = await capturePayment(parts.payments, call.context, id, call);
  if ('text' in answer) await call.audit({ after: stateOf(answer.text) });
  return answer;
}

/** Releases a hold, as the API does. @throws as `voidPayment` of payments */
export async function voidFromDashboard(
  parts: PaymentsSectionParts,
  call: Call<'voidPayment'>,
): Promise<DashboardAnswer> {
  const id = await requireSeen(parts, call);
  const answer = await voidPayment(parts.payments, call.context, id, call);
  if ('text' in answer) await call.audit({ after: stateOf(answer.text) });
  return answer;
}

/** Gives money back, as the API does. @throws as `createRefund` of refunds */
export async function refundFromDashboard(
  { refunds }: PaymentsSectionParts,
  call: Call<'refundPayment'>,
): Promise<DashboardAnswer> {
  const { context, params, body: request, claim, resumes } = call;
  const answer = await createRefund(refunds, context, {
    paymentId: params.id ?? '',
    request,
    claim,
    resumes,
  });
  if ('text' in answer) {
    const { id, amount, currency, reason, status } = JSON.parse(answer.text) as Refund;
    await call.audit({ after: { refund: id, amount, currency, reason, status } });
  }
  return answer;
}

/** What the log says of a payment afterwards. */
function stateOf(text: string) {
  const { status, amount, currency } = JSON.parse(text) as Payment;
  return { status, amount, currency };
}
