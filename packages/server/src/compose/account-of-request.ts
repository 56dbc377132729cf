import type { IncomingMessage } from 'node:http';
import { type Directory, elsewhere } from '../cells/directory.ts';
import { home } from '../cells/store.ts';
import { presentedKey } from '../http/api/authenticate.ts';
import type { AppDependencies } from '../http/server/app.ts';
import { sha256 } from '../lib/keys.ts';
import type { ServerDependencies } from './dependencies.ts';

/** Paths that contain an account id: of the dashboard's API, of a logo, and of a processor's notifications. */
const named = /^\/(?:dashboard\/api\/accounts|checkout\/logo|processors\/[a-z]\/notifications)\/([^/?]+)/;
/** Paths of the checkout page and of payment links. Their token begins with the account. */
const token = /^\/(?:checkout\/(?:pay|return|cancel)|pay)\/([a-z0-9]{24})[tl]/;

type Asked = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

/** The account of a request; a promise if it has to be looked up; null if there is none, or if home can answer the request. */
export function accountOf(
  directory: Pick<Directory, 'accountOfKey'>,
  { url: asked = '', rawHeaders }: Asked,
): string | null | Promise<string | null> {
  const url = routed(asked);
  if (url.startsWith('/api/v1/')) {
    const key = keyIn(rawHeaders);
    return key === null ? null : directory.accountOfKey(sha256(key));
  }
  const [, account] = named.exec(url) ?? [];
  if (account !== undefined) return account;
  const [, begin] = token.exec(url) ?? [];
  return begin === undefined ? null : `acct_${begin}`;
}

/** Normalizes a request target as routing does: drops scheme and host, and decodes percent escapes. */
function routed(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
  try {
    return decodeURIComponent(path);
  } catch {
    // No route matches a target with malformed escapes.
    return url;
  }
}

/** The key that a request presents; null without a valid Authorization header: home reports what is wrong with that. */
function keyIn(rawHeaders: readonly string[]): string | null {
  try {
    return presentedKey(rawHeaders);
  } catch {
    return null;
  }
}

/**
 * Returns a function that checks whether an account is in another cell than this server's, as far as this process knows. While an
 * account moves, both cells have some of its rows.
 */
export function otherCellCheck({
  within,
  directory = within?.directory,
}: Pick<ServerDependencies, 'within' | 'directory'>): (accountId: string) => boolean {
  const cell = within?.cell ?? home;
  return (accountId) => directory?.isDivided === true && directory.cellOfAccount(accountId) !== cell;
}

/**
 * Returns a function that checks whether a request's account was handed over to another cell while the request was in progress.
 * Then its rows are being removed, and the response may be wrong for that reason.
 */
export function handedOver(
  server: Pick<ServerDependencies, 'within' | 'directory'>,
): AppDependencies['insteadOf'] {
  const { within, directory = within?.directory } = server;
  if (directory === undefined) return undefined;
  const isElsewhere = otherCellCheck(server);
  // This function cannot wait: a key that is not in memory by now counts as having no account, and is not looked up.
  const known = { accountOfKey: (hash: Buffer) => directory.knownAccountOfKey(hash) };
  return (answer, request) => {
    if (!directory.isDivided) return undefined;
    const account = accountOf(known, request);
    if (typeof account !== 'string') return undefined;
    // During the handover this process may not know yet that it is complete.
    return isElsewhere(account) || (answer === 'error' && directory.isHeld(account))
      ? elsewhere()
      : undefined;
  };
}
