import type { PaymentsExportQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { formatAmount } from '../../lib/money.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { type PaymentFilter, readFilter } from '../../payments/search/filter.ts';
import { nextPayments, placesOfView } from '../../payments/search/find-payments.ts';
import type { DownloadedFile } from '../call.ts';
import { type Columns, listFile, localCell } from '../exports/list-file.ts';
import { readPayments, withExtras } from './list-payments.ts';
import { type PaymentExtras, related } from './store.ts';

const rowsAtOnce = 500;

type Written = { readonly row: PaymentRow; readonly extras: PaymentExtras };

/** The columns of the file. Each amount is given in minor units and in the currency's major unit. */
const columns: Columns<Written> = [
  ['id', ({ row }) => row.id],
  ['created', ({ row }, timeZone) => localCell(row.created_at, timeZone)],
  ['status', ({ row }) => row.status],
  ['failure_code', ({ row }) => row.failure_code],
  ['amount', ({ row }) => formatAmount(row.amount, row.currency)],
  ['amount_minor', ({ row }) => row.amount],
  ['currency', ({ row }) => row.currency],
  ['refunded', ({ row, extras }) => formatAmount(extras.refunded_amount, row.currency)],
  ['refunded_minor', ({ extras }) => extras.refunded_amount],
  ['disputed', ({ extras }) => (extras.disputed ? 'yes' : 'no')],
  ['method', ({ row }) => row.method_type],
  ['brand', ({ row }) => row.brand],
  ['last4', ({ row }) => row.last4],
  ['customer', ({ row }) => row.customer_id],
  ['customer_email', ({ extras }) => extras.customer_email],
  ['customer_name', ({ extras }) => extras.customer_name],
  ['reference', ({ row }) => row.reference],
  ['capture_method', ({ row }) => row.capture_method],
  ['liability_shift', ({ row }) => row.three_d_secure?.liability_shift ?? null],
  [
    'processor_id',
    ({ row: { upstream } }) =>
      upstream.capture ?? upstream.authorization ?? upstream.order ?? upstream.psp ?? null,
  ],
  ['created_utc', ({ row }) => isoSeconds(row.created_at)],
];

/**
 * A CSV file of all payments that a view matches, on all of its pages. The file is written while the rows are read. Sorted
 * by time: newest first unless the view begins with the oldest.
 * @throws ApiError `invalid_params`
 */
export function exportPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  query: PaymentsExportQuery,
): DownloadedFile {
  const options = readFilter(query);
  const filter: PaymentFilter = { ...options, sort: options.sort === 'created' ? 'created' : '-created' };
  const pages = pagesOf(deps, context, filter);
  return listFile(context, { list: 'payments', query, columns, pages });
}

async function* pagesOf(
  deps: PaymentDependencies,
  context: AccountContext,
  filter: PaymentFilter,
): AsyncGenerator<readonly Written[]> {
  const view = { filter, related };
  let places = await placesOfView(deps.db, context, view);
  for (;;) {
    const { ids, last } = await nextPayments(deps.db, context, view, places, rowsAtOnce);
    if (last === null) return;
    yield await withExtras(deps, context, await readPayments(deps, context, ids));
    if (ids.length < rowsAtOnce) return;
    places = filter.sort === 'created' ? { ...places, low: last } : { ...places, high: last - 1 };
  }
}
