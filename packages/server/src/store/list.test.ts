import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../vault/test-database.ts';
import { type RowsAsJson, rowsAsJson, text as textColumn } from './columns.ts';
import type { Database } from './database.ts';
import { Conditions, foundRows, type ListedRow, matchingPageOf, numberedPage } from './list.ts';
import { numberedList } from './numbered-list.ts';
import type { Tenant } from './tenant.ts';

let db: Database;
let drop: () => Promise<void>;
let tenant: Tenant;
let other: Tenant;

const run = (text: string, values: readonly unknown[] = []) => db.query({ text, values, scope: 'everybody' });

beforeAll(async () => {
  const database = await createTestDatabase();
  ({ db } = database);
  drop = () => database.drop();
  tenant = await database.openTenant();
  other = await database.openTenant();
  await run('create table listed (tenant int, id text, seq bigint, gone boolean)');
  await run('create table listed_names (id text, name text)');
  // The tenant has ten rows, of which the 5th and the 9th are hidden.
  await run(
    `insert into listed select t, 'row_' || n, n, n in (5, 9)
     from unnest($1::int[]) t cross join generate_series(1, 10) n where t = $2 or n <= 3`,
    [[tenant.tenant, other.tenant], tenant.tenant],
  );
  await run(`insert into listed_names select id, upper(id) from listed where tenant = $1`, [tenant.tenant]);
  await run('create table listed_drafts (tenant int, seq bigint)');
  await run('insert into listed_drafts values ($1, 11), ($1, 12)', [tenant.tenant]);
  await run(
    `insert into counters (tenant, list, last) values ($1, 'listed', 10), ($1, 'drafted', 12), ($2, 'listed', 3)`,
    [tenant.tenant, other.tenant],
  );
});
afterAll(() => drop());

interface Row {
  readonly id: string;
  readonly name?: string;
}

const all = { list: 'listed', table: 'listed', columns: 'id, seq' };
const shown = {
  ...all,
  hidden: { numbers: 'select seq from listed where tenant = $1 and gone', shown: 'not gone' },
};
const joined = {
  ...all,
  alias: 'l',
  columns: 'l.id, l.seq, n.name',
  join: 'join listed_names n on n.id = l.id',
};

async function page(text: string, values: readonly unknown[]) {
  const { rows, total } = foundRows(await db.query<ListedRow<Row>>({ text, values, scope: 'everybody' }));
  return { ids: rows.map(({ id }) => Number(id.slice(4))), rows, total };
}

describe('concurrent pages of a list', () => {
  const readTogether = async (
    places: readonly (readonly [Tenant, number, number])[],
    asJson?: RowsAsJson<Row>,
  ) => {
    let statements = 0;
    const query: Database['query'] = (statement) => {
      statements += 1;
      return db.query({ ...statement, scope: 'everybody' });
    };
    const name = asJson === undefined ? 'listed' : 'listed_as_json';
    const read = numberedList<Row>({ name, ...shown, ...(asJson && { asJson }) });
    const counting = { query } as Database;
    const pages = await Promise.all(
      places.map(([of, offset, perPage]) => read(counting, of, { offset, perPage }, null)),
    );
    return { statements, pages: pages.map(({ rows, total }) => [rows.map(({ id }) => id), total]) };
  };

  it('come from one statement for each tenant, with their own rows and total', async () => {
    const { statements, pages } = await readTogether([
      [tenant, 0, 2],
      [other, 0, 5],
      [tenant, 6, 3],
      [tenant, 0, 2],
      [tenant, 20, 2],
    ]);
    expect(statements).toBe(2);
    expect(pages).toEqual([
      [['row_10', 'row_8'], 8],
      [['row_3', 'row_2', 'row_1'], 3],
      [['row_2', 'row_1'], 8],
      [['row_10', 'row_8'], 8],
      [[], 8],
    ]);
  });

  it('are the same where rows come as JSON', async () => {
    const places = [
      [tenant, 6, 3],
      [other, 0, 5],
      [tenant, 6, 3],
      [tenant, 20, 2],
    ] as const;
    expect(await readTogether(places, rowsAsJson({ id: textColumn }))).toEqual(await readTogether(places));
  });

  it('of one tenant do not wait for those of another', async () => {
    let proceed = () => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const query: Database['query'] = async (statement) => {
      if (statement.values?.includes(tenant.tenant)) await held;
      return db.query({ ...statement, scope: 'everybody' });
    };
    const read = numberedList<Row>({ name: 'listed', ...shown });
    const one = { query } as Database;
    const slow = read(one, tenant, { offset: 0, perPage: 2 }, null);
    const quick = await read(one, other, { offset: 0, perPage: 2 }, null);
    expect(quick.rows.map(({ id }) => id)).toEqual(['row_3', 'row_2']);
    proceed();
    expect((await slow).total).toBe(8);
  });

  it('are at most 16 in a statement', async () => {
    const places = Array.from({ length: 20 }, (_, n) => [tenant, n, 1] as const);
    expect((await readTogether(places)).statements).toBe(2);
  });
});

