import { useState } from 'react';
import { useCall } from '../../api/calls.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { useFilterWords, useViewFilters, ViewFilters } from '../../components/filters/view-filters.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { ExportButton } from '../../components/overlays/export-button.tsx';
import { BeyondLastPage, CountedPages } from '../../components/tables/counted-pages.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { ListSearch } from '../../components/tables/list-search.tsx';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { useAccountNow } from '../../components/values/account-clock.tsx';
import { usePaths, useUrlQuery } from '../../navigation/navigation.tsx';
import { BulkCapture, selectColumn } from './bulk-capture.tsx';
import { paymentColumns } from './columns.tsx';
import { paymentFilters, paymentQuery } from './filters.ts';
import { NoPayments } from './no-payments.tsx';

const perPage = 50;
const sorts = ['created', '-created', 'amount', '-amount'] as const;

/** The list of payments, with search, filters and export. Its state is kept in the URL. */
export function PaymentsPage() {
  const paths = usePaths();
  const url = useUrlQuery();
  const minute = useAccountNow(60_000);
  const { page, sort, onPage, onSort } = useTableQuery({ by: 'created', order: 'desc' });
  const { any, clear } = useViewFilters(paymentFilters);
  const words = useFilterWords(paymentFilters);
  const filters = paymentQuery(url.all, minute);
  const order = sorts.find((one) => one === `${sort?.order === 'desc' ? '-' : ''}${sort?.by ?? ''}`);
  // Amounts in different currencies cannot be sorted.
  const isSorted = order !== undefined && (!order.endsWith('amount') || filters.currency !== undefined);
  const query = { ...filters, ...(isSorted ? { sort: order } : {}) };
  const payments = useCall('listPayments', { query: { ...query, page, per_page: perPage } }, { keep: true });
  const answer = payments.data;
  const captures = useCaptureChoice(filters.status === 'authorized');
  const columns = paymentColumns(filters.currency !== undefined);
  return (
    <>
      <PageHeader
        title="Payments"
        actions={
          <ExportButton
            operation="exportPayments"
            one="payment"
            query={query}
            filters={words}
            expected={answer?.total_is_exact === true ? answer.total_count : undefined}
          />
        }
      />
      <DataTable
        label="Payments"
        name="payments"
        columns={captures === null ? columns : [selectColumn(captures.chosen, captures.onChoose), ...columns]}
        rows={answer?.data}
        rowKey={({ payment }) => payment.id}
        rowTo={({ payment }) => paths.payment(payment.id)}
        sort={sort}
        onSort={onSort}
        stale={payments.isPlaceholderData}
        error={payments.error}
        onRetry={() => void payments.refetch()}
        toolbar={
          <>
            <Search />
            {captures !== null && (
              <BulkCapture holds={answer?.data.map(({ payment }) => payment)} {...captures} />
            )}
          </>
        }
        empty={
          page > 1 ? <BeyondLastPage what="payments" /> : any ? <NoMatch onClear={clear} /> : <NoPayments />
        }
        footer={
          answer && (
            <CountedPages
              page={page}
              perPage={perPage}
              rows={answer.data.length}
              counted={answer}
              onPage={onPage}
              what="payments"
            />
          )
        }
      />
    </>
  );
}

const Search = () => (
  <>
    <ListSearch label="Search payments" what="Id, reference, e-mail address, name, last 4 digits, amount …" />
    <ViewFilters filters={paymentFilters} views="payments" />
  </>
);

/**
 * The holds that are selected for capture; null if the list shows other payments, or the role does not allow captures.
 */
function useCaptureChoice(isOfHolds: boolean) {
  const may = useMay()('capturePayment');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  if (!isOfHolds || !may) return null;
  return {
    chosen,
    onChoose: (ids: readonly string[], isChosen: boolean) =>
      setChosen((before) => {
        const next = new Set(before);
        for (const id of ids)
          if (isChosen) next.add(id);
          else next.delete(id);
        return next;
      }),
  };
}

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState title="No payment matches" actions={<Button onClick={onClear}>Clear filters</Button>}>
    Look for the beginning of a reference, an e-mail address or a name, for a whole id, the amount, or the
    last 4 digits of a card.
  </EmptyState>
);
