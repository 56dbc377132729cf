import { jsonObject, jsonText, parsedJson } from '../../wire/json.ts';
import type { Transport } from '../../wire/transport.ts';

/** One request to the upstream. */
export interface UpstreamCall {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  /** At most 64 characters; absent where a repeat must be carried out anew (Adyen docs, "API idempotency"). */
  readonly idempotencyKey?: string;
  /** Sent as JSON; absent on DELETE. */
  readonly body?: object;
}

/** One answer, whatever its status. */
export interface UpstreamAnswer {
  readonly status: number;
  /** The parsed JSON body, or undefined where the body is no JSON. */
  readonly body: unknown;
  /** The upstream's own code of an error, e.g. `704`. */
  readonly errorCode: string | null;
  /** The upstream says that the same request under the same key may be sent again. */
  readonly transient: boolean;
  /** The idempotency key that it was processed under, as it names it. */
  readonly idempotencyKey: string | null;
}

/** Sends one request and resolves with whatever answer comes; rejects with the transport's error where none does. */
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
