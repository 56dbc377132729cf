import { LoadingText, Skeleton } from '../feedback/skeleton.tsx';
import { MainCell, rowLook } from './data-table-body.tsx';
import type { Column, DataTableProps } from './table-props.ts';

const cardLook = `${rowLook} flex flex-col gap-1.5 px-4 py-3 [overflow-wrap:anywhere]`;

/** The rows of a `DataTable` on a phone: each row is a card with the columns that ask for a place on it. */
export function TableCards<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey } = props;
  if (rows === undefined) return <LoadingCards label={label} />;
  const placed = (place: Column<Row>['card']) => columns.filter(({ card }) => card === place);
  const main = columns.find((column) => column.main === true);
  return (
    <ul aria-label={label}>
      {rows.map((row) => (
        <li key={rowKey(row)} className={cardLook}>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            {placed('before').map((column) => (
              <span key={column.id}>{column.cell(row)}</span>
            ))}
            {main !== undefined && (
              <span className="max-w-full flex-1">
                <MainCell {...props} row={row} column={main} />
              </span>
            )}
            <ColumnValues row={row} columns={placed('end')} />
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 empty:hidden">
            {placed('status').map((column) => (
              <span key={column.id} className="max-w-full min-w-0">
                {column.cell(row)}
              </span>
            ))}
            <span className="ml-auto empty:hidden">
              <ColumnValues row={row} columns={placed('aside')} />
            </span>
          </div>
          <Line row={row} columns={columns.filter(({ card }) => card === 'line' || card === 'titled')} />
        </li>
      ))}
    </ul>
  );
}

function Line<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  const filled = columns.filter(({ isEmpty }) => isEmpty?.(row) !== true);
  if (filled.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-0.5">
      <ColumnValues row={row} columns={filled} />
    </div>
  );
}

/** Values with their titles. A title is only for screen readers, unless the column is `titled`. */
const ColumnValues = <Row,>({
  row,
  columns,
}: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
}) =>
  columns.map(({ id, title, card, quiet, cell }) => (
    <span key={id} className="max-w-full min-w-0 text-sm text-text-2">
      {quiet !== true && <span className={card === 'titled' ? 'text-text-3' : 'sr-only'}>{title}: </span>}
      {cell(row)}
    </span>
  ));

const outlines = ['one', 'two', 'three', 'four', 'five', 'six'];

const LoadingCards = ({ label }: { readonly label: string }) => (
  <div>
    {outlines.map((outline) => (
      <div key={outline} className={cardLook}>
        {outline === 'one' && <LoadingText of={label.toLowerCase()} />}
        <Skeleton className="h-5 w-28" />
        <Skeleton className="h-5 w-20" />
        <Skeleton className="h-5 w-40" />
      </div>
    ))}
  </div>
);
