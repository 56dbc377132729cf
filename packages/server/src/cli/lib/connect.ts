import { randomBytes } from 'node:crypto';
import type { AccountDependencies } from '../../accounts/accounts.ts';
import { OperatorError } from '../../accounts/accounts.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock } from '../../lib/clock.ts';
import { pooled } from '../../lib/ids.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import { findRunningPostgres } from '../../store/embedded/embedded-postgres.ts';
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

/** Runs one command against the database of the running server, with the same environment. */
export async function withDatabase<T>(
  shell: Shell,
  work: (deps: AccountDependencies & { db: Database }) => Promise<T>,
): Promise<T> {
  const config = readConfig(shell.environment, shell.folder);
  const url = await databaseUrl(config);
  const open = shell.openedDatabase?.(url);
  const db =
    open ?? openDatabase({ url, connections: 2, applicationName: 'till command', onError: () => {} });
  try {
    return await work({ db, clock: systemClock, randomBytes: pooled(randomBytes) });
  } finally {
    if (open === undefined) await db.close();
  }
}
