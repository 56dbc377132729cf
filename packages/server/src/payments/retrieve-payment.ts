import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { expireIfOverdue } from './expire-payments.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import type { PaymentStore } from './store.ts';

/** @throws ApiError `not_found`, also for another merchant's or the other mode's payment and while there is no answer */
export async function requirePayment(
  store: PaymentStore,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  const payment = /^pay_[a-z0-9]{24}$/.test(id) ? await store.find(context, id) : undefined;
  if (payment === undefined || payment.status === 'processing') {
    throw new ApiError('not_found', 'There is no payment with this id.');
  }
  return payment;
}

/** The payment as it is now: one whose confirmation window is over has failed. @throws ApiError `not_found` */
export async function retrievePayment(
  parts: PaymentParts,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  return expireIfOverdue(parts, context, await requirePayment(parts.store, context, id));
}
