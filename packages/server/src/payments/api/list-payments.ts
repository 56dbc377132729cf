import type { PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { listAsText, placeOfPage } from '../../lib/list.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { listPaymentRows } from '../reads.ts';
import { writePayment } from '../settle-payment.ts';

/** One page of the merchant's payments as text, most recent first. */
export async function listPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  query: PaymentListQuery,
): Promise<string> {
  const { rows, total } = await listPaymentRows(deps.db, context, query);
  return listAsText(
    rows.map((row) => writePayment(deps, context, row)),
    total,
    placeOfPage(query),
  );
}
