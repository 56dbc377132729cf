import type { AccountContext } from '../../accounts/context.ts';
import { localTime } from '../../lib/time-zone.ts';
import type { DownloadedFile } from '../call.ts';
import { byteOrderMark, type Cell, csvLine } from './csv.ts';
import { csvFileName } from './file-name.ts';

/** The first line holds the titles, which spreadsheets take for the names of columns. */
export type Columns<Row> = readonly (readonly [title: string, cell: (row: Row, timeZone: string) => Cell])[];

/** The content of a list's view, to be written to a file. */
export interface ExportedView<Row> {
  /** The list's name for the file name, such as `payments`. */
  readonly list: string;
  /** The filters, by their names in the contract. */
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly columns: Columns<Row>;
  /** All rows, page by page. */
  readonly pages: AsyncIterable<readonly Row[]>;
}

/** A time in a form that spreadsheets recognize as a date: `2026-11-20 13:00:00` in the zone. */
export function localCell(moment: Date, timeZone: string): string {
  const { day, time } = localTime(moment, timeZone);
  return `${day} ${time}`;
}

/** The filters as one text; '' if there are none. */
function filterWords({ sort: _sort, ...query }: ExportedView<unknown>['query'], timeZone: string): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const shown = (name: string, value: string) =>
    name.startsWith('created_') ? `${localCell(new Date(value), timeZone)} ${timeZone}` : value;
  return set.map(([name, value]) => `${name}=${shown(name, String(value))}`).join('; ');
}

/** The first and the last day that the file covers; a single day if they are equal or the view names no first day. */
function daysOf(query: ExportedView<unknown>['query'], { now, timeZone }: AccountContext): string {
  const { created_gte: from, created_lt: to } = query;
  const last = localTime(to === undefined ? now : new Date(new Date(to).getTime() - 1), timeZone).day;
  const first = from === undefined ? last : localTime(new Date(from), timeZone).day;
  return first === last ? last : `${first}-to-${last}`;
}

/**
 * A CSV file of everything that a view matches, written while the rows are read. Each line also holds the time zone and the
 * filters, so that lines of several files can be combined in one sheet.
 */
export function listFile<Row>(context: AccountContext, view: ExportedView<Row>): DownloadedFile {
  const { list, query, columns, pages } = view;
  const { timeZone } = context;
  const filters = filterWords(query, timeZone);
  const titles = [...columns.map(([title]) => title), 'time_zone', 'filters'];
  async function* write(): AsyncGenerator<string> {
    // The titles are sent together with the first rows, so that a failed first read sends nothing.
    let before = byteOrderMark + csvLine(titles);
    for await (const rows of pages) {
      yield before +
        rows
          .map((row) => csvLine([...columns.map(([, cell]) => cell(row, timeZone)), timeZone, filters]))
          .join('');
      before = '';
    }
    if (before !== '') yield before;
  }
  return {
    name: csvFileName(list, context, daysOf(query, context)),
    contentType: 'text/csv; charset=utf-8',
    content: write(),
  };
}
