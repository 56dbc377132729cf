import { createAccount, type EnterKey, OperatorError } from '../accounts/accounts.ts';
import { type AccountRow, hasAccounts, listAccounts } from '../accounts/store.ts';
import { createApiKey } from '../api-keys/api-keys.ts';
import type { Clock } from '../lib/clock.ts';
import { type RandomBytes, randomBase62 } from '../lib/ids.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type MasterKeys, masterKeyOf } from '../vault/master-keys.ts';
import { cellPlace } from '../vault/places.ts';
import { nonceLength, openBytes, sealBytes } from '../vault/seal.ts';
import { clearOwnCell, readOwnCell, writeOwnCell } from './own-cell.ts';
import {
  type CellRow,
  type CellState,
  countAccounts,
  home,
  insertCell,
  insertCellKeys,
  listCells,
  nextRevision,
  setCellAddress,
  setCellOfAccount,
  setCellState,
} from './store.ts';
import { takeTenantNumbers } from './tenant-numbers.ts';

/** Dependencies of the commands that change cells. `db` is the home database. */
export interface CellDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly masterKeys: MasterKeys;
}

/** Decrypts the URL of a cell's database; undefined for home. */
export const addressOf = (
  { name, url, master_key_id: keyId }: CellRow,
  masterKeys: MasterKeys,
): string | undefined =>
  url === null || keyId === null
    ? undefined
    : openBytes(masterKeyOf(masterKeys, keyId).wrappingKey, cellPlace(name), url).toString('utf8');

/** A cell as the operator sees it, without its URL, which contains a password. */
export interface CellInfo {
  readonly name: string;
  readonly state: CellState;
  readonly accounts: number;
}

/** Lists every cell with its number of accounts, home first. */
export async function describeCells(db: Database): Promise<CellInfo[]> {
  const [cells, counted, atHome] = await Promise.all([listCells(db), countAccounts(db), listAccounts(db)]);
  return cells.map(({ name, state }) => ({
    name,
    state,
    accounts: name === home ? atHome.length : (counted.get(name) ?? 0),
  }));
}

/** Checks that a new cell may have this name. @throws OperatorError `invalid_name`, `cell_exists` */
export async function requireFreeName(db: Database, name: string): Promise<void> {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) {
    throw new OperatorError('invalid_name', 'A cell is named by 1 to 31 of a-z, 0-9 and -, a letter first.');
  }
  if ((await listCells(db)).some((known) => known.name === name)) throw cellExists(name);
}

/**
 * Checks that a database may become the cell with this name. Reads few columns, so that it also works with an older schema.
 * @param cell `db` is its database, which has a schema
 * @returns whether the database is marked as this cell already, for example by an interrupted command
 * @throws OperatorError `database_in_use`, `not_home`
 */
export async function requireFreeDatabase(
  deps: CellDependencies,
  { name, db: cell }: { readonly name: string; readonly db: Database },
): Promise<{ readonly isMarked: boolean; readonly installation: string }> {
  const installation = await installationOf(deps);
  const own = await readOwnCell(cell);
  if (own !== undefined && (own.name !== name || own.home !== installation)) {
    throw new OperatorError('database_in_use', `This database is the cell ${own.name} already.`);
  }
  if (own === undefined && (await hasAccounts(cell))) {
    throw new OperatorError('database_in_use', 'This database has accounts: a cell begins empty.');
  }
  return { isMarked: own !== undefined, installation };
}

/**
 * Makes a database a cell of this installation. The database has the schema already, and no accounts.
 * @param cell `db` is its database
 * @throws OperatorError `cell_exists`, `invalid_name`, `database_in_use`, `not_home`
 */
export async function addCell(
  deps: CellDependencies,
  { name, url, db: cell }: { readonly name: string; readonly url: string; readonly db: Database },
): Promise<CellInfo> {
  await requireFreeName(deps.db, name);
  const { isMarked, installation } = await requireFreeDatabase(deps, { name, db: cell });
  await writeOwnCell(cell, { name, home: installation });
  const added = await deps.db.transaction(async (tx) => {
    await nextRevision(tx);
    return insertCell(tx, {
      name,
      ...sealedAddress(deps, name, url),
      state: 'active',
      created_at: deps.clock.now(),
    });
  });
  if (!added) {
    if (!isMarked) await clearOwnCell(cell);
    throw cellExists(name);
  }
  return { name, state: 'active', accounts: 0 };
}

