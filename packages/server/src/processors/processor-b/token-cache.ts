import { createHash } from 'node:crypto';
import { jsonObject, jsonText, parsedJson } from '../json.ts';
import { isNoAnswer, notExecuted, transportFault } from '../no-answer.ts';
import type { NoAnswer } from '../port.ts';
import type { Transport, WireResponse } from '../transport.ts';

/** Where and as whom to call the upstream. */
export interface UpstreamAccess {
  /** Address of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

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
const earlyMs = 60_000;

/**
 * Gets tokens by client credentials and keeps them until shortly before they expire. Requests at the same time share
 * one token request, and its failure (PayPal REST docs, "Authentication"; RFC 6749, 4.4).
 */
export function tokenCache(parts: { readonly transport: Transport; now(): Date }): TokenCache {
  const issued = new Map<string, Issued>();
  const pending = new Map<string, Promise<Issued | NoAnswer>>();

  const renew = async (key: string, access: UpstreamAccess): Promise<Issued | NoAnswer> => {
    const answer = await requestToken(parts.transport, access, parts.now());
    pending.delete(key);
    if (!isNoAnswer(answer)) {
      issued.set(key, answer);
    }
    return answer;
  };

  return {
    async get(access) {
      const key = cacheKey(access);
      const known = issued.get(key);
      if (known !== undefined && known.usableUntil > parts.now().getTime()) {
        return known.token;
      }
      const renewal = pending.get(key) ?? renew(key, access);
      pending.set(key, renewal);
      const answer = await renewal;
      return isNoAnswer(answer) ? answer : answer.token;
    },
    drop(access, token) {
      const key = cacheKey(access);
      if (issued.get(key)?.token === token) {
        issued.delete(key);
      }
    },
  };
}

/** The secret is part of it: a client id is public, and naming one must not give a share in its token. */
function cacheKey({ baseUrl, clientId, clientSecret }: UpstreamAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex');
}

async function requestToken(
  transport: Transport,
  { baseUrl, clientId, clientSecret }: UpstreamAccess,
  now: Date,
): Promise<Issued | NoAnswer> {
  try {
    const response = await transport({
      method: 'POST',
      url: `${baseUrl}/v1/oauth2/token`,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: Buffer.from('grant_type=client_credentials'),
    });
    return readToken(response, now);
  } catch (error) {
    // However it failed, the request that needed the token was never sent.
    return notExecuted('provider_unavailable', `token ${transportFault(error).reason}`);
  }
}

function readToken({ status, body }: WireResponse, now: Date): Issued | NoAnswer {
  const answer = jsonObject(parsedJson(body));
  const token = answer.access_token;
  if (status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    const seconds = Number(jsonText(answer, 'expires_in') ?? 0);
    const lifetimeMs = Number.isFinite(seconds) ? seconds * 1000 : 0;
    return { token, usableUntil: now.getTime() + lifetimeMs - earlyMs };
  }
  const unavailable = status === 429 || status > 500;
  return notExecuted(unavailable ? 'provider_unavailable' : 'provider_error', `token status ${status}`);
}
