import { paymentLinkStatuses } from '@till/contract';
import type { PaymentLinkItem, PaymentLinksExportQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { formatAmount } from '../../lib/money.ts';
import { type LinkDependencies, urlOf } from '../../payment-links/payment-links.ts';
import { type LinkFilter, type LinkRow, presentLink, statusOf } from '../../payment-links/row.ts';
import type { DownloadedFile } from '../call.ts';
import { type Columns, listFile, localCell } from '../exports/list-file.ts';

const rowsAtOnce = 500;

/** The filter that the query of a view stands for. */
export const filterOf = ({ status }: PaymentLinksExportQuery): LinkFilter => ({
  statuses:
    status === undefined ? null : paymentLinkStatuses.filter((one) => status.split(',').includes(one)),
});

/** A payment link with what was paid by it. */
export const linkItem = (
  deps: LinkDependencies,
  context: AccountContext,
  link: LinkRow,
): PaymentLinkItem => ({
  link: presentLink(link, {
    livemode: context.livemode,
    now: context.now,
    url: urlOf(deps, context, link.id),
  }),
  paid_amount: link.payments_amount,
  open_count: link.open_count,
});

type Written = LinkRow & { readonly url: string; readonly status: string };

const money = (amount: number | null, currency: string) =>
  amount === null ? null : formatAmount(amount, currency);

/** The columns of the file. */
const columns: Columns<Written> = [
  ['id', ({ id }) => id],
  ['created', ({ created_at: at }, timeZone) => localCell(at, timeZone)],
  ['status', ({ status }) => status],
  ['title', ({ title }) => title],
  ['amount', ({ amount, currency }) => money(amount, currency)],
  ['amount_min', ({ amount_min: amount, currency }) => money(amount, currency)],
  ['amount_max', ({ amount_max: amount, currency }) => money(amount, currency)],
  ['currency', ({ currency }) => currency],
  ['payments', ({ payments_count: count }) => count],
  ['paid', ({ payments_amount: amount, currency }) => money(amount, currency)],
  ['paid_minor', ({ payments_amount: amount }) => amount],
  ['max_payments', ({ max_payments: max }) => max],
  ['expires', ({ expires_at: at }, timeZone) => at && localCell(at, timeZone)],
  ['reference_label', ({ reference_label: label }) => label],
  ['url', ({ url }) => url],
  ['created_utc', ({ created_at: at }) => isoSeconds(at)],
];

/** A CSV file of all links that a view matches, newest first. The file is written while the rows are read. */
export const exportPaymentLinks = (
  deps: LinkDependencies,
  context: AccountContext,
  query: PaymentLinksExportQuery,
): DownloadedFile =>
  listFile(context, { list: 'payment-links', query, columns, pages: pagesOf(deps, context, query) });

async function* pagesOf(
  deps: LinkDependencies,
  context: AccountContext,
  query: PaymentLinksExportQuery,
): AsyncGenerator<readonly Written[]> {
  for (let before: number | null = null; ; ) {
    const place = { before, max: rowsAtOnce };
    const { rows, last } = await deps.store.next(context, filterOf(query), context.now, place);
    if (last === null) return;
    yield rows.map((row) => ({
      ...row,
      url: urlOf(deps, context, row.id),
      status: statusOf(row, context.now),
    }));
    before = last;
  }
}
