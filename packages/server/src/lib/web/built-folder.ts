import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * Resolves the symlink to the folder of the current build. A later build changes the link, but all files of one build are still
 * read from the same folder.
 * @returns the place itself if nothing was built yet
 */
export function builtFolder(place: URL): URL {
  try {
    return pathToFileURL(`${realpathSync(place)}/`);
  } catch {
    return place;
  }
}