/**
 * Changes the URL of a cell's database, for example after a new password. Running servers use it within seconds.
 * @param cell `db` is the database at the new URL, which has to be the same cell
 * @throws OperatorError `cell_not_found`, `home_stays`, `another_database`
 */
export async function moveCell(
  deps: CellDependencies,
  { name, url, db: cell }: { readonly name: string; readonly url: string; readonly db: Database },
): Promise<{ readonly name: string; readonly changed: true }> {
  if (name === home) throw new OperatorError('home_stays', 'The address of home is DATABASE_URL.');
  await requireCell(deps.db, name);
  const own = await readOwnCell(cell);
  if (own?.name !== name || own.home !== (await installationOf(deps))) {
    throw new OperatorError('another_database', `The database at this address is not the cell ${name}.`);
  }
  const { url: sealed, master_key_id: keyId } = sealedAddress(deps, name, url);
  if (!(await setCellAddress(deps.db, name, sealed, keyId))) throw unknownCell(name);
  return { name, changed: true };
}

/** Encrypts the URL for storage. */
function sealedAddress(
  { masterKeys: { current }, randomBytes }: CellDependencies,
  name: string,
  url: string,
) {
  const nonce = randomBytes(nonceLength).subarray(0, nonceLength);
  const sealed = sealBytes(current.wrappingKey, cellPlace(name), Buffer.from(url), nonce);
  return { url: sealed, master_key_id: current.id };
}

const cellExists = (name: string) => new OperatorError('cell_exists', `There is a cell ${name} already.`);

/** The installation's id, which all its databases share. The first call creates it. @throws OperatorError `not_home` */
async function installationOf({ db, randomBytes }: CellDependencies): Promise<string> {
  await writeOwnCell(db, { name: home, home: randomBase62(24, randomBytes) });
  const own = await readOwnCell(db);
  if (own === undefined || own.name !== home) {
    throw new OperatorError('not_home', 'DATABASE_URL must name the home database of the installation.');
  }
  return own.home;
}

/** Sets whether new accounts are placed in a cell. @throws OperatorError `cell_not_found` */
export async function markCell(db: Database, name: string, state: CellState): Promise<CellInfo> {
  if (!(await setCellState(db, name, state))) throw unknownCell(name);
  const info = (await describeCells(db)).find((cell) => cell.name === name);
  if (info === undefined) throw unknownCell(name);
  return info;
}

const unknownCell = (name: string) => new OperatorError('cell_not_found', `There is no cell ${name}.`);

/** @throws OperatorError `cell_not_found` */
export async function requireCell(db: Database, name: string): Promise<CellRow> {
  const found = (await listCells(db)).find((cell) => cell.name === name);
  if (found === undefined) throw unknownCell(name);
  return found;
}

/**
 * The cell for a new account: home, unless it is draining; otherwise the active cell with the fewest accounts.
 * @throws OperatorError `no_cell` if all cells are draining
 */
export async function placeOfNew(db: Database): Promise<string> {
  const active = (await describeCells(db)).filter(({ state }) => state === 'active');
  const [first] = active.toSorted((one, other) => one.accounts - other.accounts);
  const found = active.find(({ name }) => name === home) ?? first;
  if (found === undefined) {
    throw new OperatorError('no_cell', 'Every cell is draining. Name one with --cell.');
  }
  return found.name;
}

/** Enters new API keys of accounts outside home into the directory. @param db the home database */
export const entersKeys =
  (db: Queryable): EnterKey =>
  (accountId, hash) =>
    insertCellKeys(db, accountId, [hash]);

type NewAccount = Omit<Parameters<typeof createAccount>[1], 'tenants'>;

/**
 * Opens an account with its first API key in a cell other than home. The directory gets both before the cell commits them, so
 * that no request with the key is refused as unknown. If the process ends in between, only the entries of the directory remain.
 * @param cell the cell's name and database
 */
export async function openAccountIn(
  deps: Omit<CellDependencies, 'masterKeys'>,
  cell: { readonly name: string; readonly db: Database },
  options: NewAccount,
): Promise<{ account: AccountRow; secretKey: string }> {
  const tenants = await takeTenantNumbers(deps.db);
  return cell.db.transaction(async (tx) => {
    const account = await createAccount({ ...deps, db: tx }, { ...options, tenants });
    await deps.db.transaction((directory) => setCellOfAccount(directory, account, cell.name));
    const enterKey = entersKeys(deps.db);
    const made = { ...deps, db: tx, enterKey };
    const { secretKey } = await createApiKey(made, account.account_id, { name: 'First key' });
    return { account, secretKey };
  });
}
