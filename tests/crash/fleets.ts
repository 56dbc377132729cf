import { findRunningPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import type { CleanUp } from '../support/clean-up.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { startServer, temporaryFolder } from '../support/server.ts';
import { bundleServerProcess } from './bundle.ts';
import { Fleet, type FleetDependencies } from './fleet.ts';
import { openPool } from './world.ts';

/** Short where exchanges are to break, and far from short where they are not. */
const breakingTimeoutMs = 1_000;
export const calmTimeoutMs = 20_000;

/** Servers on one database of a PostgreSQL that stays up. */
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

/** One server with a PostgreSQL of its own, which dies and is started again. */
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
