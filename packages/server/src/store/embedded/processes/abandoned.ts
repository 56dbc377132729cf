import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../lib/files/durable-files.ts';
import { readIfThere } from '../../../lib/files/lookup.ts';
import type { Place } from '../files/place.ts';
import { runningPostmaster } from './processes.ts';
import { haltServer } from './shutdown.ts';

const OWNER = 'data-folder';

/**
 * For clusters outside their data folder: records which data folder this cluster belongs to, and stops the server of an earlier
 * cluster of the same data folder, which was deleted meanwhile. The data of the earlier cluster stays.
 */
export async function endAbandoned(place: Place, log: (message: string) => void): Promise<void> {
  if (place.home === place.dataDir) return;
  const ownerFile = join(place.home, OWNER);
  if ((await readIfThere(ownerFile)) === place.dataDir) return;
  await replaceFile(ownerFile, place.dataDir);
  const parent = dirname(place.home);
  for (const id of await readdir(parent)) {
    const home = join(parent, id);
    if (home === place.home || (await readIfThere(join(home, OWNER))) !== place.dataDir) continue;
    log(`${home} holds the database of an earlier ${place.dataDir}; remove it when nobody needs it`);
    const abandoned = { cluster: join(home, 'postgres'), name: id };
    const running = await runningPostmaster(abandoned);
    if (running) await haltServer(abandoned, running.pid);
  }
}
