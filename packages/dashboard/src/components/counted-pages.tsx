import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { countOf } from '../lib/plural.ts';
import { Button } from './button.tsx';
import { useUrlQuery } from './navigation.tsx';
import { Time } from './time.tsx';

const number = new Intl.NumberFormat('en');

/** How far a list was counted and looked through. */
export interface Counted {
  readonly has_more: boolean;
  readonly total_count: number;
  readonly total_is_exact: boolean;
  readonly searched_back_to: string | null;
}

/** Which rows of how many are shown, with ways to the pages before and after, for a list that is counted up to a limit. */
export function CountedPages({
  page,
  perPage,
  rows,
  counted,
  onPage,
  what,
}: {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** How many are shown. */
  readonly rows: number;
  readonly counted: Counted;
  readonly onPage: (page: number) => void;
  readonly what: string;
}) {
  const { has_more: more, total_count: total, total_is_exact: exact } = counted;
  const from = (page - 1) * perPage + 1;
  return (
    <nav
      aria-label={`Pages of ${what}`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2 text-sm text-text-2"
    >
      <p className="tabular-nums">
        {rows === 0
          ? `No ${what} on this page`
          : `${number.format(from)}–${number.format(from + rows - 1)} of ${exact ? '' : 'at least '}${countOf(total, what)}`}
      </p>
      <div className="flex gap-1.5">
        <Button
          size="sm"
          icon={ChevronLeft}
          unavailable={page <= 1 ? 'This is the first page.' : undefined}
          onClick={() => onPage(page - 1)}
        >
          Previous
        </Button>
        <Button
          size="sm"
          unavailable={more ? undefined : 'This is the last page.'}
          onClick={() => onPage(page + 1)}
        >
          Next
          <ChevronRight aria-hidden="true" className="size-4" strokeWidth={1.75} />
        </Button>
      </div>
    </nav>
  );
}

/** Says where a search ended before the oldest row, with a way to go on. Nothing where everything was looked through. */
export function SearchedBackTo({
  counted,
  children,
}: {
  readonly counted: Counted;
  readonly children?: ReactNode;
}) {
  const url = useUrlQuery();
  const { searched_back_to: end } = counted;
  if (end === null) return children;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 mt-2 rounded-lg bg-info-soft px-4 py-2 text-sm">
      <p>
        Only the newest rows were looked through, back to <Time at={end} className="font-medium" />.
      </p>
      <Button size="sm" onClick={() => url.set({ before: end, page: undefined })}>
        Look further back
      </Button>
    </div>
  );
}
