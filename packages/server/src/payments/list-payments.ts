import type { PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { PaymentParts } from './parts.ts';
import { listPaymentRows } from './reads.ts';
import { writePayment } from './settle-payment.ts';

/** One page of the merchant's payments as text, most recent first. */
export async function listPayments(
  parts: PaymentParts,
  context: AccountContext,
  query: PaymentListQuery,
): Promise<string> {
  const { page = 1, per_page: perPage = 20 } = query;
  const { rows, total } = await listPaymentRows(parts.db, context, query);
  const data = rows.map((row) => writePayment(parts, context, row)).join(',');
  return `{"object":"list","data":[${data}],"has_more":${page * perPage < total},"total_count":${total}}`;
}
