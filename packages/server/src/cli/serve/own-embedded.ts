import { randomInt } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import { openDatabase, sqlState } from '../../store/database.ts';
import { startEmbeddedPostgres } from '../../store/embedded/embedded-postgres.ts';
import { AlreadyServedError, type HeldInstance, holdInstance } from '../../store/instance.ts';

/** The embedded database server, as a process sees it that does not own it. */
export interface SharedDatabase {
  readonly url: string;
  /** PostgreSQL's data directory. Its free disk space is monitored. */
  readonly folder: string;
}

export interface OwnedDatabase extends SharedDatabase {
  close(): Promise<void>;
}

const noTable = '42P01';

/**
 * Starts the embedded database server for several processes, restarts it if it ends, and keeps other Till servers off the
 * data folder.
 * @throws AlreadyServedError
 */
export async function ownEmbedded(
  dataDir: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<OwnedDatabase> {
  await makeFolder(dataDir);
  const embedded = await startEmbeddedPostgres({
    dataDir,
    log: (detail) => log.warn('embedded postgres', { detail }),
  });
  const { url, folder } = embedded;
  const applicationName = `till serve, owner of the database, process ${process.pid}`;
  const db = openDatabase({ url, connections: 1, applicationName, onError: () => {} });
  let held: HeldInstance | undefined;
  try {
    held = await holdInstance(db, {
      number: randomInt(1, 2 ** 31 - 1),
      exclusive: true,
      clock,
      onLost: (error) => log.warn('database is away', describeError(error)),
    });
    // No other process runs yet, so everything that earlier processes held is free. An empty database has nothing to free.
    await held.mark().catch((error: unknown) => {
      if (sqlState(error) !== noTable) throw error;
    });
  } catch (error) {
    held?.release();
    await db.close().catch(() => {});
    // If another Till server uses the data folder, its database must keep running.
    if (!(error instanceof AlreadyServedError)) await embedded.stop();
    throw error;
  }
  const owner = held;
  return {
    url,
    folder,
    async close() {
      owner.release();
      await db.close();
      await embedded.stop();
    },
  };
}
