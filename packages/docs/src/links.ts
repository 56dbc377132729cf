import { posix } from 'node:path';

/** Resolves the links of a page. */
export interface LinkMap {
  /** @returns the URL on the site; null if a file of the repository is not part of the site */
  resolve(source: string, href: string): string | null;
}

/**
 * Creates a link map. Links in the repository's files are relative to these files, so that they work in the repository;
 * on the site they become URLs of pages.
 * @param addresses URLs of the pages, by source file
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
