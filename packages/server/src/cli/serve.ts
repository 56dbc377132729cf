import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import type { Server } from 'node:http';
import { sandboxSchema } from '@till/sandbox';
import type { Role } from '../compose/jobs.ts';
import type { Ways } from '../compose/parts.ts';
import { composeServer } from '../compose.ts';
import type { Config } from '../config.ts';
import { startMetricsServer } from '../http/metrics-server.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { pooled } from '../lib/ids.ts';
import { deriveKeys } from '../lib/keys.ts';
import { LineWriter } from '../lib/line-writer.ts';
import { createLogger, describeError, type Logger } from '../lib/log.ts';
import { loadMasterKey } from '../lib/master-key.ts';
import { createMetrics, type Metrics } from '../lib/metrics.ts';
import { type Database, isUnavailable, openDatabase } from '../store/database.ts';
import { DiskSpace } from '../store/disk-space.ts';
import { startEmbeddedPostgres } from '../store/embedded/embedded-postgres.ts';
import { AlreadyServedError, holdInstance, type Instance } from '../store/instance.ts';
import { migrate, requireDurableServer } from '../store/migrate.ts';
import { checkMasterKey, deriveMasterKeys, type MasterKeys } from '../vault/master-keys.ts';
import { createDemoAccounts } from './first-start.ts';

/** What a server stands on and speaks through. Tests of crashes put their own in front of each. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly overDatabase?: (db: Database) => Database;
  readonly ways?: Ways;
  readonly role?: Role;
  /** Where somebody else collects the metrics of several processes: told of this one's. */
  readonly onMetrics?: (metrics: Metrics) => void;
}

/** Requests that wait longer for a database connection are better refused. */
const mostWaitMs = 1000;

interface OpenedDatabase {
  readonly db: Database;
  readonly reads: Database;
  readonly space: DiskSpace;
  readonly instance: Instance;
  close(): Promise<void>;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Starts the embedded server or uses the configured one, and brings the schema up to date. */
async function openStore(
  config: Config,
  masterKeys: MasterKeys,
  clock: Clock,
  log: Logger,
): Promise<OpenedDatabase> {
  const embedded =
    config.databaseUrl === null
      ? await startEmbeddedPostgres({
          dataDir: config.dataDir,
          log: (detail) => log.warn('embedded postgres', { detail }),
        })
      : undefined;
  const space = new DiskSpace({
    folder: embedded?.folder ?? null,
    floorBytes: config.diskFloorMebibytes * 2 ** 20,
    freeBytes,
    elapsed: clock.elapsed,
  });
  const place = {
    url: config.databaseUrl ?? embedded?.url ?? '',
    applicationName: `till serve, process ${process.pid}`,
    onError: (error: Error) => log.warn('database connection lost', describeError(error)),
    onDiskFull: () => space.noteFull(),
  };
  const db = openDatabase({
    ...place,
    connections: config.databaseConnections,
    statementMs: config.databaseStatementSeconds * 1000,
    acquireMs: mostWaitMs,
  });
  const { connections, seconds } = config.dashboardReads;
  const reads = openDatabase({ ...place, connections, statementMs: seconds * 1000 });
  let instance: Instance | undefined;
  try {
    instance = await holdInstance(db, {
      number: randomInt(1, 2 ** 31 - 1),
      exclusive: embedded !== undefined,
      clock,
      onLost: (error) => log.warn('database is away', describeError(error)),
    });
    await requireDurableServer(db);
    const applied = await migrate(db, clock.now(), [sandboxSchema]);
    if (applied.length > 0) log.info('schema migrated', { migrations: applied.join(', ') });
    await checkMasterKey(db, masterKeys, clock.now());
    const held = instance;
    return {
      db,
      reads,
      space,
      instance,
      async close() {
        held.release();
        await Promise.all([db.close(), reads.close()]);
        await embedded?.stop();
      },
    };
  } catch (error) {
    const inUse = error instanceof AlreadyServedError;
    const away = config.databaseUrl !== null && isUnavailable(error);
    instance?.release();
    await Promise.all([db.close(), reads.close()]).catch(() => {});
    // The other server's database must stay up.
    if (!inUse) await embedded?.stop();
    throw away ? new Error(unreachable(config.databaseUrl ?? '', error), { cause: error }) : error;
  }
}

/** Names the database without its password. */
function unreachable(url: string, error: unknown): string {
  const place = url.replace(/^([a-z]+:\/\/)[^@/]*@/, '$1');
  return `The database at ${place} does not answer (DATABASE_URL): ${error instanceof Error ? error.message : String(error)}`;
}

/** Metrics on their own address. Where the default one is taken another port is used; a configured one must be free. */
export async function openMetrics(
  place: Config['metrics'],
  source: { readonly contentType: string; metrics(): Promise<string> },
  log: Logger,
): Promise<Server | undefined> {
  if (place === null) return undefined;
  const render = async () => ({ contentType: source.contentType, text: await source.metrics() });
  try {
    return (await startMetricsServer(place, render)).server;
  } catch (error) {
    if (place.explicit) throw error;
    const { server, port } = await startMetricsServer({ ...place, port: 0 }, render);
    log.warn('the metrics port is taken', { address: `${place.host}:${port}` });
    return server;
  }
}

/**
 * Serves everything until SIGTERM or SIGINT: then it answers what is under way and ends.
 * @param print takes lines for people, on standard output
 */
export async function serve(
  config: Config,
  version: string,
  print: (text: string) => void,
  { clock = systemClock, overDatabase = (db) => db, ways, role = 'all', onMetrics }: Surroundings = {},
): Promise<void> {
  const stopAsked = askedToStop();
  const lines = new LineWriter((text) => process.stderr.write(text));
  process.on('exit', () => lines.flush());
  const log = createLogger(config.logLevel, (line) => lines.line(line));
  await mkdir(config.dataDir, { recursive: true });
  const masterKey = await loadMasterKey(config.masterKey, config.dataDir);
  const keys = deriveKeys(masterKey, config.masterKeyPrevious);
  const masterKeys = deriveMasterKeys(masterKey, config.masterKeyPrevious);
  const store = await openStore(config, masterKeys, clock, log);
  const metrics = createMetrics(version, store.db.inUse);
  let metricsServer: Server | undefined;
  let stopJobs: () => Promise<void> = async () => {};
  const db = overDatabase(store.db);
  const server = await composeServer({ config, ...store, db, clock, keys, masterKeys, log, metrics, ways });

  try {
    if (onMetrics === undefined) metricsServer = await openMetrics(config.metrics, metrics.registry, log);
    else onMetrics(metrics);
    const baseUrl = await server.start(role);
    stopJobs = server.startJobs(role);
    const parts = { db: store.db, clock, randomBytes: pooled(randomBytes) };
    const welcome = await createDemoAccounts(parts, baseUrl);
    if (welcome !== undefined) print(welcome);
    if (config.liveSimulation)
      print('LIVE SIMULATION: simulators stand in for live processors. No real money moves.');
    print(role === 'worker' ? 'ready in the background' : `ready on ${baseUrl}`);
  } catch (error) {
    await store.close();
    throw error;
  }

  await stopAsked;
  log.info('draining');
  const drainEnded = new AbortController();
  const drained = await Promise.race([
    server.drain().then(() => true),
    clock.delay(config.drainSeconds * 1000, drainEnded.signal).then(() => false),
  ]);
  drainEnded.abort();
  if (!drained) {
    log.error('requests were still running at the end of the drain');
    await store.close();
    process.exit(1);
  }
  await stopJobs();
  metricsServer?.close();
  await store.close();
}

function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
