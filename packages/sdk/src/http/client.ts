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
  requireKnown,
  type Settings,
  type TillOptions,
} from './settings.ts';

/** The options of one call. */
export interface RequestOptions {
  /** Your own key, such as the order's id: the same call with it, at any time within 24 hours, takes effect once. */
  readonly idempotencyKey?: string | undefined;
  /** Time-out of one attempt in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** How often the call is retried. */
  readonly maxRetries?: number | undefined;
  /** Aborts the call, which rejects with the signal's reason. What was sent may still take effect. */
  readonly signal?: AbortSignal | undefined;
}

const optionNames: readonly string[] = [
  'idempotencyKey',
  'timeoutMs',
  'maxRetries',
  'signal',
] satisfies (keyof RequestOptions)[];

/** What a call that got no answer may have done. */
function unknownOutcome({ method, idempotencyKey }: Request): string {
  if (method === 'GET') return '';
  const next = idempotencyKey === undefined ? '' : ' Repeat it with the same idempotencyKey.';
  return ` It may have been carried out.${next}`;
}

/** Sends calls, and retries them where that is safe. */
export class Client {
  readonly #settings: Settings;

  /** @throws TypeError for an option that cannot work; Error in a browser */
  constructor(options: TillOptions) {
    this.#settings = readSettings(options);
  }

  /**
   * Calls one operation of the API.
   * @throws TillError for a refusal or where no answer came; the signal's reason where it was aborted; TypeError for what
   *   cannot be sent
   */
  async call<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: RequestOptions = {},
  ): Promise<OperationShapes[Id]['answer']> {
    // Without a misspelt `idempotencyKey` a repeat would charge again.
    requireKnown(options, optionNames, 'a call');
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
   * Calls one operation that a restricted key may have to ask for.
   * @returns what the caller expects: with a full key never an approval
   * @throws as `call`
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

  /** @throws ConnectionError where no whole answer came in time; the caller's reason where it aborted */
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
