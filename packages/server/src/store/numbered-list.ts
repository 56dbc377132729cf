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

type Page<Row> = { rows: Row[]; total: number };

/** Pages that one statement reads at most, so that nobody waits for many of others. */
const mostPages = 16;

/** SQL for several pages at once, each with its `place` among the parameters: tenants, offsets and limits as arrays. */
function numberedPages(rows: NumberedRows, shown = 'page.*'): string {
  const ofPlace = { $1: 's.tenant', $2: 's.skip', $3: 's.take' } as const;
  const page = numberedPage(rows).replaceAll(
    /\$[123]/g,
    (parameter) => ofPlace[parameter as keyof typeof ofPlace],
  );
  return `select s.place::int, ${shown}
    from ${parameterRows('int', 'bigint', 'bigint')} with ordinality as s (tenant, skip, take, place)
    cross join lateral (${page}) page order by s.place, ${orderOf(rows, 'page')}`;
}

/** How several pages are read at once: by which statement, and what its rows for one of them are. */
interface PagesStatement<Row> {
  readonly name: string;
  readonly text: string;
  readonly pageOf: (found: readonly ListedRow<never>[]) => Page<Row>;
}

type JsonOfRow = { readonly id: string; readonly fields: readonly unknown[] };

function pagesAsJson<Row>(
  name: string,
  listed: NumberedRows,
  { select, read }: RowsAsJson<Row>,
): PagesStatement<Row> {
  const fields = `case when page.id is not null then ${select('page')} end as fields`;
  return {
    name,
    text: numberedPages(listed, `page.total, page.id, ${fields}`),
    pageOf(found: readonly ListedRow<JsonOfRow>[]) {
      const { rows, total } = foundRows(found);
      return { rows: rows.map((row) => read(row.fields)), total };
    },
  };
}

/** Reads pages of a list at once; what several ask for is read once. */
async function readPages<Row>(
  db: Queryable,
  { name, text, pageOf }: PagesStatement<Row>,
  places: readonly (OfTenant & Place)[],
): Promise<Page<Row>[]> {
  const keyOf = ({ tenant, offset, perPage }: OfTenant & Place) => `${tenant} ${offset} ${perPage}`;
  const distinct = new Map(places.map((place) => [keyOf(place), place]));
  const asked = [...distinct.values()];
  const found = await db.query<ListedRow<never> & { readonly place: number }>({
    name,
    generic: true,
    text,
    values: [
      asked.map(({ tenant }) => tenant),
      asked.map(({ offset }) => offset),
      asked.map(({ perPage }) => perPage),
    ],
    scope: asked,
  });
  const ofPlaces = asked.map((): ListedRow<never>[] => []);
  for (const row of found) ofPlaces[row.place - 1]?.push(row);
  const pages = new Map(asked.map((place, n) => [keyOf(place), pageOf(ofPlaces[n] ?? [])]));
  return places.map((place) => pages.get(keyOf(place)) ?? pageOf([]));
}

/**
 * @returns how a list is read: by its numbers, concurrent pages in one statement, or, where conditions are given, the rows that
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
  const statement: PagesStatement<Row> =
    asJson === undefined
      ? { name, text: numberedPages(listed), pageOf: foundRows<Row> }
      : pagesAsJson(name, listed, asJson);
  const readers = new WeakMap<Queryable, Batcher<OfTenant & Place, Page<Row>>>();
  const readerOf = (db: Queryable) => {
    const known = readers.get(db);
    if (known !== undefined) return known;
    const reader = new Batcher<OfTenant & Place, Page<Row>>((places) => readPages(db, statement, places), {
      most: mostPages,
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
