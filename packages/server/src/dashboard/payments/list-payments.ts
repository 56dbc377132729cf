import { invalidParam } from '@till/contract';
import { listLimits, type PaymentListItem, type PaymentsQuery } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { type List, listOfPage, type PagePlace, placeOfPage } from '../../lib/list.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { presentPayment } from '../../payments/present.ts';
import { listPaymentRows } from '../../payments/reads.ts';
import { isEverything, readFilter } from '../../payments/search/filter.ts';
import { type FoundPayments, findPayments } from '../../payments/search/find-payments.ts';
import { type PaymentExtras, paymentExtras, related } from './store.ts';

/** A page of a list that is counted up to a limit, in the contract's form. */
export interface CountedPage<Item> extends List<Item> {
  readonly total_is_exact: boolean;
  readonly searched_back_to: string | null;
}

/** The page that a query asks for. The default is the first page with the default length. */
export const pageOf = (query: Parameters<typeof placeOfPage>[0]): PagePlace =>
  placeOfPage(query, listLimits.perPage);

/** @throws ApiError `invalid_params` if the page lies too deep in a filtered list */
export function requireNear({ offset, perPage }: PagePlace): void {
  if (offset + perPage <= listLimits.filteredRows) return;
  throw invalidParam(
    'page',
    'This page lies too deep. Narrow the filters, for example by date, or export the list.',
  );
}

/** One page of the payments that match a view (contract, `listPayments`). @throws ApiError `invalid_params` */
export async function listPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  query: PaymentsQuery,
): Promise<CountedPage<PaymentListItem>> {
  const filter = readFilter(query);
  const place = pageOf(query);
  if (isEverything(filter)) {
    const { rows, total } = await listPaymentRows(deps.db, context, {
      page: place.page,
      per_page: place.perPage,
    });
    const found = { ids: rows.map(({ id }) => id), total, isExact: true, searchedBackTo: null };
    return countedPage(found, place, await presentPayments(deps, context, rows));
  }
  requireNear(place);
  const found = await findPayments(
    deps.db,
    context,
    { filter, related },
    { offset: place.offset, limit: place.perPage },
  );
  return countedPage(
    found,
    place,
    await presentPayments(deps, context, await readPayments(deps, context, found.ids)),
  );
}

/** Adds the count to a page. */
export function countedPage<Item>(
  { total, isExact, searchedBackTo }: Omit<FoundPayments, 'ids'>,
  place: PagePlace,
  data: Item[],
): CountedPage<Item> {
  return {
    ...listOfPage(data, total, place),
    total_is_exact: isExact,
    searched_back_to: searchedBackTo && isoSeconds(searchedBackTo),
  };
}

/** The payments of these ids, in their order. */
export async function readPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  ids: readonly string[],
): Promise<PaymentRow[]> {
  // The store batches these into one statement.
  const rows = await Promise.all(ids.map((id) => deps.store.find(context, id)));
  return rows.filter((row) => row !== undefined);
}

/** The rows with the extra data that the list shows, in the same order. */
export async function withExtras(
  deps: PaymentDependencies,
  context: AccountContext,
  rows: readonly PaymentRow[],
): Promise<readonly { readonly row: PaymentRow; readonly extras: PaymentExtras }[]> {
  const ids = rows.map(({ id }) => id);
  const extras = new Map((await paymentExtras(deps.db, context, ids)).map((one) => [one.id, one]));
  return rows.flatMap((row) => {
    const own = extras.get(row.id);
    return own === undefined ? [] : [{ row, extras: own }];
  });
}

/** The view of a payment for the signed-in person, which is the same as the API's. */
export const viewOf = (deps: PaymentDependencies, context: AccountContext) => ({
  now: context.now,
  livemode: context.livemode,
  checkoutUrl: (row: Pick<PaymentRow, 'id'>) =>
    deps.links.checkoutUrl(deps.links.token(context.accountId, context.livemode, row.id)),
});

/** The rows as the list shows them, in the same order. */
export async function presentPayments(
  deps: PaymentDependencies,
  context: AccountContext,
  rows: readonly PaymentRow[],
): Promise<PaymentListItem[]> {
  const view = viewOf(deps, context);
  return (await withExtras(deps, context, rows)).map(({ row, extras }) => ({
    payment: presentPayment(row, view),
    customer:
      extras.customer_id === null || extras.customer_email === null
        ? null
        : { id: extras.customer_id, email: extras.customer_email, name: extras.customer_name },
    refunded_amount: extras.refunded_amount,
    refund_failed: extras.refund_failed,
    disputed: extras.disputed,
  }));
}
