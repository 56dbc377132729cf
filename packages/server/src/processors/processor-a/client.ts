import { jsonObject, jsonText, parsedJson } from '../json.ts';
import type { Transport } from '../transport.ts';

/** Where and as whom to call the upstream. */
export interface UpstreamAccess {
  /** Address of the API with its version, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
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
}

/**
 * Posts one JSON body under an idempotency key of at most 64 characters and resolves with whatever answer comes;
 * rejects with the transport's error where none does (Adyen docs, "API idempotency").
 */
export async function post(
  transport: Transport,
  access: UpstreamAccess,
  path: string,
  idempotencyKey: string,
  body: object,
): Promise<UpstreamAnswer> {
  const response = await transport({
    method: 'POST',
    url: `${access.baseUrl}${path}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-api-key': access.apiKey,
    },
    body: Buffer.from(JSON.stringify(body)),
  });
  const parsed = parsedJson(response.body);
  return {
    status: response.status,
    body: parsed,
    errorCode: jsonText(jsonObject(parsed), 'errorCode'),
    transient: response.headers['transient-error']?.toLowerCase() === 'true',
  };
}
