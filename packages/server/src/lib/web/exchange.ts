import type { Dispatcher } from 'undici';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: none is sent. */
  readonly body: string | Buffer;
  /** Bytes of the answer's body from which on no more is read, and the connection is ended. */
  readonly enoughBytes: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  /** Names in lower case; what came several times under one name is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or at least `enoughBytes` of it. */
  readonly body: Buffer;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * One HTTP exchange over a connection of undici. Its own `request` makes a stream of each answer, which takes as long as
 * the rest of the exchange; answers to us are small, and read whole.
 */
export class Exchange {
  readonly answer: Promise<ExchangeAnswer>;
  #controller: Dispatcher.DispatchController | undefined;
  #reject: (reason: Error) => void = () => {};
  #aborted: Error | undefined;

  /** Begins it. `answer` rejects with undici's error, or with the reason for which it was aborted. */
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
            // Those below announce the answer (RFC 9110, 15.2).
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

  /** Ends it at once. Where it still waits for a connection, it is not sent any more. */
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