describe('a page of numbered rows', () => {
  it('is a range of numbers, newest first, with the total', async () => {
    const text = numberedPage(all);
    expect(await page(text, [tenant.tenant, 0, 3])).toMatchObject({ ids: [10, 9, 8], total: 10 });
    expect(await page(text, [tenant.tenant, 9, 3])).toMatchObject({ ids: [1], total: 10 });
    expect(await page(text, [other.tenant, 0, 20])).toMatchObject({ ids: [3, 2, 1], total: 3 });
  });

  it('is empty after the last one, with the total, and where no row exists', async () => {
    expect(await page(numberedPage(all), [tenant.tenant, 10, 5])).toMatchObject({ ids: [], total: 10 });
    expect(await page(numberedPage(shown), [tenant.tenant, 8, 5])).toMatchObject({ ids: [], total: 8 });
    expect(await page(numberedPage({ ...all, list: 'none' }), [tenant.tenant, 0, 5])).toMatchObject({
      ids: [],
      total: 0,
    });
  });

  it('leaves hidden rows out of the page and of the total, on every page', async () => {
    const ids: number[] = [];
    for (let offset = 0; offset < 8; offset += 3) {
      const found = await page(numberedPage(shown), [tenant.tenant, offset, 3]);
      expect(found.total).toBe(8);
      ids.push(...found.ids);
    }
    expect(ids).toEqual([10, 8, 7, 6, 4, 3, 2, 1]);
  });

  it('leaves out numbers that have no row in the table', async () => {
    const numbers = 'select seq from listed_drafts where tenant = $1';
    const drafted = { ...all, list: 'drafted', hidden: { numbers } };
    const read = (offset: number) => page(numberedPage(drafted), [tenant.tenant, offset, 5]);
    expect(await read(0)).toMatchObject({ ids: [10, 9, 8, 7, 6], total: 10 });
    expect(await read(5)).toMatchObject({ ids: [5, 4, 3, 2, 1], total: 10 });
  });

  it('has the columns of joined tables', async () => {
    const { rows } = await page(numberedPage(joined), [tenant.tenant, 0, 1]);
    expect(rows).toEqual([{ total: 10, id: 'row_10', seq: 10, name: 'ROW_10' }]);
  });
});

describe('a filtered page', () => {
  const matching = async (min: number | undefined, place: { offset: number; isCapped?: boolean }) => {
    const where = new Conditions(['l.tenant = $1'], [tenant.tenant]);
    where.add((p) => `l.seq >= ${p}`, min);
    where.add((p) => `l.gone = ${p}`, undefined);
    const { text, values } = matchingPageOf(tenant, joined, where, { ...place, perPage: 2 });
    return page(text, values);
  };

  it('has matching rows only, with their count', async () => {
    expect(await matching(8, { offset: 0 })).toMatchObject({ ids: [10, 9], total: 3 });
    expect(await matching(8, { offset: 2 })).toMatchObject({ ids: [8], total: 3 });
    expect(await matching(8, { offset: 4 })).toMatchObject({ ids: [], total: 3 });
    expect(await matching(11, { offset: 0 })).toMatchObject({ ids: [], total: 0 });
    expect(await matching(undefined, { offset: 0 })).toMatchObject({ ids: [10, 9], total: 10 });
  });

  it('is counted and paged up to the list’s limit', async () => {
    expect(await matching(8, { offset: 2, isCapped: true })).toMatchObject({ ids: [8], total: 3 });
    expect(await matching(8, { offset: 10_000, isCapped: true })).toMatchObject({ ids: [], total: 3 });
  });
});
