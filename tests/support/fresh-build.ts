import { readFile } from 'node:fs/promises';
import { builtFrom, hashSources } from '../../packages/server/source-hash.mjs';

/**
 * Refuses a built server that was not built from the current sources, since tests of it would prove nothing
 * about them.
 * @param recorded returns the hash that the build has stored; undefined if there is none
 * @throws Error that asks to run the build
 */
export async function requireFreshBuild(
  recorded: () => Promise<string | undefined> = readRecord,
  current: () => Promise<string> = hashSources,
): Promise<void> {
  if ((await recorded()) === (await current())) return;
  throw new Error('The built server is older than its source. Run `npm run build` first.');
}

const readRecord = () => readFile(builtFrom, 'utf8').catch(() => undefined);
