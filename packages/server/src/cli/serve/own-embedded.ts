import { randomInt } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import { openDatabase, sqlState } from '../../store/database.ts';
import { startEmbeddedPostgres } from '../../store/embedded/embedded-postgres.ts';
import { AlreadyServedError, type HeldInstance, holdInstance } from '../../store/instance.ts';

/** The embedded server, for a process that another one owns it for. */
export interface SharedDatabase {
  readonly url: string;
  /** PostgreSQL's data directory, whose disk is looked at. */
  readonly folder: string;
}

export interface OwnedDatabase extends SharedDatabase {
  close(): Promise<void>;
}

const noTable = '42P01';

/**
 * Starts the embedded server for several processes, keeps it running, and keeps every other server off the data folder.
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
    // Nobody else lives yet: what earlier processes held is free. On an empty database nobody held anything.
    await held.mark().catch((error: unknown) => {
      if (sqlState(error) !== noTable) throw error;
    });
  } catch (error) {
    held?.release();
    await db.close().catch(() => {});
    // The other server's database must stay up.
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
