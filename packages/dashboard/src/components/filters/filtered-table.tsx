import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OperationName, Query } from '../../api/calls.ts';
import { isoOfDay } from '../../lib/amounts/time.ts';
import { Button } from '../buttons/button.tsx';
import { EmptyState } from '../feedback/empty-state.tsx';
import { DataTable } from '../tables/data-table.tsx';
import type { DataTableProps } from '../tables/table-props.ts';
import { useTableQuery } from '../tables/table-query.ts';
import { type Filter, FilterBar, useFilters } from './filter-bar.tsx';

const perPage = 50;

/** The last two filters of every list that has times. */
export const dateFilters: readonly Filter[] = [
  { key: 'from', label: 'From', kind: 'date' },
  { key: 'to', label: 'To', kind: 'date', hint: 'This day included.' },
];

/**
 * The query of a list, from the filters and the page number in the URL. Days become the moments at which they begin and
 * end.
 */
export function useListQuery<K extends OperationName>(filters: readonly Filter[]): NonNullable<Query<K>> {
  const { page } = useTableQuery();
  const { from, to, ...rest } = useFilters(filters).values;
  // The URL is user input: the server rejects invalid values, and the list shows its error.
  return {
    ...rest,
    page,
    per_page: perPage,
    ...(from === undefined ? {} : { from: isoOfDay(from) }),
    ...(to === undefined ? {} : { to: isoOfDay(to, 1) }),
  } as NonNullable<Query<K>>;
}

interface CappedPage<Row> {
  readonly data: readonly Row[];
  readonly total_count: number;
  /** True if there are more rows than the server counted. */
  readonly capped: boolean;
}

/** A list with filters and a capped total. Query it with `useListQuery`; the table shows all its states. */
export function FilteredTable<Row>({
  views,
  filters,
  list,
  one,
  empty,
  ...table
}: Pick<DataTableProps<Row>, 'label' | 'name' | 'columns' | 'rowKey' | 'rowTo' | 'onOpen'> & {
  /** Identifies the list whose saved views this browser keeps. */
  readonly views: string;
  readonly filters: readonly Filter[];
  readonly list: UseQueryResult<CappedPage<Row>>;
  /** What the list contains, in the singular: "event". */
  readonly one: string;
  /** Shown if there are no rows and no filter is set. */
  readonly empty: ReactNode;
}) {
  const { page, onPage } = useTableQuery();
  const { any, clear } = useFilters(filters);
  return (
    <div>
      <DataTable
        {...table}
        rows={list.data?.data}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        toolbar={<FilterBar name={views} filters={filters} />}
        page={{ page, perPage, total: list.data?.total_count ?? 0, onPage }}
        empty={
          any ? (
            <EmptyState
              title={`No ${one} matches`}
              actions={<Button onClick={clear}>Clear filters</Button>}
            />
          ) : (
            empty
          )
        }
      />
      <CappedNote capped={list.data?.capped === true} />
    </div>
  );
}

/** Says that the total is capped. */
const CappedNote = ({ capped }: { readonly capped: boolean }) => (
  <div role="status">
    {capped && (
      <p className="mt-2 text-sm text-text-2">
        There are more: the 10,000 newest are counted. Narrow the dates to see older ones.
      </p>
    )}
  </div>
);
