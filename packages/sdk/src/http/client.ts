import type { Approval } from '../generated/index.ts';
import type { OperationShapes } from '../generated/operation-shapes.ts';
import { type Answer, readAnswer } from './answer.ts';
import { ConnectionError } from './errors.ts';
import { buildRequest, type Input, type OperationId, type Request } from './request.ts';
import { delay, pauseBeforeRetry } from './retry.ts';
import {
  readMaxRetries,
  readSettings,
  readTimeout,
  rejectUnknownOptions,
  type Settings,
  type TillOptions,
} from './settings.ts';

/** Options of a single call. */
export interface RequestOptions {
  /**
   * An idempotency key of your own, such as your order id. Calls with the same key take effect only once
   * within 24 hours. By default the client generates a key for each call.
   */
  readonly idempotencyKey?: string | undefined;
  /** Timeout of each attempt in milliseconds, overriding the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of this call, overriding the client's `maxRetries`. */
  readonly maxRetries?: number | undefined;
  /**
   * Aborts the call: its promise rejects with the signal's reason. A request that was already sent may still
   * take effect.
   */
  readonly signal?: AbortSignal | undefined;
}

const optionNames: readonly string[] = [
  'idempotencyKey',
  'timeoutMs',
  'maxRetries',
  'signal',
] satisfies (keyof RequestOptions)[];

/** The sentence of the error message that says what a call without a response may have done. */
function unknownOutcome({ method, idempotencyKey }: Request): string {
  if (method === 'GET') return '';
  const next = idempotencyKey === undefined ? '' : ' Repeat it with the same idempotencyKey.';
  return ` It may have been carried out.${next}`;
}

/** Sends requests to the API and retries them if that is safe. */
export class Client {
  readonly #settings: Settings;

  /**
   * @throws TypeError if an option is invalid
   * @throws Error in a browser
   */
  constructor(options: TillOptions) {
    this.#settings = readSettings(options);
  }

  /**
   * Calls one operation of the API.
   * @throws TillError if the API returns an error, or if no response arrives
   * @throws the signal's reason if the caller aborts the call
   * @throws TypeError if the input or an option is invalid, before anything is sent
   */
  async call<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: RequestOptions = {},
  ): Promise<OperationShapes[Id]['answer']> {
    // // If `idempotencyKey` were misspelt and ignored, repeating the call would charge the buyer again.
    rejectUnknownOptions(options, optionNames, 'a call');
    const { clock, random } = this.#settings;
    const request = buildRequest(this.#settings, id, input, options.idempotencyKey);
    const retries = readMaxRetries(options.maxRetries, this.#settings.maxRetries);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#try(request, attempt, options)) as OperationShapes[Id]['answer'];
      } catch (error) {
        const pause = attempt > retries ? undefined : pauseBeforeRetry(error, request, attempt, random());
        if (pause === undefined) throw error;
        await delay(clock, pause, options.signal);
      }
    }
  }

  /**
   * Calls an operation for which a restricted key may need an approval.
   * @returns the type that the caller names; a full key never receives an approval
   * @throws the same errors as `call`
   */
  async callOrAsk<Id extends OperationId, Expected extends OperationShapes[Id]['answer'] | Approval>(
    id: Id,
    input: Input<Id>,
    options?: RequestOptions,
  ): Promise<Expected> {
    return (await this.call(id, input, options)) as Expected;
  }

  async #try(request: Request, attempt: number, options: RequestOptions): Promise<unknown> {
    const answer = await this.#send(request, options);
    const { method, path } = request;
    this.#settings.onAnswer({
      method,
      path,
      status: answer.status,
      requestId: answer.header('service-request-id'),
      attempt,
      isReplayed: answer.header('idempotent-replayed') === 'true',
      ignoredFields: answer.header('service-ignored-fields')?.split(', ') ?? [],
    });
    return readAnswer(answer, request, this.#settings.clock.now());
  }

  /**
   * @throws ConnectionError if no complete response arrives in time
   * @throws the signal's reason if the caller aborts the call
   */
  async #send(request: Request, options: RequestOptions): Promise<Answer> {
    const { fetch, clock, timeoutMs: standard } = this.#settings;
    const { method, url, headers, body, idempotencyKey } = request;
    const { signal } = options;
    const timeoutMs = readTimeout(options.timeoutMs, standard);
    signal?.throwIfAborted();
    const controller = new AbortController();
    let isLate = false;
    const cancel = clock.after(timeoutMs, () => {
      isLate = true;
      controller.abort();
    });
    const stop = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const init = { method, headers, redirect: 'manual', signal: controller.signal } as const;
      const answer = await fetch(url, body === undefined ? init : { ...init, body });
      const text = await answer.text();
      return { status: answer.status, header: (name) => answer.headers.get(name) ?? undefined, text };
    } catch (cause) {
      signal?.throwIfAborted();
      const what = isLate ? `did not answer within ${timeoutMs} ms` : 'did not answer: the connection failed';
      throw new ConnectionError(`The server ${what} (${method} ${request.path}).${unknownOutcome(request)}`, {
        type: 'connection_error',
        code: isLate ? 'timed_out' : 'connection_failed',
        retryable: true,
        idempotencyKey,
        cause,
      });
    } finally {
      cancel();
      signal?.removeEventListener('abort', stop);
    }
  }
}
