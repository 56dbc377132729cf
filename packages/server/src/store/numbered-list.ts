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

/** Which rows of a list without a filter are shown. */
interface Place {
  readonly offset: number;
  readonly perPage: number;
}

/** Of one that is read with others of its tenant. */
type PlaceOfTenant = OfTenant & Place;

type Page<Row> = { readonly rows: readonly Row[]; readonly total: number };

/** Pages that one statement reads at most, so that nobody waits for many of others. */
const maxPages = 16;

/**
 * SQL for several pages of a tenant at once, each with its `place` among the parameters: offsets and limits as arrays, the tenant.
 * @param page SQL for one of them, as `numberedPage` writes it @param order of its rows
 */
function severalPages(page: string, order: string): string {
  const ofPlace = { $1: '$3', $2: 's.skip', $3: 's.take' } as const;
  const lateral = page.replaceAll(/\$[123]/g, (parameter) => ofPlace[parameter as keyof typeof ofPlace]);
  return `select s.place::int, page.* from ${parameterRows('bigint', 'bigint')}
      with ordinality as s (skip, take, place)
    cross join lateral (${lateral}) page order by s.place${order}`;
}

/** How several pages are read at once: by which statement, and what its rows for one of them are. */
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

/** A page as one row: its number of all, and its rows as one JSON value. */
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

/** Reads pages of a tenant's list at once; what several ask for is read once. */
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
 * @returns how a list is read: by its numbers, concurrent pages of a tenant in one statement, or, where conditions are given, the rows that
 *   match; with the number of all
 */
export function numberedList<Row extends { readonly id: string }>({
  name,
  asJson,
  ...listed
}: NumberedRows & {
  /** Of the prepared statement. */
  readonly name: string;
  /** Of a list whose rows have many columns. */
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
    // Hidden rows are counted for each page: a tenant with many of them keeps no other waiting.
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
