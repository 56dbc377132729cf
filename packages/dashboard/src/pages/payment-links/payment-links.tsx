import { Link2, Plus } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../api/calls.ts';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import type { ViewFilter } from '../../components/filters/view-filter.ts';
import { useFilterWords, useViewFilters, ViewFilters } from '../../components/filters/view-filters.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { ExportButton } from '../../components/overlays/export-button.tsx';
import { BeyondLastPage } from '../../components/tables/counted-pages.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { Pagination } from '../../components/tables/pagination.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { Money } from '../../components/values/money.tsx';
import { Status } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { statuses } from '../../lib/wording/status.ts';
import { usePaths, useUrlQuery } from '../../navigation/navigation.tsx';
import { CreateLink } from './create-link.tsx';
import { type LinkItem, Price, paidTimes } from './link-words.tsx';

const perPage = 50;

const filters: readonly ViewFilter[] = [
  {
    kind: 'choices',
    key: 'status',
    label: 'Status',
    choices: Object.entries(statuses.link).map(([value, { word }]) => ({ value, label: word })),
  },
];

const columns: readonly Column<LinkItem>[] = [
  {
    id: 'title',
    title: 'Title',
    main: true,
    fills: true,
    cell: ({ link }) => (
      <span dir="auto" className="block truncate text-left font-medium">
        {link.title}
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ link }) => <Status kind="link" status={link.status} />,
  },
  { id: 'price', title: 'Price', align: 'end', card: 'aside', cell: ({ link }) => <Price link={link} /> },
  {
    id: 'paid',
    title: 'Came in',
    align: 'end',
    card: 'line',
    cell: ({ link, paid_amount: paid }) => (
      <span className="block">
        <Money amount={paid} currency={link.currency} />
        <span className="block text-sm whitespace-nowrap text-text-3">{paidTimes(link)}</span>
      </span>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    card: 'end',
    cell: ({ link }) => <Time at={link.created} className="whitespace-nowrap text-text-2" />,
  },
];

/** The payment links of the account, with the sums that were paid. */
export function PaymentLinksPage() {
  const url = useUrlQuery();
  const paths = usePaths();
  const { page, onPage } = useTableQuery();
  const { any, clear } = useViewFilters(filters);
  const words = useFilterWords(filters);
  const refusal = useRefusal()('createPaymentLink');
  const [creating, setCreating] = useState(false);
  const status = url.get('status');
  const query = status === '' ? {} : { status };
  const links = useCall('listPaymentLinks', { query: { ...query, page, per_page: perPage } }, { keep: true });
  const answer = links.data;
  return (
    <>
      <PageHeader
        title="Payment links"
        description="Addresses at which buyers pay, without a line of code."
        actions={
          <>
            <ExportButton
              operation="exportPaymentLinks"
              one="payment link"
              query={query}
              filters={words}
              expected={answer?.total_count}
            />
            <Button icon={Plus} variant="primary" unavailable={refusal} onClick={() => setCreating(true)}>
              Create link
            </Button>
          </>
        }
      />
      <DataTable
        label="Payment links"
        name="payment-links"
        columns={columns}
        rows={answer?.data}
        rowKey={({ link }) => link.id}
        rowTo={({ link }) => paths.paymentLink(link.id)}
        stale={links.isPlaceholderData}
        error={links.error}
        onRetry={() => void links.refetch()}
        toolbar={<ViewFilters filters={filters} />}
        empty={
          page > 1 ? <BeyondLastPage what="payment links" /> : any ? <NoMatch onClear={clear} /> : <NoLinks />
        }
        footer={
          answer !== undefined &&
          answer.total_count > 0 && (
            <Pagination
              page={page}
              perPage={perPage}
              total={answer.total_count}
              onPage={onPage}
              what="payment links"
            />
          )
        }
      />
      <CreateLink
        open={creating}
        onClose={() => setCreating(false)}
        currency={answer?.data[0]?.link.currency ?? 'EUR'}
      />
    </>
  );
}

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState title="No payment link matches" actions={<Button onClick={onClear}>Clear filters</Button>} />
);

const NoLinks = () => (
  <EmptyState icon={Link2} title="No payment links yet">
    Create one and send it by mail, print its QR code, or put it on your website.
  </EmptyState>
);
