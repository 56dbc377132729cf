import { Undo2 } from 'lucide-react';
import { type Answer, type Query, useCall } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import type { ViewFilter } from '../../components/filters/view-filter.ts';
import { useFilterWords, useViewFilters, ViewFilters } from '../../components/filters/view-filters.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { ExportButton } from '../../components/overlays/export-button.tsx';
import { BeyondLastPage, CountedPages } from '../../components/tables/counted-pages.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { ListSearch } from '../../components/tables/list-search.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { useAccountNow } from '../../components/values/account-clock.tsx';
import { None } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { PaidWith } from '../../components/values/paid-with.tsx';
import { Status } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { rangeOf } from '../../lib/amounts/period.ts';
import { refundReason, refundReasons } from '../../lib/wording/refund-words.ts';
import { statuses } from '../../lib/wording/status.ts';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { RefundDrawer } from './refund-drawer.tsx';

type ListedRefund = Answer<'listRefunds'>['data'][number];

const perPage = 50;

const filters: readonly ViewFilter[] = [
  {
    kind: 'choices',
    key: 'status',
    label: 'Status',
    choices: Object.entries(statuses.refund).map(([value, { word }]) => ({ value, label: word })),
  },
  {
    kind: 'choices',
    key: 'reason',
    label: 'Reason',
    choices: [
      ...refundReasons.map(([value, label]) => ({ value, label })),
      { value: 'none', label: 'No reason given' },
    ],
  },
  { kind: 'currency', label: 'Currency' },
  { kind: 'period', label: 'Date' },
];

const columns: readonly Column<ListedRefund>[] = [
  {
    id: 'amount',
    title: 'Amount',
    main: true,
    align: 'end',
    cell: ({ refund }) => <Money amount={refund.amount} currency={refund.currency} />,
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ refund }) => <Status kind="refund" status={refund.status} />,
  },
  {
    id: 'payment',
    title: 'Payment',
    fills: true,
    card: 'line',
    cell: ({ payment }) => (
      <span className="block">
        <span dir="auto" className="block truncate text-left">
          {payment.reference ?? <code className="font-mono text-sm">{payment.id}</code>}
        </span>
        <span className="text-sm whitespace-nowrap text-text-3">
          of <Money amount={payment.amount} currency={payment.currency} />
        </span>
      </span>
    ),
  },
  {
    id: 'method',
    title: 'Method',
    card: 'aside',
    cell: ({ payment }) => <PaidWith {...payment} type={payment.method} />,
  },
  {
    id: 'reason',
    title: 'Reason',
    card: 'line',
    isEmpty: ({ refund }) => refund.reason === null,
    cell: ({ refund }) => (refund.reason === null ? <None /> : refundReason(refund.reason)),
  },
  {
    id: 'created',
    title: 'Created',
    card: 'end',
    cell: ({ refund }) => <Time at={refund.created} className="whitespace-nowrap text-text-2" />,
  },
];

function queryOf(url: Readonly<Record<string, string>>, now: number): NonNullable<Query<'listRefunds'>> {
  const given = (key: string) => url[key] ?? '';
  return {
    ...(given('search') === '' ? {} : { q: given('search') }),
    ...Object.fromEntries(
      ['status', 'reason', 'currency'].flatMap((key) => (given(key) === '' ? [] : [[key, given(key)]])),
    ),
    ...rangeOf(
      { period: given('period'), from: given('from'), to: given('to'), before: given('before') },
      now,
    ),
  };
}

/** The refunds of all payments. The query parameter `refund` names the one in the drawer. */
export function RefundsPage() {
  const url = useUrlQuery();
  const minute = useAccountNow(60_000);
  const { page, onPage } = useTableQuery();
  const { any, clear } = useViewFilters(filters);
  const words = useFilterWords(filters);
  const query = queryOf(url.all, minute);
  const refunds = useCall('listRefunds', { query: { ...query, page, per_page: perPage } }, { keep: true });
  const answer = refunds.data;
  return (
    <>
      <PageHeader
        title="Refunds"
        actions={
          <ExportButton
            operation="exportRefunds"
            one="refund"
            query={query}
            filters={words}
            expected={answer?.total_is_exact === true ? answer.total_count : undefined}
          />
        }
      />
      <DataTable
        label="Refunds"
        name="refunds"
        columns={columns}
        rows={answer?.data}
        rowKey={({ refund }) => refund.id}
        onOpen={({ refund }) => url.set({ refund: refund.id })}
        stale={refunds.isPlaceholderData}
        error={refunds.error}
        onRetry={() => void refunds.refetch()}
        toolbar={
          <>
            <ListSearch label="Search refunds" what="Id of a refund or payment, reference, last 4 digits …" />
            <ViewFilters filters={filters} views="refunds" />
          </>
        }
        empty={
          page > 1 ? <BeyondLastPage what="refunds" /> : any ? <NoMatch onClear={clear} /> : <NoRefunds />
        }
        footer={
          answer && (
            <CountedPages
              page={page}
              perPage={perPage}
              rows={answer.data.length}
              counted={answer}
              onPage={onPage}
              what="refunds"
            />
          )
        }
      />
      <RefundDrawer
        id={url.get('refund')}
        onClose={() => url.set({ refund: undefined }, { replace: true })}
      />
    </>
  );
}

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState title="No refund matches" actions={<Button onClick={onClear}>Clear filters</Button>} />
);

const NoRefunds = () => (
  <EmptyState icon={Undo2} title="No refunds yet">
    Refund a payment from its page, or by the API.
  </EmptyState>
);
