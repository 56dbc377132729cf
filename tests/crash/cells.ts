import { home } from '../../packages/server/src/cells/store.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import type { Place } from './evidence.ts';

/** Finds an account's database by the directory. @param others the databases of the cells other than home, by name */
export const presentCells =
  (db: Database, others: ReadonlyMap<string, Database>): Place['databaseOf'] =>
  async (accountId) => {
    if (others.size === 0) return db;
    const [row] = await db.query<{ cell: string | null; moving: boolean }>({
      name: 'crash_cell',
      text: `select (select cell from account_cells where account_id = $1) as cell,
               exists (select from account_moves where account_id = $1) as moving`,
      values: [accountId],
      scope: 'everybody',
    });
    if (row === undefined) throw new Error('a statement without a table gives one row');
    if (row.moving) return undefined;
    const { cell } = row;
    if (cell === null || cell === home) return db;
    const found = others.get(cell);
    if (found === undefined) throw new Error(`there is no cell ${cell}`);
    return found;
  };
