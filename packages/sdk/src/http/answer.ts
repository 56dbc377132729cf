import type { ErrorType } from '../generated/index.ts';
import { ApiError, type ErrorFacts, errorClasses, TillError } from './errors.ts';
import type { Request } from './request.ts';

/** An HTTP response with its complete body. */
export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/**
 * Parses `Retry-After` into seconds. The header is a number of seconds, or an HTTP date as some proxies send
 * it. Returns undefined for anything else.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now.getTime()) / 1000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isType = (type: string | undefined): type is ErrorType =>
  type !== undefined && Object.hasOwn(errorClasses, type);

/**
 * The server stores the response with this code under the idempotency key, so only a request with a new key
 * can have another outcome.
 */
const storedErrorCode = 'missing_approval_url';

function errorOf(answer: Answer, request: Request, now: Date): TillError {
  const body = parse(answer.text);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const [type, code] = [textOf(error.type), textOf(error.code)];
  const { status } = answer;
  const facts: Omit<ErrorFacts, 'type' | 'code'> = {
    status,
    param: textOf(error.param),
    customer: textOf(error.customer),
    requestId: textOf(error.request_id) ?? answer.header('service-request-id'),
    docUrl: textOf(error.doc_url),
    retryable: (status >= 500 || status === 429) && code !== storedErrorCode,
    retryAfterSeconds: retryAfterSeconds(answer.header('retry-after'), now),
    idempotencyKey: request.idempotencyKey,
  };
  if (type === undefined || code === undefined) {
    const message = `${request.method} ${request.path} was answered with HTTP ${status} by something that is not Till's API.`;
    return new ApiError(message, { ...facts, type: 'api_error', code: 'unexpected_answer' });
  }
  const message = textOf(error.message) ?? code;
  // // A newer server may send an error type that this version of the package does not know.
  if (!isType(type)) return new TillError(message, { ...facts, type: type as ErrorType, code });
  return new errorClasses[type](message, { ...facts, type, code });
}

/**
 * Returns the object in the body of a successful response.
 * @throws TillError for any other response, as the subclass of the response's error type
 */
export function readAnswer(answer: Answer, request: Request, now: Date): unknown {
  const body = answer.status >= 200 && answer.status < 300 ? parse(answer.text) : undefined;
  if (isObject(body)) return body;
  throw errorOf(answer, request, now);
}
