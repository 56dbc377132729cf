import { randomInt } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { sandboxSchema } from '@till/sandbox';
import { requireOwnCell } from '../../cells/own-cell.ts';
import { home } from '../../cells/store.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { describeDatabase } from '../../lib/web/database-hosts.ts';
import {
  type Database,
  followLeader,
  isConnectionRefused,
  isUnavailable,
  openDatabase,
} from '../../store/database.ts';
import { startEmbeddedPostgres } from '../../store/embedded/embedded-postgres.ts';
import { AlreadyServedError, type HeldInstance, holdInstance, type Instance } from '../../store/instance.ts';
import { DiskSpace } from '../../store/maintenance/disk-space.ts';
import { migrate, requireDurableServer } from '../../store/migrations/migrate.ts';
import type { Outage } from '../../store/reach/outage.ts';
import { untilStarted } from '../../store/reach/starting.ts';
import { prepareRowSecurity } from '../../store/row-security.ts';
import { Replica } from '../../store/standby/replica.ts';
import { checkMasterKey, keysOf, type MasterKeys, numberOf } from '../../vault/master-keys.ts';
import type { SharedDatabase } from './own-embedded.ts';

/** How long a request waits for a database connection before it is refused. */
const maxWaitMs = 1000;
/** How long a starting server waits for its database, for example for the end of a failover. */
const startsWithinMs = 10_000;

export interface OpenedDatabase {
  /** The URL of the database. */
  readonly url: string;
  readonly db: Database;
  readonly reads: Database;
  readonly replica: Replica | undefined;
  /** A small separate pool of connections to the same database, opened on first use. */
  readonly aside: () => Database;
  readonly space: DiskSpace;
  readonly instance: Instance;
  close(): Promise<void>;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function isKeptApart(db: Database, log: Logger): Promise<boolean> {
  const fault = await prepareRowSecurity(db);
  if (fault !== null) log.warn('the database does not keep accounts apart by itself', { detail: fault });
  return fault === null;
}

/** Opens the pools for requests and for the dashboard's reads, which share their knowledge of the database server's state. */
function openPools(
  config: Config,
  url: string,
  deps: { log: Logger; outage: Outage; space: DiskSpace; isScoped: () => boolean },
) {
  const { log, outage } = deps;
  const leader = followLeader(url, (error) => outage.failed(error));
  const place = {
    url,
    leader,
    outage,
    applicationName: `till serve, process ${process.pid}`,
    onError: (error: Error) => {
      outage.failed(error);
      log.warn('database connection lost', describeError(error));
    },
    onDiskFull: () => deps.space.noteFull(),
    isScoped: deps.isScoped,
  };
  const db = openDatabase({
    ...place,
    connections: config.databaseConnections,
    statementMs: config.databaseStatementSeconds * 1000,
    acquireMs: maxWaitMs,
    prefersIndexes: true,
  });
  const { connections, seconds } = config.dashboardReads;
  const reads = openDatabase({ ...place, connections, statementMs: seconds * 1000 });
  const primary = () => openDatabase({ ...place, connections: 1, statementMs: 1_000, acquireMs: maxWaitMs });
  const standbys = openStandbys(config, { log, primary, isScoped: deps.isScoped });
  let aside: Database | undefined;
  return {
    db,
    reads,
    aside: () => {
      aside ??= openDatabase({ ...place, connections: 2, statementMs: 2_000, acquireMs: maxWaitMs });
      return aside;
    },
    replica: standbys?.replica,
    leader,
    async close() {
      const closing = Promise.all([db.close(), reads.close(), aside?.close(), standbys?.close()]);
      await leader?.stop(closing);
      await closing;
    },
  };
}

/** Opens a pool for each standby that lists are read from. Payments do not depend on standbys. */
function openStandbys(
  config: Config,
  deps: { log: Logger; primary: () => Database; isScoped: () => boolean },
): { readonly replica: Replica; close(): Promise<unknown> } | undefined {
  if (config.replica === null) return undefined;
  const { connections, seconds } = config.dashboardReads;
  const opened: Database[] = [];
  const open = (url: string, limits: { connections: number; statementMs: number; acquireMs?: number }) => {
    const applicationName = `till serve reads, process ${process.pid}`;
    // Connection errors need no handling: the availability of standbys is polled anyway.
    const db = openDatabase({ url, ...limits, applicationName, isScoped: deps.isScoped, onError: () => {} });
    opened.push(db);
    return db;
  };
  const standbys = config.replica.hosts.map(({ name, url }) => ({
    name,
    probe: open(url, { connections: 1, statementMs: 1_000, acquireMs: maxWaitMs }),
    reads: open(url, { connections, statementMs: seconds * 1000 }),
  }));
  const primary = deps.primary();
  opened.push(primary);
  const replica = new Replica({
    primary,
    standbys,
    maxLagMs: config.replica.maxLagMs,
    onChange: (standby) =>
      standby === undefined
        ? deps.log.warn('no standby is near enough to be read from')
        : deps.log.info('the dashboard reads from a standby', { address: standby }),
  });
  return {
    replica,
    close() {
      replica.stop();
      return Promise.all(opened.map((db) => db.close()));
    },
  };
}

interface OpenOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly outage: Outage;
  /** The embedded database server, if another process owns it. */
  readonly shared?: SharedDatabase | undefined;
  /** The cell that the database has to be; by default home. A database without a mark counts as home. */
  readonly cell?: string;
  /** Sets the clock by the database's time, before anything is written. */
  readonly follow?: (db: Database, log: Logger) => Promise<void>;
}

