import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPlace } from '../../packages/server/src/store/embedded/files/place.ts';
import {
  runningPostmaster,
  serverProcesses,
} from '../../packages/server/src/store/embedded/processes/processes.ts';
import { closeServer } from '../../packages/server/src/store/embedded/processes/shutdown.ts';
import { until } from './until.ts';

/** Stops the database of a data folder and removes its files, which may be in another folder. */
export async function endDatabase(path: string): Promise<void> {
  const place = await findPlace(path);
  if (place === undefined) return;
  const running = await runningPostmaster(place);
  if (running !== undefined) await closeServer(place, running);
  await until('the database has ended', async () => (await serverProcesses(place)).length === 0);
  if (place.home !== place.dataDir) await rm(place.home, { recursive: true, force: true });
  await rm(join(tmpdir(), place.name), { recursive: true, force: true });
}
