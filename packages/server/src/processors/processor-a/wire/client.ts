import { jsonObject, jsonText, parsedJson } from '../../wire/json.ts';
import type { Transport } from '../../wire/transport.ts';

/** One request to the upstream. */
export interface UpstreamCall {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  /** At most 64 characters; absent if a repeat must be executed again (Adyen docs, "API idempotency"). */
  readonly idempotencyKey?: string;
  /** Sent as JSON; absent on DELETE. */
  readonly body?: object;
}

/** One response, with any status. */
export interface UpstreamAnswer {
  readonly status: number;
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
  /** The upstream's own error code, e.g. `704`. */
  readonly errorCode: string | null;
  /** Whether the upstream allows the same request to be sent again under the same key. */
  readonly transient: boolean;
  /** The idempotency key under which the upstream processed the request, as the response names it. */
  readonly idempotencyKey: string | null;
}

/** Sends one request and resolves with any response; rejects with the transport's error if none arrives. */
export async function call(
  transport: Transport,
  apiKey: string,
  { method, url, idempotencyKey, body }: UpstreamCall,
): Promise<UpstreamAnswer> {
  const response = await transport({
    method,
    url,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      'x-api-key': apiKey,
    },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
  const parsed = parsedJson(response.body);
  return {
    status: response.status,
    body: parsed,
    errorCode: jsonText(jsonObject(parsed), 'errorCode'),
    transient: response.headers['transient-error']?.toLowerCase() === 'true',
    idempotencyKey: response.headers['idempotency-key'] ?? null,
  };
}
