import { randomUUID } from 'node:crypto';
import { OperatorError } from '../../accounts/accounts.ts';
import { userAgent } from '../../lib/version.ts';

/** Speaks to the API as a merchant's own server would. */
export class MerchantClient {
  readonly #server: string;
  readonly #key: string;

  /** @param server its address, without a trailing slash */
  constructor(server: string, key: string) {
    this.#server = server;
    this.#key = key;
  }

  /**
   * @param idempotencyKey of a request with a body; a new one where it is absent
   * @throws OperatorError with the API's own code, or `server_not_running`
   */
  async call<T>(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    idempotencyKey: string = randomUUID(),
  ): Promise<T> {
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
    }).catch((error: unknown) => {
      throw new OperatorError('server_not_running', `No server answers at ${this.#server}: ${String(error)}`);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as T;
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    throw new OperatorError(error.code, error.message);
  }
}
