import { OperatorError } from '../../accounts/accounts.ts';
import { listAccounts, lockAccounts } from '../../accounts/store.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { requireCell } from '../cells.ts';
import { clearOwnCell } from '../own-cell.ts';
import { deleteCell, findPlacedIn, forgetAccounts, home } from '../store.ts';
import { movedTables } from './tables.ts';

/** The maximum number of account ids in a message. */
const maxNamed = 10;

/** Texts about the accounts, moves and rows that prevent the removal of a cell; none if the cell is empty. */
async function contentsOf(cell: Queryable, { accounts, moving }: Placed): Promise<readonly string[]> {
  const tables = await movedTables({
    query: (statement) => cell.query({ ...statement, scope: 'everybody' }),
  });
  const filled: string[] = [];
  for (const table of tables) {
    const rows = await cell.query({ text: `select 1 from ${table.name} limit 1`, scope: 'everybody' });
    if (rows.length > 0) filled.push(table.name);
  }
  return [
    ...named('the accounts', accounts),
    ...named('on their way', moving),
    ...named('rows in the tables', filled),
  ];
}

function named(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return [`${what} ${names.slice(0, maxNamed).join(', ')}${more}`];
}

/**
 * Checks the conditions for a removal other than the cell's content.
 * @throws OperatorError `home_stays`, `cell_not_found`, `cell_not_draining`
 */
export async function requireRemovable(db: Database, name: string): ReturnType<typeof requireCell> {
  if (name === home) throw new OperatorError('home_stays', 'The home database cannot be removed.');
  const cell = await requireCell(db, name);
  if (cell.state !== 'draining') {
    throw new OperatorError(
      'cell_not_draining',
      `New accounts are placed in ${name}: call till cells drain ${name} first.`,
    );
  }
  return cell;
}

/**
 * Removes an empty cell from the installation. Running servers close it within seconds. Its database stays and can be added
 * again.
 * @param db the home database
 * @param name of a cell that `requireRemovable` has checked
 * @param cell its database
 * @throws OperatorError `cell_not_empty`, `cell_not_found`
 */
export async function removeCell(
  db: Database,
  name: string,
  cell: Database,
): Promise<{ readonly name: string; readonly removed: true }> {
  await cell.transaction(async (tx) => {
    await lockAccounts(tx);
    const { unfinished, ...placed } = await placedIn(db, name, tx);
    const contents = await contentsOf(tx, placed);
    if (contents.length > 0) {
      const how = `Move the accounts away with till accounts move, and call this again a minute later.`;
      throw new OperatorError('cell_not_empty', `${name} still has ${contents.join('; ')}. ${how}`);
    }
    const isDeleted = await db.transaction(async (directory) => {
      await forgetAccounts(directory, unfinished);
      return deleteCell(directory, name);
    });
    if (!isDeleted) throw new OperatorError('cell_not_empty', `${name} has just been given an account.`);
    await clearOwnCell(tx);
  });
  return { name, removed: true };
}

interface Placed {
  readonly accounts: readonly string[];
  readonly moving: readonly string[];
}

/** The directory's accounts of a cell. `unfinished` accounts are those whose opening was interrupted before the cell's commit. */
async function placedIn(
  db: Database,
  name: string,
  cell: Queryable,
): Promise<Placed & { readonly unfinished: readonly string[] }> {
  const { accounts, moving } = await findPlacedIn(db, name);
  const rows = await listAccounts(cell);
  const there = new Set([...rows.map(({ account_id: id }) => id), ...moving]);
  return {
    accounts: accounts.filter((id) => there.has(id)),
    moving,
    unfinished: accounts.filter((id) => !there.has(id)),
  };
}
