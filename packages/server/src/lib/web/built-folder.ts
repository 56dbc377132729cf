import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * The folder of the build in use, where a link leads there: a build meanwhile makes the link lead elsewhere, and what
 * belongs together is read from one folder.
 * @returns the place itself where nothing was built yet
 */
export function builtFolder(place: URL): URL {
  try {
    return pathToFileURL(`${realpathSync(place)}/`);
  } catch {
    return place;
  }
}
