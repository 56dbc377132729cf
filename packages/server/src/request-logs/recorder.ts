import type { Clock } from '../lib/clock.ts';
import { type AnsweredRequest, type BufferedRequest, hold } from './answered.ts';
import { type Hash, toEntry } from './entry.ts';
import type { LogEntry } from './row.ts';
import { WaitingRequests } from './waiting.ts';

/**
 * The recorder writes one batch at a time and then pauses, longer the longer the batch took, so that the log yields to requests
 * while the processor or the database is busy.
 */
const batchSize = 100;
const minPauseMs = 250;
const pausePerWork = 10;
/**
 * How long redaction may block the event loop before it yields. A single request with a long body may take tens of milliseconds.
 */
const sliceMs = 1;

export interface RecorderDependencies {
  readonly clock: Pick<Clock, 'delay' | 'elapsed'>;
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>;
  readonly hash: Hash;
  /** Writes a batch, in one statement if the database accepts it. @returns the number of entries written */
  readonly write: (entries: readonly LogEntry[]) => Promise<number>;
  readonly count: (outcome: 'written' | 'dropped', requests: number) => void;
  readonly onIncident: (error: unknown) => void;
}

/**
 * Writes the request log outside of the hot path: buffers answered requests in memory, and later redacts them and writes them in
 * batches. Requests that do not fit in the buffer are dropped and counted. No API request waits or fails because of the log.
 */
export class RequestRecorder {
  readonly #deps: RecorderDependencies;
  readonly #waiting = new WaitingRequests();
  #arrived = new AbortController();

  constructor(deps: RecorderDependencies) {
    this.#deps = deps;
  }

  /** Buffers a request. If the buffer is full, drops a request of the account that takes most of it. */
  note(request: AnsweredRequest): void {
    if (this.#waiting.isEmpty) this.#arrived.abort();
    const dropped = this.#waiting.add(hold(request));
    if (dropped > 0) this.#deps.count('dropped', dropped);
  }

  /** Starts writing. @returns a function that stops it and resolves once all buffered requests are written */
  start(): () => Promise<void> {
    const stopping = new AbortController();
    const loop = this.#run(stopping.signal);
    return async () => {
      stopping.abort();
      this.#arrived.abort();
      await loop;
      while (!this.#waiting.isEmpty) await this.#writeBatch();
    };
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!stopping.aborted) {
      if (this.#waiting.isEmpty) await this.#arrival();
      const began = clock.elapsed();
      await this.#writeBatch();
      const pauseMs = Math.max(minPauseMs, pausePerWork * (clock.elapsed() - began));
      await clock.delay(pauseMs, stopping);
    }
  }

  async #arrival(): Promise<void> {
    const { signal } = this.#arrived;
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#arrived = new AbortController();
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.take(batchSize);
    if (batch.length === 0) return;
    try {
      const written = await this.#deps.write(await this.#redact(batch));
      this.#deps.count('written', written);
      if (written < batch.length) this.#deps.count('dropped', batch.length - written);
    } catch (error) {
      this.#deps.count('dropped', batch.length);
      this.#deps.onIncident(error);
    }
  }

  async #redact(batch: readonly BufferedRequest[]): Promise<LogEntry[]> {
    const { clock, yieldToEventLoop, hash } = this.#deps;
    const entries: LogEntry[] = [];
    let began = clock.elapsed();
    for (const request of batch) {
      if (clock.elapsed() - began >= sliceMs) {
        await yieldToEventLoop();
        began = clock.elapsed();
      }
      entries.push(toEntry(request, hash));
    }
    return entries;
  }
}
