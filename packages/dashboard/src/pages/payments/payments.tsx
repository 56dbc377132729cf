import { CreditCard, Download } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../api.ts';
import { useAccountNow } from '../../components/account-clock.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CountedPages } from '../../components/counted-pages.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListSearch } from '../../components/list-search.tsx';
import { usePaths, useUrlQuery } from '../../components/navigation.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useTableQuery } from '../../components/table-query.ts';
import { useViewFilters, ViewFilters } from '../../components/view-filters.tsx';
import { paymentColumns } from './columns.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { paymentFilters, paymentQuery } from './filters.ts';
import { firstPayment } from './first-payment.ts';

const perPage = 50;
const sorts = ['created', '-created', 'amount', '-amount'] as const;

/** The list of payments: looked for, narrowed, exported. What it shows stands in the address. */
export function PaymentsPage() {
  const paths = usePaths();
  const url = useUrlQuery();
  const minute = useAccountNow(60_000);
  const { page, sort, onPage, onSort } = useTableQuery({ by: 'created', order: 'desc' });
  const { any, clear } = useViewFilters(paymentFilters);
  const [exporting, setExporting] = useState(false);
  const filters = paymentQuery(url.all, minute);
  const order = sorts.find((one) => one === `${sort?.order === 'desc' ? '-' : ''}${sort?.by ?? ''}`);
  // Amounts of several currencies have no order.
  const query = {
    ...filters,
    ...(order === undefined || (order.endsWith('amount') && filters.currency === undefined)
      ? {}
      : { sort: order }),
  };
  const payments = useCall('listPayments', { query: { ...query, page, per_page: perPage } }, { keep: true });
  const answer = payments.data;
  return (
    <>
      <PageHeader
        title="Payments"
        actions={
          <Button icon={Download} onClick={() => setExporting(true)}>
            Export
          </Button>
        }
      />
      <DataTable
        label="Payments"
        name="payments"
        columns={paymentColumns(filters.currency !== undefined)}
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
            <ListSearch label="Search payments" what="Id, reference, e-mail address, name, last 4 digits …" />
            <ViewFilters filters={paymentFilters} views="payments" />
          </>
        }
        empty={any || page > 1 ? <NoMatch onClear={clear} /> : <NoPayments />}
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
      <ExportDialog
        open={exporting}
        onClose={() => setExporting(false)}
        query={query}
        expected={answer?.total_is_exact === true ? answer.total_count : undefined}
      />
    </>
  );
}

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState title="No payment matches" actions={<Button onClick={onClear}>Clear filters</Button>}>
    Look for the beginning of a reference, an e-mail address or a name, for a whole id, or for the last 4
    digits of a card.
  </EmptyState>
);

function NoPayments() {
  return (
    <EmptyState icon={CreditCard} title="No payments yet">
      <p>A payment appears here as soon as the API or the hosted checkout makes one. Make the first one:</p>
      <div className="mt-3 text-left">
        <CodeBlock label="First payment" variants={firstPayment(location.origin)} />
      </div>
    </EmptyState>
  );
}
