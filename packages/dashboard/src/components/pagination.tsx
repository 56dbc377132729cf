import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';

const number = new Intl.NumberFormat('en');

/** Which rows of how many are shown, with ways to the pages before and after. Pages count from 1. */
export function Pagination({
  page,
  perPage,
  total,
  onPage,
  what = 'rows',
}: {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly what?: string;
}) {
  const from = Math.min(total, (page - 1) * perPage + 1);
  const to = Math.min(total, page * perPage);
  return (
    <nav
      aria-label={`Pages of ${what}`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2 text-sm text-text-2"
    >
      <p className="tabular-nums">
        {total === 0
          ? `No ${what}`
          : `${number.format(from)}–${number.format(to)} of ${number.format(total)} ${what}`}
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
          unavailable={to >= total ? 'This is the last page.' : undefined}
          onClick={() => onPage(page + 1)}
        >
          Next
          <ChevronRight aria-hidden="true" className="size-4" strokeWidth={1.75} />
        </Button>
      </div>
    </nav>
  );
}
