import type { TillOptions } from './http/settings.ts';
import type { Clock, Fetch } from './http/system.ts';
import { Till } from './till.ts';

/** What a fake server does with one request: answer, break the connection, or leave it open until it is given up. */
export type Step =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { text: string; status: number }
  | 'broken'
  | 'hanging';

/** One request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

const timeoutMs = 60_000;

/** Pauses pass at once and are noted; the deadline of a try passes when a test says so. */
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
 * A client of a fake server that plays the steps one after another, the last one again and again.
 * @param options of the client, beside those of the test
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

/** An error answer as the server writes it. */
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
