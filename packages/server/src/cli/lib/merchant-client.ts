import { randomUUID } from 'node:crypto';
import { OperatorError } from '../../accounts/accounts.ts';
import { userAgent } from '../../lib/version.ts';

/** Calls the API as a merchant's own server would. */
export class MerchantClient {
  readonly #server: string;
  readonly #key: string;

  /** @param server its URL, without a trailing slash */
  constructor(server: string, key: string) {
    this.#server = server;
    this.#key = key;
  }

  /**
   * @param idempotencyKey of a request with a body; by default a new one
   * @throws OperatorError with the API's own code; `invalid_params` for a key that no header can carry; `server_not_running`;
   *   `outcome_unknown` if a request with a body got no response, so that the server may have executed it
   */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object, idempotencyKey?: string): Promise<T> {
    if (idempotencyKey !== undefined && !/^[\x21-\x7e]+$/.test(idempotencyKey)) {
      throw new OperatorError(
        'invalid_params',
        'The idempotency key may have ASCII letters, digits and signs only. Nothing was sent.',
      );
    }
    const answer = await this.#send(method, path, body, idempotencyKey).catch((error: unknown) => {
      throw this.#unanswered(error, method, idempotencyKey);
    });
    if (answer.ok) return answer.json as T;
    const { code, message } = (answer.json as { error: { code: string; message: string } }).error;
    throw new OperatorError(code, message);
  }

  async #send(method: 'GET' | 'POST', path: string, body?: object, idempotencyKey: string = randomUUID()) {
    const answer = await fetch(`${this.#server}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        'user-agent': userAgent,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!isJson(answer)) throw new Error(`it answered ${answer.status} without JSON`);
    return { ok: answer.ok, json: JSON.parse(text) as unknown };
  }

  #unanswered(error: unknown, method: string, idempotencyKey: string | undefined): OperatorError {
    const why = reasonOf(error);
    if (method === 'GET' || isNeverSent(error)) {
      return new OperatorError('server_not_running', `No server answers at ${this.#server}: ${why}`);
    }
    const next =
      idempotencyKey === undefined
        ? 'Look before you send it again'
        : 'Repeat it with the same idempotency key, and with no other';
    return new OperatorError(
      'outcome_unknown',
      `It is not known whether this was carried out: ${why}. ${next}.`,
    );
  }
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') === true;

/** Errors before a connection is established: no request was sent (Node.js, "Common system errors"; undici, "Errors"). */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
const isNeverSent = (error: unknown): boolean => neverSent.has(codeOf(causeOf(error)) ?? '');

function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  const { message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message} (${codeOf(cause) ?? cause.message})` : message;
}
