import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import type { Column } from './table-props.ts';
import type { Sort } from './table-query.ts';

const spoken = { asc: 'ascending', desc: 'descending' } as const;

/** The headings of a `DataTable`. A heading is a button if the server can sort by its column. */
export function TableHead<Row>({
  columns,
  sort,
  onSort,
}: {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}) {
  return (
    <thead className="sticky top-(--table-top) z-10 bg-surface text-sm text-text-3">
      <tr className="border-b border-line">
        {columns.map((column) => {
          const order = column.sort !== undefined && sort?.by === column.sort ? sort.order : undefined;
          return (
            <th
              key={column.id}
              scope="col"
              aria-sort={order === undefined ? undefined : spoken[order]}
              className={cx(
                'h-9 px-(--cell) font-medium whitespace-nowrap first:pl-4 last:pr-4',
                column.align === 'end' ? 'text-right' : 'text-left',
              )}
            >
              {column.sort !== undefined && onSort !== undefined ? (
                <SortButton title={column.title} by={column.sort} order={order} onSort={onSort} />
              ) : column.quiet === true ? (
                <span className="sr-only">{column.title}</span>
              ) : (
                column.title
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function SortButton({
  title,
  by,
  order,
  onSort,
}: {
  readonly title: string;
  readonly by: string;
  readonly order: Sort['order'] | undefined;
  readonly onSort: (sort: Sort) => void;
}) {
  const picture = order === undefined ? ChevronsUpDown : order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => onSort({ by, order: order === 'desc' ? 'asc' : 'desc' })}
      className={cx(
        '-mx-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 hover:text-text',
        order !== undefined && 'text-text',
      )}
    >
      {title}
      <Icon of={picture} className="size-3.5" />
    </button>
  );
}
