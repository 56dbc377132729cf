import type { ReactNode } from 'react';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { Button } from '../buttons/button.tsx';
import { EmptyState } from '../feedback/empty-state.tsx';
import { Time } from '../values/time.tsx';
import { Pagination } from './pagination.tsx';

/** The number of rows that the server counted and searched. */
interface Counted {
  readonly has_more: boolean;
  readonly total_count: number;
  readonly total_is_exact: boolean;
  readonly searched_back_to: string | null;
}

/**
 * The footer of a list that the server counts up to a limit: which rows are shown, and where a search stopped early.
 */
export function CountedPages({
  page,
  perPage,
  rows,
  counted,
  onPage,
  what,
}: {
  readonly page: number;
  readonly perPage: number;
  readonly rows: number;
  readonly counted: Counted;
  readonly onPage: (page: number) => void;
  readonly what: string;
}) {
  return (
    <>
      <SearchedBackTo counted={counted} />
      {(rows > 0 || page > 1) && (
        <Pagination
          page={page}
          perPage={perPage}
          rows={rows}
          total={counted.total_count}
          exact={counted.total_is_exact}
          more={counted.has_more}
          onPage={onPage}
          what={what}
        />
      )}
    </>
  );
}

/** Shown on a page beyond the end of the list. */
export function BeyondLastPage({ what }: { readonly what: string }) {
  const url = useUrlQuery();
  return (
    <EmptyState
      title={`There are no ${what} on this page`}
      actions={<Button onClick={() => url.set({ page: undefined })}>Go to the first page</Button>}
    >
      The list ends before it.
    </EmptyState>
  );
}

/**
 * Says how far back a search got if it stopped before the oldest row, with a button to continue. Renders nothing after
 * a complete search.
 */
function SearchedBackTo({ counted }: { readonly counted: Counted }): ReactNode {
  const url = useUrlQuery();
  const { searched_back_to: end } = counted;
  if (end === null) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line bg-info-soft px-4 py-2 text-sm">
      <p>
        Only the newest rows were looked through, back to <Time at={end} className="font-medium" />.
      </p>
      <Button size="sm" onClick={() => url.set({ before: end, page: undefined })}>
        Look further back
      </Button>
    </div>
  );
}
