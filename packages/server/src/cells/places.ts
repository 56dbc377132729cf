import { lastTenantNumber, listAccounts } from '../accounts/store.ts';
import type { Database } from '../store/database.ts';
import { findPlacedIn } from './store.ts';
import { passTenantNumbers } from './tenant-numbers.ts';

/**
 * Compares a cell with the directory at home, which is older than the cell where home alone was restored. Numbers that the cell
 * uses are not given to other accounts from then on.
 * @returns the accounts that the cell has although the directory does not place them there
 */
export async function findMisplaced(
  home: Database,
  name: string,
  cell: Database,
): Promise<readonly string[]> {
  await passTenantNumbers(home, await lastTenantNumber(cell));
  const there = await listAccounts(cell);
  // Read afterwards: what is just being opened there is named at home first.
  const { accounts, moving } = await findPlacedIn(home, name);
  const placed = new Set([...accounts, ...moving]);
  return there.map(({ account_id: id }) => id).filter((id) => !placed.has(id));
}
