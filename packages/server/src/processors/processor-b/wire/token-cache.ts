import { createHash } from 'node:crypto';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import type { Transport } from '../../wire/transport.ts';
import { requestToken, type UpstreamAccess } from './oauth.ts';

/** Access tokens: one per connection, shared by all of its requests. */
export interface TokenCache {
  get(access: UpstreamAccess): Promise<string | NoAnswer>;
  /** Removes a token that the upstream no longer accepts. */
  drop(access: UpstreamAccess, token: string): void;
}

interface Issued {
  readonly token: string;
  /** Epoch time in milliseconds after which the token is no longer used. */
  readonly usableUntil: number;
}

/** Time between renewal and expiry of a token, long enough that no request can arrive with an expired one. */
const expiryMarginMs = 60_000;

/**
 * Requests tokens with client credentials and caches them until shortly before they expire. Concurrent callers share one
 * token request and its failure (PayPal REST docs, "Authentication"; RFC 6749, 4.4).
 */
export function tokenCache(deps: { readonly transport: Transport; now(): Date }): TokenCache {
  const issued = new Map<string, Issued>();
  const pending = new Map<string, Promise<Issued | NoAnswer>>();

  const renew = async (key: string, access: UpstreamAccess): Promise<Issued | NoAnswer> => {
    const asked = deps.now().getTime();
    const answer = await requestToken(deps.transport, access);
    pending.delete(key);
    if (isNoAnswer(answer)) return answer;
    const renewed = { token: answer.token, usableUntil: asked + answer.lifetimeMs - expiryMarginMs };
    issued.set(key, renewed);
    return renewed;
  };

  return {
    async get(access) {
      const key = cacheKey(access);
      const known = issued.get(key);
      if (known !== undefined && known.usableUntil > deps.now().getTime()) return known.token;
      const renewal = pending.get(key) ?? renew(key, access);
      pending.set(key, renewal);
      const answer = await renewal;
      return isNoAnswer(answer) ? answer : answer.token;
    },
    drop(access, token) {
      const key = cacheKey(access);
      if (issued.get(key)?.token === token) issued.delete(key);
    },
  };
}

/** The key includes the secret: a client id is public, and knowing it must not give access to its token. */
function cacheKey({ baseUrl, clientId, clientSecret }: UpstreamAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex');
}
