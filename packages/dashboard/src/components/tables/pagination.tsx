import { ChevronLeft, ChevronRight } from 'lucide-react';
import { countOf, countText, singularOf } from '../../lib/wording/plural.ts';
import { Button } from '../buttons/button.tsx';

/**
 * Says which rows out of how many are shown, with links to the previous and the next page if there are any. Pages count
 * from 1.
 */
export function Pagination({
  page,
  perPage,
  rows,
  total,
  exact = true,
  more,
  onPage,
  what,
}: {
  readonly page: number;
  readonly perPage: number;
  /** The number of rows shown; a full page by default. */
  readonly rows?: number | undefined;
  readonly total: number;
  /** If false, `total` is a lower bound. */
  readonly exact?: boolean;
  /** Whether there is a next page, if `total` is not exact. */
  readonly more?: boolean;
  readonly onPage: (page: number) => void;
  /** What the list contains, in the plural: "payments". */
  readonly what: string;
}) {
  const before = (page - 1) * perPage;
  const shown = rows ?? Math.max(0, Math.min(perPage, total - before));
  const goesOn = more ?? before + shown < total;
  return (
    <nav
      aria-label={`Pages of ${what}`}
      className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2 text-sm text-text-2"
    >
      <p className="tabular-nums">{rangeText({ before, shown, total, exact, what })}</p>
      {(page > 1 || goesOn) && (
        <div className="flex flex-wrap gap-1.5">
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
            unavailable={goesOn ? undefined : 'This is the last page.'}
            onClick={() => onPage(page + 1)}
          >
            Next
            <ChevronRight aria-hidden="true" className="size-4" strokeWidth={1.75} />
          </Button>
        </div>
      )}
    </nav>
  );
}

function rangeText({
  before,
  shown,
  total,
  exact,
  what,
}: {
  readonly before: number;
  readonly shown: number;
  readonly total: number;
  readonly exact: boolean;
  readonly what: string;
}): string {
  const all = countOf(total, singularOf(what), what);
  if (shown === 0) return `No ${what} on this page`;
  if (shown === total && exact) return all;
  return `${countText(before + 1)}–${countText(before + shown)} of ${exact ? '' : 'at least '}${all}`;
}
