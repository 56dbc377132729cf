import { createHash } from 'node:crypto';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import type { Transport } from '../../wire/transport.ts';
import { requestToken, type UpstreamAccess } from './oauth.ts';

/** Access tokens, one for each connection, shared by all of its requests. */
export interface TokenCache {
  get(access: UpstreamAccess): Promise<string | NoAnswer>;
  /** Forgets a token that the upstream no longer takes. */
  drop(access: UpstreamAccess, token: string): void;
}

interface Issued {
  readonly token: string;
  /** Milliseconds of the epoch after which it is not used any more. */
  readonly usableUntil: number;
}

/** A token is renewed so long before its end that no request carrying it can arrive after that. */
const expiryMarginMs = 60_000;

/**
 * Gets tokens by client credentials and keeps them until shortly before they expire. Requests at the same time share
 * one token request, and its failure (PayPal REST docs, "Authentication"; RFC 6749, 4.4).
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

/** The secret is part of it: a client id is public, and naming one must not give a share in its token. */
function cacheKey({ baseUrl, clientId, clientSecret }: UpstreamAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex');
}
