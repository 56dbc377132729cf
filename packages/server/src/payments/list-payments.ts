import type { PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { presentPayment } from './present.ts';
import type { PaymentStore } from './store.ts';

/** One page of the merchant's payments, most recent first. */
export async function listPayments(store: PaymentStore, context: AccountContext, query: PaymentListQuery) {
  const { page = 1, per_page: perPage = 20 } = query;
  const { rows, total } = await store.list(context, query);
  return {
    object: 'list' as const,
    data: rows.map(presentPayment),
    has_more: page * perPage < total,
    total_count: total,
  };
}
