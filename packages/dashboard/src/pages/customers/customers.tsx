import { Users } from 'lucide-react';
import { type Answer, useCall } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { BeyondLastPage, CountedPages } from '../../components/tables/counted-pages.tsx';
import { DataTable } from '../../components/tables/data-table.tsx';
import { ListSearch } from '../../components/tables/list-search.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { useTableQuery } from '../../components/tables/table-query.ts';
import { None } from '../../components/values/key-value.tsx';
import { Time } from '../../components/values/time.tsx';
import { usePaths, useUrlQuery } from '../../navigation/navigation.tsx';

type ListedCustomer = Answer<'listCustomers'>['data'][number];

const perPage = 50;
/** The limit up to which the server counts. */
const maxCounted = 100;
const count = (value: number) => (value >= maxCounted ? `${maxCounted}+` : String(value));

const columns: readonly Column<ListedCustomer>[] = [
  {
    id: 'email',
    title: 'E-mail',
    main: true,
    fills: true,
    cell: ({ customer }) => (
      <span className="block truncate" title={customer.email}>
        {customer.email}
      </span>
    ),
  },
  {
    id: 'name',
    title: 'Name',
    fills: true,
    card: 'line',
    isEmpty: ({ customer }) => customer.name === null,
    cell: ({ customer: { name } }) =>
      name === null ? (
        <None />
      ) : (
        <span dir="auto" className="block truncate text-left">
          {name}
        </span>
      ),
  },
  {
    id: 'external_id',
    title: 'Your id',
    fills: true,
    card: 'line',
    isEmpty: ({ customer }) => customer.external_id === null,
    cell: ({ customer: { external_id: id } }) =>
      id === null ? (
        <None />
      ) : (
        <span dir="auto" className="block truncate text-left">
          {id}
        </span>
      ),
  },
  { id: 'payments', title: 'Payments', align: 'end', cell: ({ payments }) => count(payments) },
  { id: 'saved', title: 'Saved methods', align: 'end', cell: ({ saved_methods: saved }) => count(saved) },
  {
    id: 'created',
    title: 'Created',
    card: 'line',
    cell: ({ customer }) => <Time at={customer.created} className="whitespace-nowrap text-text-2" />,
  },
];

/** The customers, newest first, or those that match a search. */
export function CustomersPage() {
  const paths = usePaths();
  const url = useUrlQuery();
  const { page, onPage } = useTableQuery();
  const search = url.get('search');
  const query = { ...(search === '' ? {} : { q: search }), page, per_page: perPage };
  const customers = useCall('listCustomers', { query }, { keep: true });
  const answer = customers.data;
  return (
    <>
      <PageHeader title="Customers" />
      <DataTable
        label="Customers"
        name="customers"
        columns={columns}
        rows={answer?.data}
        rowKey={({ customer }) => customer.id}
        rowTo={({ customer }) => paths.customer(customer.id)}
        stale={customers.isPlaceholderData}
        error={customers.error}
        onRetry={() => void customers.refetch()}
        toolbar={
          <ListSearch
            label="Search customers"
            what="Beginning of an e-mail address, a name or your own id …"
          />
        }
        empty={
          page > 1 ? (
            <BeyondLastPage what="customers" />
          ) : search !== '' ? (
            <EmptyState
              title="No customer matches"
              actions={
                <Button onClick={() => url.set({ search: undefined, page: undefined })}>Show all</Button>
              }
            />
          ) : (
            <EmptyState icon={Users} title="No customers yet">
              Create one by the API, alone or together with a payment.
            </EmptyState>
          )
        }
        footer={
          answer && (
            <CountedPages
              page={page}
              perPage={perPage}
              rows={answer.data.length}
              counted={answer}
              onPage={onPage}
              what="customers"
            />
          )
        }
      />
    </>
  );
}
