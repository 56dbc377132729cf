import type { RandomBytes } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';

/** A cookie of random bytes that identifies a browser. */
export interface BrowserCookie {
  /** Hash of the cookie that the browser sent; null if it sent none. */
  readonly hash: Buffer | null;
  /** Identifies the browser from now on: the cookie that it sent, or the one that it is given. */
  readonly name: string;
  /** The header that sets the cookie; null if the browser has it. */
  readonly setCookie: string | null;
}

/** Over https, the prefix prevents other hosts and plain http from setting the cookie. */
const cookieName = (secure: boolean) => (secure ? '__Host-till_checkout' : 'till_checkout');

/** @param header the request's `Cookie` header */
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
