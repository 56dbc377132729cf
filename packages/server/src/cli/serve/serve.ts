import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { composeServer } from '../../compose/compose.ts';
import type { OutgoingTransports } from '../../compose/dependencies.ts';
import type { Role } from '../../compose/jobs.ts';
import type { Config } from '../../config/config.ts';
import { endMetricsServer, startMetricsServer } from '../../http/server/metrics-server.ts';
import type { Clock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { pooled } from '../../lib/ids.ts';
import { deriveKeys } from '../../lib/keys.ts';
import { LineWriter } from '../../lib/log/line-writer.ts';
import { createLogger, type Logger, withoutExplained } from '../../lib/log/log.ts';
import { loadMasterKey } from '../../lib/master-key.ts';
import { createMetrics } from '../../lib/metrics.ts';
import type { Database } from '../../store/database.ts';
import { Outage } from '../../store/reach/outage.ts';
import { deriveMasterKeys } from '../../vault/master-keys.ts';
import { endSignals } from '../lib/end-signals.ts';
import { Division, directoryOf } from './division.ts';
import { createDemoAccounts } from './first-start.ts';
import { configureHeap } from './heap.ts';
import { openStore } from './open-store.ts';
import type { SharedDatabase } from './own-embedded.ts';
import { serverClock } from './server-clock.ts';
import { stopServer } from './stop.ts';

/** The dependencies of a server. The crash tests replace or wrap each of them. */
export interface ServeOptions {
  readonly clock?: Clock;
  readonly overDatabase?: (db: Database) => Database;
  readonly transports?: OutgoingTransports;
  readonly role?: Role;
  /** The embedded database server, if another process owns it. */
  readonly shared?: SharedDatabase | undefined;
  /** Called with the metrics of this process, and again whenever cells are added. Set if a parent process collects them. */
  readonly onMetrics?: (registries: readonly Registry[]) => void;
}

/** Serves metrics on their own address. If the default port is taken, another one is used; a configured address must be free. */
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
 * Serves everything until SIGTERM, SIGINT or SIGHUP: then it answers the requests in flight and ends.
 * @param print prints lines for people on standard output
 */
export async function serve(
  config: Config,
  version: string,
  print: (text: string) => void,
  { clock: given, overDatabase = (db) => db, transports, role = 'all', onMetrics, shared }: ServeOptions = {},
): Promise<void> {
  configureHeap();
  const { clock, follow, keepFollowing } = serverClock(given);
  const stopAsked = askedToStop();
  const lines = new LineWriter((text) => process.stderr.write(text));
  process.on('exit', () => lines.flush());
  const everyLine = createLogger(config.logLevel, (line) => lines.line(line));
  const outage = new Outage(everyLine, clock.elapsed);
  const log = withoutExplained(everyLine, (error) => outage.explains(error));
  await makeFolder(config.dataDir);
  const masterKey = await loadMasterKey(config.masterKey, config.dataDir);
  const keys = deriveKeys(masterKey, config.masterKeyPrevious);
  const masterKeys = deriveMasterKeys(masterKey, config.masterKeyPrevious);
  const store = await openStore(config, masterKeys, { clock, log, outage, shared, follow });
  const stopFollowing = keepFollowing(store.db, log);
  const metrics = createMetrics(version, store.db.inUse);
  let metricsServer: Server | undefined;
  let stopJobs: () => Promise<void> = async () => {};
  let served: Division | undefined;
  const registries = () => served?.registries ?? [metrics.registry];
  const telemetry = await openTelemetry(config, { clock, log, registries, version });
  const tracing = telemetry?.tracing;
  const traced = (of: Database) => tracing?.statements(of) ?? of;
  const over = (of: Database) => traced(overDatabase(of));
  const db = over(store.db);
  const directory = directoryOf(db, store.aside);
  const common = { config, clock, keys, masterKeys, log, transports, directory, tracing, url: store.url };
  const server = await composeServer({ ...common, ...store, db, reads: traced(store.reads), metrics });
  const { registry } = metrics;
  const cells = new Division({ ...common, role, overDatabase: over, server, home: db, registry, onMetrics });
  served = cells;

  try {
    if (onMetrics === undefined) metricsServer = await openMetrics(config.metrics, cells.metrics, log);
    await cells.start();
    const baseUrl = await server.start(role);
    const demo = { db: store.db, clock, randomBytes: pooled(randomBytes) };
    const welcome = await createDemoAccounts(demo, baseUrl);
    // Jobs start last: their first queries run all at once and would take the database connections of the steps before.
    stopJobs = server.startJobs(role);
    announce(print, config, welcome, role === 'worker' ? 'in the background' : `on ${baseUrl}`);
  } catch (error) {
    await stopFollowing();
    await store.close();
    throw error;
  }

  await stopAsked;
  const inTime = await stopServer({
    clock,
    log,
    config,
    server,
    jobs: [stopFollowing, stopJobs, () => cells.close()],
    async endRest() {
      endMetricsServer(metricsServer);
      await telemetry?.stop();
    },
    close: () => store.close(),
  });
  // Work that is still running would keep the process alive.
  if (!inTime) process.exit(1);
}

function announce(print: (text: string) => void, config: Config, welcome: string | undefined, where: string) {
  if (welcome !== undefined) print(welcome);
  if (config.liveSimulation) {
    print('LIVE SIMULATION: simulators stand in for live processors. No real money moves.');
  }
  print(`ready ${where}`);
}

/** Starts the export of traces and metrics. Its code is only loaded if an export is configured. */
async function openTelemetry(
  { telemetry }: Config,
  deps: { clock: Clock; log: Logger; registries: () => readonly Registry[]; version: string },
) {
  if (telemetry === null) return undefined;
  const { startTelemetry } = await import('../../telemetry/feature.ts');
  const instance = `${hostname()}-${process.pid}`;
  return startTelemetry(telemetry, { ...deps, randomBytes: pooled(randomBytes), instance });
}

/** Resolves at the first signal. The listeners stay: npm repeats a terminal's SIGINT, which would end the process at once. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of endSignals) process.on(name, () => resolve());
  });
}
