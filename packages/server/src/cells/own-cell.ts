import { listOf, parametersOf, type RowOf, text, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { home } from './store.ts';

export const ownCellColumns = { name: text, home: text } as const;

/** The cell and the installation that a database is marked as; undefined without a mark. */
export async function readOwnCell(db: Queryable): Promise<RowOf<typeof ownCellColumns> | undefined> {
  const [row] = await db.query<RowOf<typeof ownCellColumns>>({
    text: `select ${listOf(ownCellColumns)} from own_cell`,
    scope: 'nobody',
  });
  return row;
}

/** @throws Error if the database is another cell, or lacks the mark of a cell other than home */
export async function requireOwnCell(db: Queryable, name: string): Promise<void> {
  const found = (await readOwnCell(db))?.name ?? home;
  if (found === name) return;
  throw new Error(
    found === home
      ? `The database of the cell ${name} is not marked as one: it is another database than the one that was added.`
      : `The database is the cell ${found} of an installation, where ${name} was expected. DATABASE_URL names the home database.`,
  );
}

/** Marks a database as a cell, unless it has a mark with the same name. */
export async function writeOwnCell(db: Queryable, own: RowOf<typeof ownCellColumns>): Promise<void> {
  await db.query({
    text: `insert into own_cell (${listOf(ownCellColumns)}) values (${parametersOf(ownCellColumns)})
           on conflict (name) do nothing`,
    values: valuesOf(ownCellColumns, own),
    scope: 'nobody',
  });
}

/** Removes the mark, so that the database can be added again. */
export async function clearOwnCell(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from own_cell', scope: 'nobody' });
}
