import type { IncomingMessage } from 'node:http';
import { type Directory, elsewhere } from '../cells/directory.ts';
import { home } from '../cells/store.ts';
import { presentedKey } from '../http/api/authenticate.ts';
import type { AppDependencies } from '../http/server/app.ts';
import { sha256 } from '../lib/keys.ts';
import type { ServerDependencies } from './dependencies.ts';

/** Addresses that name an account: of the dashboard's API, a logo, a processor's notification. */
const named = /^\/(?:dashboard\/api\/accounts|checkout\/logo|processors\/[a-z]\/notifications)\/([^/?]+)/;
/** The token in an address of the checkout page, or of a payment link, begins with its account. */
const token = /^\/(?:checkout\/(?:pay|return|cancel)|pay)\/([a-z0-9]{24})[tl]/;

type Asked = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

/** The account that a request is about, at once where that is known; null: none, or one at home. */
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

/** An address as routes are found by it: one with a host has a path, and escapes count as what they stand for. */
function routed(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
  try {
    return decodeURIComponent(path);
  } catch {
    // No route takes it.
    return url;
  }
}

/** Home says what is wrong with a request that presents no key. */
function keyIn(rawHeaders: readonly string[]): string | null {
  try {
    return presentedKey(rawHeaders);
  } catch {
    return null;
  }
}

/**
 * Says of an account whether it is in another cell than this server's, as far as this process knows. While it moves, some of its
 * rows are in both.
 */
export function elsewhereFrom({
  within,
  directory = within?.directory,
}: Pick<ServerDependencies, 'within' | 'directory'>): (accountId: string) => boolean {
  const cell = within?.cell ?? home;
  return (accountId) => directory?.isDivided === true && directory.cellOfAccount(accountId) !== cell;
}

/**
 * Says of a request that is worked on in a cell whether its account was handed over meanwhile: then its rows are being
 * removed, and an error or what was read may come of that.
 */
export function handedOver(
  server: Pick<ServerDependencies, 'within' | 'directory'>,
): AppDependencies['insteadOf'] {
  const { within, directory = within?.directory } = server;
  if (directory === undefined) return undefined;
  const isElsewhere = elsewhereFrom(server);
  // Nobody waits for this answer: a key that is not known by now is of no account, and is not looked up again.
  const known = { accountOfKey: (hash: Buffer) => directory.knownAccountOfKey(hash) };
  return (answer, request) => {
    if (!directory.isDivided) return undefined;
    const account = accountOf(known, request);
    if (typeof account !== 'string') return undefined;
    // While it is just being handed over this process may not know yet that it was.
    return isElsewhere(account) || (answer === 'error' && directory.isHeld(account))
      ? elsewhere()
      : undefined;
  };
}
