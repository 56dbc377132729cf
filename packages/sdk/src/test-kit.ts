import type { TillOptions } from './http/settings.ts';
import type { Clock, Fetch } from './http/system.ts';
import { Till } from './till.ts';

/** How a fake server handles one request: it responds, breaks the connection, or never responds. */
export type Step =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { text: string; status: number }
  | 'broken'
  | 'hanging';

/** One request as the client sent it. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

const timeoutMs = 60_000;

/**
 * A clock for tests. It records pauses and ends them at once; the timeout of an attempt expires only when a
 * test calls `expire`.
 */
export class HandClock implements Clock {
  readonly pauses: number[] = [];
  readonly #deadlines = new Set<() => void>();
  #time = Date.UTC(2026, 10, 20);

  now(): Date {
    return new Date(this.#time);
  }

  after(ms: number, task: () => void): () => void {
    if (ms === timeoutMs) {
      this.#deadlines.add(task);
      return () => this.#deadlines.delete(task);
    }
    this.pauses.push(ms);
    this.#time += ms;
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) task();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** The number of pending attempts. */
  get open(): number {
    return this.#deadlines.size;
  }

  expire(): void {
    for (const task of this.#deadlines) task();
  }
}

function answerOf(step: Exclude<Step, string>) {
  const headers = new Headers('headers' in step ? step.headers : {});
  const text = 'text' in step ? step.text : JSON.stringify(step.body ?? {});
  return { status: step.status, headers, text: async () => text };
}

/**
 * Creates a client of a fake server that plays the steps in order and then repeats the last one.
 * @param options overrides of the client options that the helper sets
 */
export function playSteps(steps: readonly Step[], options: Partial<TillOptions> = {}) {
  const sent: SentRequest[] = [];
  const clock = new HandClock();
  const fetch: Fetch = (url, { method, headers, body, signal }) => {
    const step = steps[Math.min(sent.length, steps.length - 1)] ?? { status: 200 };
    sent.push({ method, url, headers, body });
    if (step === 'broken') return Promise.reject(new TypeError('fetch failed'));
    if (step !== 'hanging') return Promise.resolve(answerOf(step));
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      queueMicrotask(() => clock.expire());
    });
  };
  let keys = 0;
  const till = new Till({
    apiKey: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
    baseUrl: 'https://pay.example',
    timeoutMs,
    fetch,
    clock,
    random: () => 0.5,
    newIdempotencyKey: () => {
      keys += 1;
      return `key-${keys}`;
    },
    ...options,
  });
  return { till, sent, clock };
}

/** An error response in the server's format. */
export const refusal = (
  status: number,
  type: string,
  code: string,
  headers: Record<string, string> = {},
): Step => ({
  status,
  headers: { 'service-request-id': 'req_1', ...headers },
  body: {
    error: { type, code, message: `It is ${code}.`, doc_url: `https://docs/#${code}`, request_id: 'req_1' },
  },
});
