import { cx } from '../../lib/class-names.ts';
import { Link } from '../../navigation/navigation.tsx';
import { LoadingText, Skeleton } from '../feedback/skeleton.tsx';
import type { Column, DataTableProps } from './table-props.ts';

const cellLook = (column: {
  readonly align?: 'end';
  readonly className?: string;
  readonly fills?: boolean;
}) =>
  cx(
    'h-(--row) px-(--cell) py-1 first:pl-4 last:pr-4',
    column.align === 'end' ? 'w-px text-right whitespace-nowrap tabular-nums' : 'text-left',
    // With `max-w-0` the contents do not widen the cell: it gets the width of its heading or its share of the remaining
    // width.
    column.fills === true ? 'w-1/4 max-w-0' : (column.className ?? 'max-w-80'),
  );

// The link of the row covers the whole row; other controls are stacked above it.
const stretched = 'max-w-full text-left after:absolute after:inset-0 focus-visible:outline-none';
export const rowLook =
  'relative border-b border-line last:border-b-0 has-[[data-row]:focus-visible]:bg-accent-soft has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-focus [&_:is(button,a):not([data-row])]:relative [&_:is(button,a):not([data-row])]:z-1';

/** The rows of a `DataTable`, or skeletons while they load. */
export function TableBody<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowTo, onOpen } = props;
  if (rows === undefined) return <LoadingRows label={label} columns={columns} />;
  const opens = rowTo !== undefined || onOpen !== undefined;
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={rowKey(row)} className={cx(rowLook, opens && 'hover:bg-hover')}>
          {columns.map((column) => (
            <td key={column.id} className={cellLook(column)}>
              {column.main === true ? <MainCell {...props} row={row} column={column} /> : column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** The cell with the row's link or button. */
export function MainCell<Row>({
  row,
  column,
  rowTo,
  onOpen,
}: DataTableProps<Row> & { row: Row; column: Column<Row> }) {
  const content = column.cell(row);
  if (rowTo !== undefined) {
    return (
      <Link to={rowTo(row)} data-row="" className={cx(stretched, 'font-medium')}>
        {content}
      </Link>
    );
  }
  if (onOpen === undefined) return content;
  return (
    <button type="button" data-row="" onClick={() => onOpen(row)} className={cx(stretched, 'font-medium')}>
      {content}
    </button>
  );
}

const outlines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

function LoadingRows<Row>({
  label,
  columns,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
}) {
  return (
    <tbody>
      {outlines.map((outline) => (
        <tr key={outline} className="border-b border-line last:border-b-0">
          {columns.map((column, index) => (
            <td key={column.id} className={cellLook(column)}>
              {outline === 'one' && index === 0 && <LoadingText of={label.toLowerCase()} />}
              <Skeleton
                className={cx('h-3.5', index % 3 === 0 ? 'w-28' : index % 3 === 1 ? 'w-20' : 'w-16')}
              />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
