import { isRefusedByData } from './database.ts';

interface Waiting<Row, Out> {
  readonly row: Row;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Merges the concurrent calls of one process into one statement over many rows: one round trip and one fsync for all.
 * One batch is in flight at a time; calls that arrive meanwhile form the next. A lone call goes out at once.
 */
export class Batcher<Row, Out> {
  readonly #run: (rows: readonly Row[]) => Promise<readonly Out[]>;
  readonly #keyOf: ((row: Row) => string) | undefined;
  readonly #most: number;
  #waiting: Waiting<Row, Out>[] = [];
  #busy = false;

  /**
   * @param run executes the rows in one statement and answers in their order
   * @param keyOf rows with equal keys never share a batch: within one statement they could not see each other
   */
  constructor(
    run: (rows: readonly Row[]) => Promise<readonly Out[]>,
    options: { keyOf?: (row: Row) => string; most?: number } = {},
  ) {
    this.#run = run;
    this.#keyOf = options.keyOf;
    this.#most = options.most ?? 128;
  }

  /** Resolves with this row's result once its batch is committed. */
  submit(row: Row): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (!this.#busy) {
        this.#busy = true;
        // One turn of the event loop lets requests that arrived together share the batch.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#nextBatch());
    this.#busy = false;
  }

  #nextBatch(): Waiting<Row, Out>[] {
    const waiting = this.#waiting;
    const batch: Waiting<Row, Out>[] = [];
    const later: Waiting<Row, Out>[] = [];
    const keys = new Set<string>();
    for (const item of waiting) {
      const key = this.#keyOf?.(item.row);
      if (batch.length >= this.#most || (key !== undefined && keys.has(key))) {
        later.push(item);
        continue;
      }
      if (key !== undefined) keys.add(key);
      batch.push(item);
    }
    this.#waiting = later;
    return batch;
  }

  async #send(batch: readonly Waiting<Row, Out>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map((item) => item.row));
      for (const [index, item] of batch.entries()) item.resolve(results[index] as Out);
    } catch (error) {
      // A refused row must not take the others down. After a lost connection nobody knows what was kept: no retry.
      if (batch.length > 1 && isRefusedByData(error)) {
        for (const item of batch) await this.#send([item]);
      } else {
        for (const item of batch) item.reject(error);
      }
    }
  }
}
