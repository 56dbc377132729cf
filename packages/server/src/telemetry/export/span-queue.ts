import type { Clock } from '../../lib/clock.ts';
import type { Span } from '../../lib/tracing/span.ts';

export interface SpanQueueOptions {
  readonly clock: Clock;
  /** The maximum number of queued spans. Further ones are dropped. */
  readonly max: number;
  readonly batch: number;
  readonly intervalMs: number;
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<unknown>;
  /** Called with the number of spans dropped since the last call. */
  readonly onDropped: (count: number) => void;
}

/** Queues ended spans and sends them in batches in the background. The queue is bounded and never delays the traced work. */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #spans: Span[] = [];
  #dropped = 0;
  readonly #stopping = new AbortController();
  #sleep = new AbortController();
  readonly #loop: Promise<void>;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  add(span: Span): void {
    const { max, batch } = this.#options;
    if (this.#spans.length >= max || this.#stopping.signal.aborted) {
      this.#dropped += 1;
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length === batch) this.#sleep.abort();
  }

  async #run(): Promise<void> {
    const { clock, intervalMs } = this.#options;
    while (!this.#stopping.signal.aborted) {
      this.#sleep = new AbortController();
      if (this.#spans.length < this.#options.batch) await clock.delay(intervalMs, this.#sleep.signal);
      await this.#sendBatch();
    }
  }

  async #sendBatch(): Promise<void> {
    const { batch, send, onDropped } = this.#options;
    const spans = this.#spans.splice(0, batch);
    if (spans.length > 0) await send(spans, this.#cut.signal);
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) onDropped(dropped);
  }

  readonly #cut = new AbortController();

  /** Sends the remaining spans and accepts no more. Resolves within the given time, even if the collector hangs. */
  async stop(withinMs: number): Promise<void> {
    const { clock } = this.#options;
    const ended = new AbortController();
    const cutting = clock.delay(withinMs, ended.signal).then(() => this.#cut.abort());
    this.#stopping.abort();
    this.#sleep.abort();
    await this.#loop;
    while (this.#spans.length > 0 && !this.#cut.signal.aborted) await this.#sendBatch();
    ended.abort();
    await cutting;
  }
}