/** Opens the store: starts the embedded database server or connects to the configured one, and migrates the schema. */
export async function openStore(
  config: Config,
  masterKeys: MasterKeys,
  deps: OpenOptions,
): Promise<OpenedDatabase> {
  const { clock, log, outage, shared, cell = home } = deps;
  const embedded =
    config.databaseUrl === null && shared === undefined
      ? await startEmbeddedPostgres({
          dataDir: config.dataDir,
          log: (detail) => log.warn('embedded postgres', { detail }),
        })
      : undefined;
  const space = new DiskSpace({
    folder: (shared ?? embedded)?.folder ?? null,
    floorBytes: config.diskFloorMebibytes * 2 ** 20,
    freeBytes,
    elapsed: clock.elapsed,
  });
  const url = config.databaseUrl ?? (shared ?? embedded)?.url ?? '';
  let isScoped = false;
  const pools = openPools(config, url, { log, outage, space, isScoped: () => isScoped });
  const { db } = pools;
  let instance: HeldInstance | undefined;
  try {
    await pools.leader?.known(startsWithinMs);
    await untilStarted(() => db.query({ text: 'select', scope: 'nobody' }), clock, startsWithinMs);
    instance = await holdInstance(db, {
      number: randomInt(1, 2 ** 31 - 1),
      exclusive: embedded !== undefined,
      masterKeys: keysOf(masterKeys).map(numberOf),
      clock,
      onLost: (error) => log.warn('database is away', describeError(error)),
    });
    await requireDurableServer(db);
    await deps.follow?.(db, log);
    const applied = await migrate(db, clock.now(), [sandboxSchema]);
    if (applied.length > 0) log.info('schema migrated', { migrations: applied.join(', ') });
    await instance.mark();
    await requireOwnCell(db, cell);
    isScoped = await isKeptApart(db, log);
    await checkMasterKey(db, masterKeys, clock.now());
    const held = instance;
    return {
      url,
      db,
      reads: pools.reads,
      replica: pools.replica,
      aside: pools.aside,
      space,
      instance,
      async close() {
        held.release();
        await pools.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    const inUse = error instanceof AlreadyServedError;
    const away = config.databaseUrl !== null && isUnavailable(error);
    instance?.release();
    await pools.close().catch(() => {});
    // If another Till server uses the data folder, its database must keep running.
    if (!inUse) await embedded?.stop();
    throw away ? new Error(unreachable(url, cell, error), { cause: error }) : error;
  }
}

function unreachable(url: string, cell: string, error: unknown): string {
  const what = cell === home ? 'the database of DATABASE_URL' : `the database of the cell ${cell}`;
  const place = describeDatabase(url);
  const at = place === null ? '' : `, ${place},`;
  return `${what}${at} ${isConnectionRefused(error) ? 'refuses the connection' : 'does not answer'}: ${messageOf(error)}`;
}
