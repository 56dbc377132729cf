import type { NoAnswer } from '../../port/port.ts';
import { notExecuted, transportFault } from '../../upstream/no-answer.ts';
import { jsonObject, jsonText, parsedJson } from '../../wire/json.ts';
import type { Transport, WireResponse } from '../../wire/transport.ts';

/** Base URL and client credentials for calls to the upstream. */
export interface UpstreamAccess {
  /** Base URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface IssuedToken {
  readonly token: string;
  /** 0 if the upstream does not say. */
  readonly lifetimeMs: number;
}

/** Parameters of a token request after `grant_type`, in order. */
export type TokenParameters = readonly (readonly [name: string, value: string])[];

/**
 * Requests a token with client credentials. If this fails in any way, nothing was executed (PayPal REST docs,
 * "Authentication"; RFC 6749, 4.4).
 */
export async function requestToken(
  transport: Transport,
  { baseUrl, clientId, clientSecret }: UpstreamAccess,
  parameters: TokenParameters = [],
): Promise<IssuedToken | NoAnswer> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  for (const [name, value] of parameters) {
    form.append(name, value);
  }
  try {
    const response = await transport({
      method: 'POST',
      url: `${baseUrl}/v1/oauth2/token`,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: Buffer.from(form.toString()),
    });
    return readToken(response);
  } catch (error) {
    // However this failed, the request that needed the token was never sent.
    const fault = transportFault(error);
    return { ...fault, kind: 'not_executed', reason: `token ${fault.reason}` };
  }
}

function readToken({ status, body }: WireResponse): IssuedToken | NoAnswer {
  const answer = jsonObject(parsedJson(body));
  const token = answer.access_token;
  if (status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    const seconds = Number(jsonText(answer, 'expires_in') ?? 0);
    return { token, lifetimeMs: Number.isFinite(seconds) ? seconds * 1000 : 0 };
  }
  const unavailable = status === 429 || status > 500;
  const fault = notExecuted(
    unavailable ? 'provider_unavailable' : 'provider_error',
    `token status ${status}`,
  );
  return { ...fault, error: { status, code: null } };
}
