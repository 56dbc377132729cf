import { posix } from 'node:path';

/** Resolves the links of a page. */
export interface LinkMap {
  /** @returns the address on the site; null where a file of the repository is no part of it */
  resolve(source: string, href: string): string | null;
}

/**
 * Links in the repository's files are relative to these, so that they work there too; on the site they become addresses
 * of pages.
 * @param addresses of the pages, by their source
 */
export function linkMap(addresses: ReadonlyMap<string, string>): LinkMap {
  return {
    resolve(source, href) {
      if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
      const [path = '', fragment] = href.split('#', 2);
      const target = addresses.get(posix.normalize(posix.join(posix.dirname(source), path)));
      if (target === undefined) return null;
      return fragment === undefined ? target : `${target}#${fragment}`;
    },
  };
}
