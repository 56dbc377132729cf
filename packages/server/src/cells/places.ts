import { lastTenantNumber, listAccounts } from '../accounts/store.ts';
import type { Database } from '../store/database.ts';
import { findPlacedElsewhere, findPlacedIn, home as homeName } from './store.ts';
import { passTenantNumbers } from './tenant-numbers.ts';

/**
 * Compares a cell with the directory at home, which is older than the cell if home alone was restored. Also makes sure that the
 * cell's tenant numbers are not given to other accounts.
 * @returns the accounts that the cell has although the directory does not place them there
 */
export async function findMisplaced(
  home: Database,
  name: string,
  cell: Database,
): Promise<readonly string[]> {
  await passTenantNumbers(home, await lastTenantNumber(cell));
  return listMisplaced(home, name, cell);
}

/** The accounts that a cell or home has although the directory does not place them there. Changes nothing. */
export async function listMisplaced(
  home: Database,
  name: string,
  cell: Database,
): Promise<readonly string[]> {
  const found = await compare(home, name, cell);
  if (found.length === 0) return found;
  // A move that ended between the two statements looks like a difference; a second comparison does not find it again.
  const again = new Set(await compare(home, name, cell));
  return found.filter((id) => again.has(id));
}

async function compare(home: Database, name: string, cell: Database): Promise<readonly string[]> {
  const there = (await listAccounts(cell)).map(({ account_id: id }) => id);
  // The directory is read after the cell: a new account is entered there before the cell commits it.
  if (name === homeName) {
    const elsewhere = new Set(await findPlacedElsewhere(home));
    return there.filter((id) => elsewhere.has(id));
  }
  const { accounts, moving } = await findPlacedIn(home, name);
  const placed = new Set([...accounts, ...moving]);
  return there.filter((id) => !placed.has(id));
}
