import type { RefundsExportQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { formatAmount } from '../../lib/money.ts';
import type { RefundDependencies } from '../../refunds/dependencies.ts';
import type { RefundRow } from '../../refunds/row.ts';
import {
  nextRefunds,
  paymentsOfRefunds,
  placesOfRefunds,
  type RefundedPaymentRow,
  readRefundFilter,
} from '../../refunds/search.ts';
import type { DownloadedFile } from '../call.ts';
import { type Columns, listFile, localCell } from '../exports/list-file.ts';

const rowsAtOnce = 500;

type Written = { readonly row: RefundRow; readonly payment: RefundedPaymentRow };

/** The columns of the file. Each amount is given in minor units and in the currency's major unit. */
const columns: Columns<Written> = [
  ['id', ({ row }) => row.id],
  ['created', ({ row }, timeZone) => localCell(row.created_at, timeZone)],
  ['status', ({ row }) => row.status],
  ['failure_code', ({ row }) => row.failure_code],
  ['amount', ({ row }) => formatAmount(row.amount, row.currency)],
  ['amount_minor', ({ row }) => row.amount],
  ['currency', ({ row }) => row.currency],
  ['reason', ({ row }) => row.reason],
  ['note', ({ row }) => row.note],
  ['payment', ({ payment }) => payment.id],
  ['payment_reference', ({ payment }) => payment.reference],
  ['payment_amount', ({ payment }) => formatAmount(payment.amount, payment.currency)],
  ['payment_amount_minor', ({ payment }) => payment.amount],
  ['method', ({ payment }) => payment.method],
  ['brand', ({ payment }) => payment.brand],
  ['last4', ({ payment }) => payment.last4],
  ['processor_id', ({ row }) => row.upstream_id],
  ['created_utc', ({ row }) => isoSeconds(row.created_at)],
];

type Dependencies = Pick<RefundDependencies, 'db' | 'store'>;

/**
 * A CSV file of all refunds that a view matches, newest first. The file is written while the rows are read.
 * @throws ApiError `invalid_params`
 */
export function exportRefunds(
  deps: Dependencies,
  context: AccountContext,
  query: RefundsExportQuery,
): DownloadedFile {
  const filter = readRefundFilter(query);
  return listFile(context, {
    list: 'refunds',
    query,
    columns,
    pages: pagesOf(deps, context, filter),
  });
}

async function* pagesOf(
  { db, store }: Dependencies,
  context: AccountContext,
  filter: ReturnType<typeof readRefundFilter>,
): AsyncGenerator<readonly Written[]> {
  let places = await placesOfRefunds(db, context, filter);
  for (;;) {
    const { ids, last } = await nextRefunds(db, context, filter, places, rowsAtOnce);
    if (last === null) return;
    const [rows, payments] = await Promise.all([
      Promise.all(ids.map((id) => store.find(context, id))),
      paymentsOfRefunds(db, context, ids),
    ]);
    yield rows.flatMap((row) => {
      const payment = payments.get(row?.id ?? '');
      return row === undefined || payment === undefined ? [] : [{ row, payment }];
    });
    if (ids.length < rowsAtOnce) return;
    places = { ...places, high: last - 1 };
  }
}
