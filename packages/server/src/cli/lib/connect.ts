import { randomBytes } from 'node:crypto';
import type { AccountDependencies } from '../../accounts/accounts.ts';
import { OperatorError } from '../../accounts/accounts.ts';
import { addressOf, entersKeys } from '../../cells/cells.ts';
import { type CellRow, findCellOf, home as homeName, listCells } from '../../cells/store.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock } from '../../lib/clock.ts';
import { pooled } from '../../lib/ids.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { accountOnItsWay, type Database, isUnavailable, openDatabase } from '../../store/database.ts';
import { findRunningPostgres } from '../../store/embedded/embedded-postgres.ts';
import { DatabaseClock } from '../../store/maintenance/database-clock.ts';
import { masterKeysOf } from './master-keys.ts';
import type { Shell } from './output.ts';

/** The address of the database in use. @throws OperatorError `server_not_running` where the embedded one is not up */
export async function databaseUrl(config: Config): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const running = await findRunningPostgres(config.dataDir);
  if (running === undefined) {
    throw new OperatorError(
      'server_not_running',
      `No Till server runs on ${config.dataDir}. Start it with npm start, or set TILL_DATA_DIR or DATABASE_URL as it has them.`,
    );
  }
  return running.url;
}

export interface CommandDependencies extends AccountDependencies {
  readonly db: Database;
}

/** Opens a database for a command, unless it is open already. */
export async function withOpen<T>(shell: Shell, url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const open = shell.openedDatabase?.(url);
  if (open !== undefined) return work(open);
  const db = openDatabase({ url, connections: 2, applicationName: 'till command', onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Runs one command against the home database of the running server, with the same environment. */
export async function withHome<T>(shell: Shell, work: (deps: CommandDependencies) => Promise<T>): Promise<T> {
  const url = await databaseUrl(readConfig(shell.environment, shell.folder));
  return withOpen(shell, url, async (db) => {
    const clock = new DatabaseClock(systemClock);
    await clock.follow(db);
    return work({ db, clock, randomBytes: pooled(randomBytes) });
  });
}

/** A cell's database cannot be asked. */
class CellAwayError extends OperatorError {
  readonly cell: string;

  constructor(cell: string, cause: unknown) {
    super('database_unavailable', `The database of cell ${cell} does not answer: ${messageOf(cause)}`);
    this.cell = cell;
  }
}

/** Nobody is served by such an address: no connection, no such user, password or database. */
const isOutOfReach = (error: unknown): boolean =>
  isUnavailable(error) && accountOnItsWay(error) === undefined;

/** Runs work against the database of a cell. @param home what it was read with @throws CellAwayError */
export async function withCell<T>(
  shell: Shell,
  home: CommandDependencies,
  cell: CellRow,
  work: (deps: CommandDependencies) => Promise<T>,
): Promise<T> {
  const url = addressOf(cell, await masterKeysOf(shell));
  if (url === undefined) return work(home);
  try {
    return await withOpen(shell, url, (db) => work({ ...home, db, enterKey: entersKeys(home.db) }));
  } catch (error) {
    throw isOutOfReach(error) ? new CellAwayError(cell.name, error) : error;
  }
}

/** Nobody here knows what a command names. */
const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /_not_found$|^invalid_api_key$/.test(String(error.code));

/** The one account that stands on the command line; undefined where none does, or several. */
function namedAccount({ words = [] }: Shell): string | undefined {
  const [account, ...more] = new Set(words.flatMap((word) => word.match(/\bacct_[a-z0-9]{24}\b/g) ?? []));
  return more.length === 0 ? account : undefined;
}

/**
 * Runs one command against the database that has what it names: where it names an account, that of its cell, since while the
 * account moves another one has some of its rows too; else the home database, or where that knows nothing of the kind,
 * the one of each further cell in turn.
 */
export async function withDatabase<T>(
  shell: Shell,
  work: (deps: CommandDependencies) => Promise<T>,
): Promise<T> {
  return withHome(shell, async (home) => {
    const cells = await listCells(home.db);
    const account = namedAccount(shell);
    if (account === undefined) return whereFound(shell, home, cells, work);
    const place = await findCellOf(home.db, account);
    const cell = cells.find(({ name }) => name === place && name !== homeName);
    return cell === undefined ? work(home) : withCell(shell, home, cell, work);
  });
}

/** Runs work at home, or where that knows nothing of what it is about, in the first further cell that does. */
async function whereFound<T>(
  shell: Shell,
  home: CommandDependencies,
  cells: readonly CellRow[],
  work: (deps: CommandDependencies) => Promise<T>,
): Promise<T> {
  try {
    return await work(home);
  } catch (missing) {
    if (!isNotFound(missing)) throw missing;
    let away: CellAwayError | undefined;
    for (const cell of cells.slice(1)) {
      try {
        return await withCell(shell, home, cell, work);
      } catch (error) {
        if (error instanceof CellAwayError) away = error;
        else if (!isNotFound(error)) throw error;
      }
    }
    // It may well be there.
    throw away ?? missing;
  }
}

/** Leaves a cell that is away out of a command about everything, which fails by that in the end (`report`). */
function leaveOut(shell: Shell, error: unknown): void {
  if (!(error instanceof CellAwayError) || shell.leftOut === undefined) throw error;
  shell.leftOut.set(error.cell, error.message);
}

/**
 * Runs a command about everything against the database of each cell, home first.
 * @param work with the name of the cell
 * @returns what came of those that are there
 */
export async function inEveryCell<T>(
  shell: Shell,
  work: (deps: CommandDependencies, cell: string) => Promise<T>,
): Promise<T[]> {
  return withHome(shell, async (home) => {
    const results = [await work(home, homeName)];
    for (const cell of (await listCells(home.db)).slice(1)) {
      try {
        results.push(await withCell(shell, home, cell, (deps) => work(deps, cell.name)));
      } catch (error) {
        leaveOut(shell, error);
      }
    }
    return results;
  });
}

/** Runs a command that goes on against the database of each cell at the same time. */
export async function besideEachOther(
  shell: Shell,
  work: (deps: CommandDependencies) => Promise<void>,
): Promise<undefined> {
  await withHome(shell, async (home) => {
    const cells = await listCells(home.db);
    await Promise.all(
      cells.map((cell) =>
        cell.name === homeName
          ? work(home)
          : withCell(shell, home, cell, work).catch((error: unknown) => leaveOut(shell, error)),
      ),
    );
  });
}
