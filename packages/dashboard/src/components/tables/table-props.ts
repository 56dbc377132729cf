import type { ReactNode } from 'react';
import type { Sort } from './table-query.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** `end` for numbers and amounts. */
  readonly align?: 'end';
  /** The name of the column in the server's sort parameter; with it the heading becomes a button. */
  readonly sort?: string;
  /** The cell holds the link to the row's page. Exactly one column should set this. */
  readonly main?: boolean;
  /** Hidden by default. */
  readonly extra?: boolean;
  /** The heading is visually hidden: for a column of buttons. */
  readonly quiet?: boolean;
  readonly className?: string;
  /** The column takes the width that the others leave. Its text is truncated, so that it pushes no other column out. */
  readonly fills?: boolean;
  /**
   * The place of the column on the card that shows a row on a phone. `titled` puts it in the last line with its title.
   * Without a place only the table shows it; a table without any such column stays a table on phones.
   */
  readonly card?: 'before' | 'end' | 'status' | 'aside' | 'line' | 'titled';
  /** Whether the row has no value in this column. A card then leaves it out. */
  readonly isEmpty?: (row: Row) => boolean;
}

export interface DataTableProps<Row> {
  /** The table's accessible name: "Payments". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while the rows load. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** The URL of a row's page, below `/dashboard`. */
  readonly rowTo?: (row: Row) => string;
  /** For rows that open something in place, such as a drawer. */
  readonly onOpen?: (row: Row) => void;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  /** The rows belong to the previous query while the new ones load. */
  readonly stale?: boolean;
  readonly error?: Error | null | undefined;
  readonly onRetry?: () => void;
  /** Shown if there are no rows: the list is empty, or nothing matches. */
  readonly empty: ReactNode;
  readonly page?: {
    readonly page: number;
    readonly perPage: number;
    readonly total: number;
    readonly onPage: (page: number) => void;
  };
  /** Shown below the rows instead of `page`. */
  readonly footer?: ReactNode;
  /** The key under which the choice of columns is remembered. Without it columns cannot be hidden. */
  readonly name?: string;
  /** Buttons and filters above the table. */
  readonly toolbar?: ReactNode;
}
