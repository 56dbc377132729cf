import { readFile } from 'node:fs/promises';
import { builtFrom, hashSources } from '../../packages/server/source-hash.mjs';

/**
 * Refuses a built server that was not made from the sources as they are now: what it does would say nothing about them.
 * @param recorded the hash that the build left; undefined where there is none
 * @throws Error that says to build
 */
export async function requireFreshBuild(
  recorded: () => Promise<string | undefined> = readRecord,
  current: () => Promise<string> = hashSources,
): Promise<void> {
  if ((await recorded()) === (await current())) return;
  throw new Error('The built server is older than its source. Run `npm run build` first.');
}

const readRecord = () => readFile(builtFrom, 'utf8').catch(() => undefined);
