import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { PaymentRow } from './present.ts';
import type { PaymentStore } from './store.ts';

/** @throws ApiError `not_found`, also for another merchant's or the other mode's payment and while there is no answer */
export async function retrievePayment(
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
