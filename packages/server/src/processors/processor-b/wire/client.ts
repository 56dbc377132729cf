import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer, transportFault } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonObjects, jsonText, parsedJson } from '../../wire/json.ts';
import type { Transport, WireResponse } from '../../wire/transport.ts';
import type { UpstreamAccess } from './oauth.ts';
import type { TokenCache } from './token-cache.ts';

/** A request body that is not JSON built here. */
export interface Payload {
  readonly contentType: string;
  readonly content: Buffer;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with the leading slash and the API's version. */
  readonly path: string;
  /** `PayPal-Request-Id`, at most 108 characters. */
  readonly key?: string;
  /** `PayPal-Client-Metadata-Id`. */
  readonly metadataId?: string | undefined;
  /** Sent as JSON. A POST or PUT with neither `body` nor `payload` sends an empty object. */
  readonly body?: object;
  readonly payload?: Payload;
}

/** One reason why the upstream refuses a request. */
export interface Issue {
  /** The upstream's own code, e.g. `INSTRUMENT_DECLINED`. */
  readonly code: string;
  /** JSON pointer to the offending member. */
  readonly field: string;
}

/** One response, with any status. */
export interface UpstreamAnswer {
  readonly status: number;
  /** The parsed JSON body; an empty object if the body is not a JSON object. */
  readonly body: JsonObject;
  /** The upstream's own name of an error, e.g. `RESOURCE_NOT_FOUND`; null if the response has none. */
  readonly name: string | null;
  readonly issues: readonly Issue[];
  readonly debugId: string | null;
}

/**
 * Sends one request with the connection's access token and resolves with any response. If the upstream refuses the token, the
 * client renews it once and repeats the request (PayPal REST docs, "API requests", "API responses").
 */
export async function call(
  transport: Transport,
  tokens: TokenCache,
  access: UpstreamAccess,
  request: UpstreamRequest,
): Promise<UpstreamAnswer | NoAnswer> {
  const token = await tokens.get(access);
  if (isToken(token)) {
    const answer = await exchange(transport, access, token, request);
    if (isNoAnswer(answer) || !refusesToken(answer)) return answer;
    tokens.drop(access, token);
  } else {
    return token;
  }
  const fresh = await tokens.get(access);
  return isToken(fresh) ? exchange(transport, access, fresh, request) : fresh;
}

const isToken = (token: string | NoAnswer): token is string => typeof token === 'string';

/** A 401 with any other issue is about the account, not the token. */
const refusesToken = ({ status, issues }: UpstreamAnswer): boolean =>
  status === 401 && issues.every(({ code }) => code === 'INVALID_TOKEN');

async function exchange(
  transport: Transport,
  access: UpstreamAccess,
  token: string,
  request: UpstreamRequest,
): Promise<UpstreamAnswer | NoAnswer> {
  const payload = payloadOf(request);
  try {
    const response = await transport({
      method: request.method,
      url: `${access.baseUrl}${request.path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(payload === undefined ? {} : { 'content-type': payload.contentType }),
        ...(request.method === 'POST' ? { prefer: 'return=representation' } : {}),
        ...(request.key === undefined ? {} : { 'paypal-request-id': request.key }),
        ...(request.metadataId === undefined ? {} : { 'paypal-client-metadata-id': request.metadataId }),
      },
      body: payload?.content ?? Buffer.alloc(0),
    });
    return readAnswer(response);
  } catch (error) {
    const fault = transportFault(error);
    // A read changes nothing at the upstream, whether or not the response arrived.
    return request.method === 'GET' ? { ...fault, kind: 'not_executed' } : fault;
  }
}

function payloadOf({ method, body = {}, payload }: UpstreamRequest): Payload | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  return payload ?? { contentType: 'application/json', content: Buffer.from(JSON.stringify(body)) };
}

/** Returns the text only if it is a well-formed code, because codes go to logs and to merchants. */
const codeOf = (text: string | null): string | null =>
  text !== null && /^[A-Z][A-Z0-9_]{2,63}$/.test(text) ? text : null;

function readAnswer({ status, headers, body }: WireResponse): UpstreamAnswer {
  const parsed = jsonObject(parsedJson(body));
  return {
    status,
    body: parsed,
    name: codeOf(jsonText(parsed, 'name')),
    issues: jsonObjects(parsed, 'details').flatMap((detail) => {
      const code = codeOf(jsonText(detail, 'issue'));
      return code === null ? [] : [{ code, field: jsonText(detail, 'field') ?? '' }];
    }),
    debugId: headers['paypal-debug-id'] ?? jsonText(parsed, 'debug_id'),
  };
}
