import type { ReactNode } from 'react';
import type { Sort } from './table-query.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** `end` for numbers and amounts. */
  readonly align?: 'end';
  /** The column's name in the server's sort parameter; the heading becomes a button. */
  readonly sort?: string;
  /** The cell holds the link to the row's page. Exactly one column should. */
  readonly main?: boolean;
  /** Hidden by default. */
  readonly extra?: boolean;
  /** The heading is visually hidden: for a column of buttons. */
  readonly quiet?: boolean;
  readonly className?: string;
  /** Takes the room that the others leave; its text is cut there, so that no column is pushed out. */
  readonly fills?: boolean;
  /**
   * Where it stands on the card that a row is on a phone, `titled` in the line with its title; without it only the table
   * shows it. A table in which no column says so stays one.
   */
  readonly card?: 'before' | 'end' | 'status' | 'aside' | 'line' | 'titled';
  /** Whether a row has nothing to show in it: a card leaves it out. */
  readonly isEmpty?: (row: Row) => boolean;
}

export interface DataTableProps<Row> {
  /** The table's accessible name: "Payments". */
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
  /** The rows are those of the previous query while new ones load. */
  readonly stale?: boolean;
  readonly error?: Error | null | undefined;
  readonly onRetry?: () => void;
  /** Shown without rows: nothing yet, or no match. */
  readonly empty: ReactNode;
  readonly page?: {
    readonly page: number;
    readonly perPage: number;
    readonly total: number;
    readonly onPage: (page: number) => void;
  };
  /** Shown below the rows instead of `page`. */
  readonly footer?: ReactNode;
  /** Where the choice of columns is remembered; without it columns cannot be hidden. */
  readonly name?: string;
  /** Buttons and filters above the table. */
  readonly toolbar?: ReactNode;
}
