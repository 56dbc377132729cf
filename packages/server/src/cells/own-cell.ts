import { listOf, parametersOf, type RowOf, text, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { home } from './store.ts';

export const ownCellColumns = { name: text, home: text } as const;

/** Which cell of which installation a database is; undefined for one that stands alone. */
export async function readOwnCell(db: Queryable): Promise<RowOf<typeof ownCellColumns> | undefined> {
  const [row] = await db.query<RowOf<typeof ownCellColumns>>({
    text: `select ${listOf(ownCellColumns)} from own_cell`,
    scope: 'nobody',
  });
  return row;
}

/** @throws Error where the database is another cell, or none where it has to be one */
export async function requireOwnCell(db: Queryable, name: string): Promise<void> {
  const found = (await readOwnCell(db))?.name ?? home;
  if (found === name) return;
  throw new Error(
    found === home
      ? `The database of the cell ${name} is not marked as one: it is another database than the one that was added.`
      : `The database is the cell ${found} of an installation, where ${name} was expected. DATABASE_URL names the home database.`,
  );
}

/** Notes in a database which cell it is. */
export async function writeOwnCell(db: Queryable, own: RowOf<typeof ownCellColumns>): Promise<void> {
  await db.query({
    text: `insert into own_cell (${listOf(ownCellColumns)}) values (${parametersOf(ownCellColumns)})
           on conflict (name) do nothing`,
    values: valuesOf(ownCellColumns, own),
    scope: 'nobody',
  });
}

/** Makes a database one that stands alone, and can be added again. */
export async function clearOwnCell(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from own_cell', scope: 'nobody' });
}
