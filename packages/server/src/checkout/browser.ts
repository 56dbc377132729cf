import type { RandomBytes } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';

/** What distinguishes browsers: a cookie with nothing but chance in it. */
export interface BrowserCookie {
  /** Hash of the cookie that came; null where none came. */
  readonly hash: Buffer | null;
  /** What names the browser from now on: the cookie that came, or the one that it gets. */
  readonly name: string;
  /** The header that gives the browser one; null where it has one. */
  readonly setCookie: string | null;
}

/** Over https the prefix keeps other hosts and plain http from setting it. */
const cookieName = (secure: boolean) => (secure ? '__Host-till_checkout' : 'till_checkout');

/** @param header `Cookie` as it came */
export function readBrowser(
  header: string | undefined,
  secure: boolean,
  randomBytes: RandomBytes,
): BrowserCookie {
  const name = cookieName(secure);
  const value = (header ?? '')
    .split(/;\s*/)
    .map((pair) => pair.split('=', 2))
    .find(([key, text = '']) => key === name && /^[A-Za-z0-9_-]{22}$/.test(text))?.[1];
  if (value !== undefined) return { hash: sha256(value), name: value, setCookie: null };
  const fresh = Buffer.from(randomBytes(16)).toString('base64url');
  return {
    hash: null,
    name: fresh,
    setCookie: `${name}=${fresh}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
  };
}
