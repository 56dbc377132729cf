import { Batcher } from './batcher.ts';
import type { RowsAsJson } from './columns.ts';
import type { Queryable } from './database.ts';
import {
  type Conditions,
  foundRows,
  type ListedRow,
  matchingPageOf,
  type NumberedRows,
  numberedPage,
  orderOf,
} from './list.ts';
import { parameterRows } from './sql.ts';
import type { OfTenant } from './tenant.ts';

/** The page of a list without a filter. */
interface Place {
  readonly offset: number;
  readonly perPage: number;
}

/** A page that is read together with other pages of its tenant. */
type PlaceOfTenant = OfTenant & Place;

type Page<Row> = { readonly rows: readonly Row[]; readonly total: number };

/** The maximum number of pages that one statement reads, so that no caller waits for many pages of others. */
const maxPages = 16;

/**
 * SQL for several pages of a tenant at once. The parameters are arrays of offsets and limits, and the tenant. Each row has the
 * `place` of its page in those arrays.
 * @param page SQL for one page, as `numberedPage` writes it @param order the order of its rows
 */
function severalPages(page: string, order: string): string {
  const ofPlace = { $1: '$3', $2: 's.skip', $3: 's.take' } as const;
  const lateral = page.replaceAll(/\$[123]/g, (parameter) => ofPlace[parameter as keyof typeof ofPlace]);
  return `select s.place::int, page.* from ${parameterRows('bigint', 'bigint')}
      with ordinality as s (skip, take, place)
    cross join lateral (${lateral}) page order by s.place${order}`;
}

/** A statement that reads several pages at once, and a function that builds a page from the rows found for it. */
interface PagesStatement<Found, Row> {
  readonly name: string;
  readonly text: string;
  readonly pageOf: (found: readonly Found[]) => Page<Row>;
}

const pagesAsRows = <Row extends { readonly id: string }>(
  name: string,
  listed: NumberedRows,
): PagesStatement<ListedRow<Row>, Row> => ({
  name,
  text: severalPages(numberedPage(listed), `, ${orderOf(listed, 'page')}`),
  pageOf: foundRows,
});

/** A page as one row: the number of all rows, and the rows of the page as one JSON value. */
interface JsonPage {
  readonly total: number | null;
  readonly rows: readonly (readonly unknown[])[] | null;
}

function pagesAsJson<Row>(
  name: string,
  listed: NumberedRows,
  { select, read }: RowsAsJson<Row>,
): PagesStatement<JsonPage, Row> {
  const rows = `json_agg(${select('r')} order by ${orderOf(listed, 'r')}) filter (where r.id is not null)`;
  return {
    name,
    text: severalPages(`select max(r.total) as total, ${rows} as rows from (${numberedPage(listed)}) r`, ''),
    pageOf: ([page]) => ({
      rows: page?.rows?.map(read) ?? [],
      total: page?.total ?? 0,
    }),
  };
}

type ReadPages<Row> = (db: Queryable, places: readonly PlaceOfTenant[]) => Promise<Page<Row>[]>;

/** Reads several pages of a tenant's list at once; a page that several callers request is read once. */
const readWith =
  <Found, Row>({ name, text, pageOf }: PagesStatement<Found, Row>): ReadPages<Row> =>
  async (db, places) => {
    const keyOf = ({ offset, perPage }: Place) => `${offset} ${perPage}`;
    const distinct = new Map(places.map((place) => [keyOf(place), place]));
    const asked = [...distinct.values()];
    const [first] = asked;
    if (first === undefined) return [];
    const { tenant } = first;
    const found = await db.query<Found & { readonly place: number }>({
      name,
      generic: true,
      text,
      values: [asked.map(({ offset }) => offset), asked.map(({ perPage }) => perPage), tenant],
      scope: { tenant },
    });
    const ofPlaces = asked.map((): Found[] => []);
    for (const row of found) ofPlaces[row.place - 1]?.push(row);
    const pages = new Map(asked.map((place, n) => [keyOf(place), pageOf(ofPlaces[n] ?? [])]));
    return places.map((place) => pages.get(keyOf(place)) ?? pageOf([]));
  };

/**
 * @returns a function that reads a page of the list and the number of all rows. Without conditions it reads by row number and
 *   merges concurrent calls of a tenant into one statement; with conditions it reads the matching rows.
 */
export function numberedList<Row extends { readonly id: string }>({
  name,
  asJson,
  ...listed
}: NumberedRows & {
  /** The name of the prepared statement. */
  readonly name: string;
  /** Set for a list with many columns, which is faster to read as JSON. */
  readonly asJson?: RowsAsJson<Row>;
}) {
  const readPages =
    asJson === undefined
      ? readWith(pagesAsRows<Row>(name, listed))
      : readWith(pagesAsJson(name, listed, asJson));
  const readers = new WeakMap<Queryable, Batcher<PlaceOfTenant, Page<Row>>>();
  const readerOf = (db: Queryable) => {
    const known = readers.get(db);
    if (known !== undefined) return known;
    // Each page counts the hidden rows. With one line per tenant, a tenant with many hidden rows does not delay others.
    const reader = new Batcher<PlaceOfTenant, Page<Row>>((places) => readPages(db, places), {
      max: maxPages,
      lineOf: ({ tenant }) => tenant,
    });
    readers.set(db, reader);
    return reader;
  };
  return async (
    db: Queryable,
    { tenant }: OfTenant,
    { offset, perPage }: Place,
    where: Conditions | null,
  ): Promise<Page<Row>> =>
    where === null
      ? readerOf(db).submit({ tenant, offset, perPage })
      : foundRows(
          await db.query<ListedRow<Row>>(matchingPageOf({ tenant }, listed, where, { offset, perPage })),
        );
}
