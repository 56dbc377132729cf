import type { PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { listPaymentRows } from './reads.ts';
import { writePayment } from './settle-payment.ts';

/** One page of the merchant's payments as text, most recent first. */
export async function listPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  query: PaymentListQuery,
): Promise<string> {
  const { page = 1, per_page: perPage = 20 } = query;
  const { rows, total } = await listPaymentRows(deps.db, context, query);
  const data = rows.map((row) => writePayment(deps, context, row)).join(',');
  return `{"object":"list","data":[${data}],"has_more":${page * perPage < total},"total_count":${total}}`;
}
