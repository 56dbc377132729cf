import { readFileSync } from 'node:fs';

/** The version of this server and command line. */
export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** The `User-Agent` header of every request that Till sends (RFC 9110, 10.1.5). */
export const userAgent = `Till/${version}`;
