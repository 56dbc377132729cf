import { ApiError } from '@till/contract';
import type { dashboardApi } from '@till/contract/dashboard';
import { refundLimitOf } from '../../accounts/refund-limits.ts';
import { formatAmount } from '../../lib/money.ts';
import { requirePayment } from '../../payments/reads.ts';
import type { StaffCall } from '../call.ts';
import type { PaymentsSectionDependencies } from './dependencies.ts';

/**
 * Refuses a refund that is larger than the person's role may make at once. A refund that an earlier request began is
 * resumed even if the limit has changed, since its money may already be moving.
 * @throws ApiError `amount_invalid` / `amount`; `not_found`
 */
export async function requireWithinLimit(
  { payments }: PaymentsSectionDependencies,
  { staff, context, params, body, resumes }: StaffCall<(typeof dashboardApi)['refundPayment']>,
): Promise<void> {
  if (resumes !== null) return;
  const { currency } = await requirePayment(payments.store, context, params.id ?? '');
  const max = await refundLimitOf(payments.db, staff.accountId, staff.role, currency);
  if (max === null || body.amount <= max) return;
  const message =
    max === 0
      ? `amount is refused: your role here, ${staff.role}, may not refund in ${currency}.`
      : `amount must be at most ${formatAmount(max, currency)} ${currency}: your role here, ${staff.role}, may refund no more at once.`;
  throw new ApiError('amount_invalid', message, { param: 'amount' });
}
