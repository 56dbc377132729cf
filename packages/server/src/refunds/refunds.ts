import { ApiError, type RefundListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { listAsText, placeOfPage } from '../lib/list.ts';
import { requirePayment } from '../payments/reads.ts';
import { writeRefund } from './commit-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import type { RefundRow } from './row.ts';

/** @throws ApiError `not_found`, also if the refund belongs to another merchant or to the other mode */
export async function retrieveRefund(
  deps: RefundDependencies,
  context: AccountContext,
  id: string,
): Promise<RefundRow> {
  const refund = /^re_[a-z0-9]{24}$/.test(id) ? await deps.store.find(context, id) : undefined;
  if (refund === undefined) throw new ApiError('not_found', 'There is no refund with this id.');
  return refund;
}

/** One page of a payment's refunds as JSON text, newest first. @throws ApiError `not_found` for an unknown payment */
export async function listRefunds(
  deps: RefundDependencies,
  context: AccountContext,
  paymentId: string,
  query: RefundListQuery,
): Promise<string> {
  const payment = await requirePayment(deps.payments.store, context, paymentId);
  const place = placeOfPage(query);
  const { rows, total } = await deps.store.list(context, payment.id, place.page, place.perPage);
  return listAsText(
    rows.map((row) => writeRefund(deps, context, row)),
    total,
    place,
  );
}
