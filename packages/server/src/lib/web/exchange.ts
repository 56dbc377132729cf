import type { Dispatcher } from 'undici';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** If empty, no body is sent. */
  readonly body: string | Buffer;
  /** After this many bytes of the response body, reading stops and the connection is closed. */
  readonly enoughBytes: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  /** Names in lower case. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body, or at least `enoughBytes` of it. */
  readonly body: Buffer;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * One HTTP request and its response over a connection of undici. Undici's own `request` creates a stream for each response,
 * which takes as long as the rest of the exchange. The responses here are small and are buffered.
 */
export class Exchange {
  readonly answer: Promise<ExchangeAnswer>;
  #controller: Dispatcher.DispatchController | undefined;
  #reject: (reason: Error) => void = () => {};
  #aborted: Error | undefined;

  /** Sends the request. `answer` rejects with undici's error, or with the reason of an abort. */
  constructor(dispatcher: Dispatcher, { method, url, headers, body, enoughBytes }: ExchangeRequest) {
    this.answer = new Promise((resolve, reject) => {
      this.#reject = reject;
      const { origin, pathname, search } = new URL(url);
      let status = 0;
      let answered: Headers = {};
      const chunks: Buffer[] = [];
      let length = 0;
      const end = () => resolve({ status, headers: joined(answered), body: Buffer.concat(chunks, length) });
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers, body: body.length === 0 ? null : body },
        {
          onRequestStart: (controller) => {
            this.#controller = controller;
            if (this.#aborted !== undefined) controller.abort(this.#aborted);
          },
          onResponseStart: (_controller, statusCode, received) => {
            // A 1xx response only announces the final one (RFC 9110, 15.2).
            if (statusCode < 200) return;
            status = statusCode;
            answered = received;
          },
          onResponseData: (controller, chunk) => {
            chunks.push(chunk);
            length += chunk.length;
            if (length < enoughBytes) return;
            end();
            controller.abort(new Error('enough of the answer was read'));
          },
          onResponseEnd: end,
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  }

  /** Aborts the exchange at once. If it still waits for a connection, it is never sent. */
  abort(reason: Error): void {
    this.#aborted = reason;
    if (this.#controller === undefined) this.#reject(reason);
    else this.#controller.abort(reason);
  }
}

function joined(headers: Headers): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    texts[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return texts;
}
