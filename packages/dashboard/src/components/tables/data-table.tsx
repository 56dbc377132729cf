import { Columns3 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useIsPhone } from '../../lib/browser/media.ts';
import { recall, remember } from '../../lib/browser/storage.ts';
import { cx } from '../../lib/class-names.ts';
import { IconButton } from '../buttons/button.tsx';
import { ErrorState } from '../feedback/error-state.tsx';
import { Menu, MenuCheckbox, MenuLabel } from '../overlays/menu.tsx';
import { BeyondLastPage } from './counted-pages.tsx';
import { TableBody } from './data-table-body.tsx';
import { TableCards } from './data-table-cards.tsx';
import { TableHead } from './data-table-head.tsx';
import { Pagination } from './pagination.tsx';
import type { Column, DataTableProps } from './table-props.ts';
import { TableRegion } from './table-region.tsx';

/**
 * A list from the server with paging, sorting, hidden columns, keyboard navigation (`j`, `k`, Enter), and loading,
 * empty and error states.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, page, footer, name, toolbar, stale = false } = props;
  const chosen = useColumns(name, columns);
  const hasCards = useIsPhone() && columns.some(({ card }) => card !== undefined);
  const nothing = rows !== undefined && rows.length === 0;
  const failed = error != null && rows === undefined;
  return (
    <div className="min-w-0 overflow-clip rounded-lg border border-line bg-surface shadow-sm">
      {(toolbar !== undefined || name !== undefined) && (
        <div className="flex items-start justify-between gap-2 border-b border-line px-2 py-2">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">{toolbar}</div>
          {name !== undefined && !hasCards && <ColumnMenu columns={columns} chosen={chosen} />}
        </div>
      )}
      {failed ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : nothing ? (
        <NoRows {...props} />
      ) : hasCards ? (
        <div aria-busy={rows === undefined || stale} className={cx(stale && 'opacity-60')}>
          <TableCards {...props} />
        </div>
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

/** A page beyond the last one has no rows either, but then the list is not empty. */
const NoRows = <Row,>({ label, page, empty }: DataTableProps<Row>) =>
  page !== undefined && page.page > 1 ? <BeyondLastPage what={label.toLowerCase()} /> : empty;

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

/** Wraps a `DataTable` inside a flush `Card`: the card draws the border, so the table has none. */
export const FlushTable = ({ children }: { readonly children: ReactNode }) => (
  <div className="*:rounded-none *:rounded-b-lg *:border-0 *:shadow-none">{children}</div>
);
