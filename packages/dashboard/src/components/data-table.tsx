import { Columns3 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { cx } from '../lib/class-names.ts';
import { recall, remember } from '../lib/storage.ts';
import { IconButton } from './button.tsx';
import { TableBody } from './data-table-body.tsx';
import { TableHead } from './data-table-head.tsx';
import { ErrorState } from './error-state.tsx';
import { Menu, MenuCheckbox, MenuLabel } from './menu.tsx';
import { Pagination } from './pagination.tsx';
import type { Sort } from './table-query.ts';
import { TableRegion } from './table-region.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and amounts stand at the end. */
  readonly align?: 'end';
  /** What the server calls this order; the heading becomes a button. */
  readonly sort?: string;
  /** The cell holds the link to the row's page. Exactly one column should. */
  readonly main?: boolean;
  /** Hidden until somebody asks for it. */
  readonly extra?: boolean;
  /** The heading is read but not seen: for a column of buttons. */
  readonly quiet?: boolean;
  readonly className?: string;
}

export interface DataTableProps<Row> {
  /** What it lists; read as the table's name: "Payments". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** The page of a row, below `/dashboard`. */
  readonly rowTo?: (row: Row) => string;
  /** For rows that open something in place, such as a drawer. */
  readonly onOpen?: (row: Row) => void;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  /** Old rows are shown while new ones load. */
  readonly stale?: boolean;
  readonly error?: Error | null | undefined;
  readonly onRetry?: () => void;
  /** What stands there without rows: nothing yet, or no match. */
  readonly empty: ReactNode;
  readonly page?: {
    readonly page: number;
    readonly perPage: number;
    readonly total: number;
    readonly onPage: (page: number) => void;
  };
  /** Stands below the rows instead of `page`. */
  readonly footer?: ReactNode;
  /** Where the choice of columns is remembered; without it columns cannot be hidden. */
  readonly name?: string;
  /** Buttons and filters above the table. */
  readonly toolbar?: ReactNode;
}

/** A list from the server: pages, sorting, columns to hide, keyboard (`j`, `k`, Enter), and every state a list has. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, empty, page, footer, name, toolbar, stale = false } = props;
  const chosen = useColumns(name, columns);
  const nothing = rows !== undefined && rows.length === 0;
  const failed = error != null && rows === undefined;
  return (
    <div className="min-w-0 overflow-clip rounded-lg border border-line bg-surface shadow-sm">
      {(toolbar !== undefined || name !== undefined) && (
        <div className="flex items-start justify-between gap-2 border-b border-line px-2 py-2">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">{toolbar}</div>
          {name !== undefined && <ColumnMenu columns={columns} chosen={chosen} />}
        </div>
      )}
      {failed ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : nothing ? (
        empty
      ) : (
        <TableRegion label={label} busy={rows === undefined || stale}>
          <table className={cx('w-full border-collapse', stale && 'opacity-60 transition-opacity')}>
            <caption className="sr-only">{label}</caption>
            <TableHead columns={chosen.shown} sort={props.sort} onSort={props.onSort} />
            <TableBody {...props} columns={chosen.shown} />
          </table>
        </TableRegion>
      )}
      {page !== undefined && page.total > 0 && (
        <Pagination {...page} rows={rows?.length} what={label.toLowerCase()} />
      )}
      {footer}
    </div>
  );
}

function useColumns<Row>(name: string | undefined, columns: readonly Column<Row>[]) {
  const place = `columns.${name ?? ''}`;
  const usual = columns.filter(({ extra }) => extra === true).map(({ id }) => id);
  const [hidden, setHidden] = useState<readonly string[]>(() =>
    name === undefined ? usual : recall(place, usual),
  );
  return {
    shown: columns.filter(({ id, main }) => main === true || !hidden.includes(id)),
    hidden,
    show(id: string, visible: boolean) {
      const next = visible ? hidden.filter((one) => one !== id) : [...hidden, id];
      setHidden(next);
      remember(place, next);
    },
  };
}

function ColumnMenu<Row>({
  columns,
  chosen,
}: {
  readonly columns: readonly Column<Row>[];
  readonly chosen: {
    readonly hidden: readonly string[];
    readonly show: (id: string, visible: boolean) => void;
  };
}) {
  return (
    <Menu button={<IconButton label="Columns" icon={Columns3} size="sm" />}>
      <MenuLabel>Columns</MenuLabel>
      {columns
        .filter(({ main, quiet }) => main !== true && quiet !== true)
        .map(({ id, title }) => (
          <MenuCheckbox
            key={id}
            checked={!chosen.hidden.includes(id)}
            onChange={(visible) => chosen.show(id, visible)}
          >
            {title}
          </MenuCheckbox>
        ))}
    </Menu>
  );
}
