import { home } from '../../packages/server/src/cells/store.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import { findRunningPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import type { CleanUp } from '../support/clean-up.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import type { CellUrls } from '../support/rows-in.ts';
import { commandJson, startServer, temporaryFolder } from '../support/server.ts';
import { bundleServerProcess } from './bundle.ts';
import { Fleet, type FleetDependencies } from './fleet.ts';
import { openPool } from './world.ts';

/** Processor timeouts: short for runs in which requests to processors fail, and long for the others. */
const breakingTimeoutMs = 1_000;
export const calmTimeoutMs = 20_000;

/** Opens servers on one database of a PostgreSQL server that stays up. */
export async function openFleet(
  cleanUp: CleanUp,
  count: number,
  processorTimeoutMs = breakingTimeoutMs,
  simulators: NonNullable<FleetDependencies['simulators']> = 'outside',
): Promise<Fleet> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const script = await bundleServerProcess(cleanUp);
  const url = await migratedDatabase(cleanUp);
  const fleet = await Fleet.open(cleanUp, {
    async start(settings) {
      const server = await startServer(
        { DATABASE_URL: url, TILL_DATA_DIR: folder.path, ...settings },
        script,
      );
      cleanUp.add(() => server.stop('SIGKILL'));
      return server;
    },
    connect: async () => openPool(url),
    processorTimeoutMs,
    simulators,
  });
  for (let started = 1; started < count; started += 1) await fleet.start();
  return fleet;
}

/** The name of the cell other than home. */
export const otherCell = 'east';
/** Fewer connections than by default: the tests' PostgreSQL allows a hundred, and the commands that move accounts need some. */
const fewConnections = { TILL_DATABASE_CONNECTIONS: '4', TILL_DASHBOARD_CONNECTIONS: '2' };

export interface DividedFleet {
  readonly fleet: Fleet;
  /** The URLs of both databases. */
  readonly urls: CellUrls;
  /** The database of a cell. */
  readonly databaseIn: (cell: keyof CellUrls) => Database;
}

/** Opens servers with two cells. At first all accounts are at home. */
export async function openDividedFleet(
  cleanUp: CleanUp,
  count: number,
  processorTimeoutMs = breakingTimeoutMs,
): Promise<DividedFleet> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const script = await bundleServerProcess(cleanUp);
  const urls = { [home]: await migratedDatabase(cleanUp), [otherCell]: await migratedDatabase(cleanUp) };
  const other = await openPool(urls[otherCell]);
  cleanUp.add(() => other.close());
  let isDivided = false;
  const fleet = await Fleet.open(cleanUp, {
    async start(given) {
      const settings = { DATABASE_URL: urls[home], TILL_DATA_DIR: folder.path, ...given, ...fewConnections };
      if (!isDivided) await commandJson(settings, ['cells', 'add', otherCell, '--url', urls[otherCell]]);
      isDivided = true;
      const server = await startServer(settings, script);
      cleanUp.add(() => server.stop('SIGKILL'));
      return server;
    },
    connect: async () => openPool(urls[home]),
    cells: new Map([[otherCell, other]]),
    processorTimeoutMs,
  });
  for (let started = 1; started < count; started += 1) await fleet.start();
  return { fleet, urls, databaseIn: (cell) => (cell === home ? fleet.place.db : other) };
}

/** Opens one server with its embedded PostgreSQL, which is killed and restarted. */
export async function openFleetWithDatabase(
  cleanUp: CleanUp,
): Promise<{ readonly fleet: Fleet; readonly folder: DataFolder }> {
  const folder = await dataFolder(cleanUp);
  const script = await bundleServerProcess(cleanUp);
  const fleet = await Fleet.open(cleanUp, {
    start: (settings) => folder.start(settings, script),
    async connect() {
      const running = await findRunningPostgres(folder.path);
      if (running === undefined) throw new Error('no database runs');
      return openPool(running.url);
    },
    processorTimeoutMs: breakingTimeoutMs,
  });
  return { fleet, folder };
}
