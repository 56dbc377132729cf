import { randomBytes } from 'node:crypto';
import type { AccountDependencies } from '../../accounts/accounts.ts';
import { OperatorError } from '../../accounts/accounts.ts';
import { addressOf, entersKeys } from '../../cells/cells.ts';
import { type CellRow, findCellOf, home as homeName, listCells } from '../../cells/store.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock } from '../../lib/clock.ts';
import { pooled } from '../../lib/ids.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { type Database, isUnavailable, movingAccount, openDatabase } from '../../store/database.ts';
import { findRunningPostgres } from '../../store/embedded/embedded-postgres.ts';
import { DatabaseClock } from '../../store/maintenance/database-clock.ts';
import { masterKeysOf } from './master-keys.ts';
import type { Shell } from './output.ts';

/** The URL of the database in use. @throws OperatorError `server_not_running` if the embedded database is not running */
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

/** Runs work with a database: one that the shell has open already, or one that is opened for this work and closed after it. */
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

/** Runs a command against the home database of the server that has the same environment. */
export async function withHome<T>(shell: Shell, work: (deps: CommandDependencies) => Promise<T>): Promise<T> {
  const url = await databaseUrl(readConfig(shell.environment, shell.folder));
  return withOpen(shell, url, async (db) => {
    const clock = new DatabaseClock(systemClock);
    await clock.follow(db);
    return work({ db, clock, randomBytes: pooled(randomBytes) });
  });
}

/** The database of a cell cannot be reached. */
class CellAwayError extends OperatorError {
  readonly cell: string;

  constructor(cell: string, cause: unknown) {
    super('database_unavailable', `The database of cell ${cell} does not answer: ${messageOf(cause)}`);
    this.cell = cell;
  }
}

/** Whether no connection could be established: the server is away, or refuses the user, the password or the database. */
const isOutOfReach = (error: unknown): boolean => isUnavailable(error) && movingAccount(error) === undefined;

/** Runs work against the database of a cell. @param home the dependencies with the home database @throws CellAwayError */
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

/** Whether this database does not have the object that a command names. */
const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /_not_found$|^invalid_api_key$/.test(String(error.code));

/** The only account id on the command line; undefined if there is none, or more than one. */
function namedAccount({ words = [] }: Shell): string | undefined {
  const [account, ...more] = new Set(words.flatMap((word) => word.match(/\bacct_[a-z0-9]{24}\b/g) ?? []));
  return more.length === 0 ? account : undefined;
}

/**
 * Runs a command against the database that has the object which the command names. If it names an account, that is the database
 * of the account's cell: during a move another cell also has some of its rows. Otherwise the home database is tried first,
 * then each further cell until one has the object.
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

/** Runs work at home or, if the home database does not have the object, in the first further cell that has it. */
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
    // The object may be in the cell that could not be reached.
    throw away ?? missing;
  }
}

/** Notes that a command for all cells skips one that cannot be reached. The command then ends with exit code 1 (`report`). */
function skipCell(shell: Shell, error: unknown): void {
  if (!(error instanceof CellAwayError) || shell.skippedCells === undefined) throw error;
  shell.skippedCells.set(error.cell, error.message);
}

/**
 * Runs a command against the database of every cell, one after the other, home first. Skips cells that cannot be reached.
 * @param work also gets the name of the cell
 * @returns the results of the cells that could be reached
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
        skipCell(shell, error);
      }
    }
    return results;
  });
}

/** Runs a command that does not end by itself, such as following a log, against the databases of all cells concurrently. */
export async function inAllCellsAtOnce(
  shell: Shell,
  work: (deps: CommandDependencies) => Promise<void>,
): Promise<undefined> {
  await withHome(shell, async (home) => {
    const cells = await listCells(home.db);
    await Promise.all(
      cells.map((cell) =>
        cell.name === homeName
          ? work(home)
          : withCell(shell, home, cell, work).catch((error: unknown) => skipCell(shell, error)),
      ),
    );
  });
}
