import { forEachConcurrently } from '../lib/for-each-concurrently.ts';
import { activeSpan, inSpan, type Span, within } from '../lib/tracing/span.ts';
import { isRefusedByData, timeoutKind } from './database.ts';

interface Waiting<Row, Out> {
  readonly row: Row;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
  /** The span of the request or job that waits; undefined if it is not recorded. */
  readonly span: Span | undefined;
}

export interface BatcherOptions<Row> {
  /** Rows with equal keys never share a batch: within one statement they could not see each other. */
  readonly keyOf?: ((row: Row) => string) | undefined;
  /** The maximum number of rows in a batch. */
  readonly max?: number;
  /** How many additional rows the statement writes for a row. If absent, the number is negligible. */
  readonly fanOutOf?: (row: Row) => number;
  /** Rows of different lines neither share a batch nor wait for each other. If absent, each width of fan-out has its line. */
  readonly lineOf?: (row: Row) => number;
}

/** The maximum number of additional rows that one statement writes. */
const maxFanOut = 512;
/** Upper bounds of the fan-out classes. Rows share a batch only with rows of the same class. */
const widths = [4, 16, Number.POSITIVE_INFINITY];
const widthOf = (fanOut: number) => widths.findIndex((max) => fanOut <= max);
/** How many rows of a timed-out batch are retried concurrently. */
const retriesAtOnce = 4;

/**
 * Merges the concurrent calls of one process into one statement over many rows: one round trip and one fsync for all.
 * One batch is in flight at a time; calls that arrive meanwhile form the next. A lone call goes out at once. Rows with a
 * large fan-out have a separate line, so that only they wait for each other.
 */
export class Batcher<Row, Out> {
  /** The lines that currently have rows, by name. */
  readonly #lines = new Map<number, Line<Row, Out>>();
  readonly #lineOf: (row: Row) => number;
  readonly #newLine: (onIdle: () => void) => Line<Row, Out>;

  /** @param run executes the rows in one statement and returns the results in the same order */
  constructor(
    run: (rows: readonly Row[]) => Promise<readonly Out[]>,
    {
      keyOf,
      max = 128,
      fanOutOf = () => 0,
      lineOf = (row) => widthOf(fanOutOf(row)),
    }: BatcherOptions<Row> = {},
  ) {
    this.#lineOf = lineOf;
    this.#newLine = (onIdle) => new Line(run, { keyOf, max, fanOutOf, onIdle });
  }

  /** Resolves with this row's result once its batch is committed. */
  submit(row: Row): Promise<Out> {
    const name = this.#lineOf(row);
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = this.#newLine(() => this.#lines.delete(name));
      this.#lines.set(name, line);
    }
    return line.submit(row);
  }
}

/** A queue of rows whose batches run one after the other. */
class Line<Row, Out> {
  readonly #run: (rows: readonly Row[]) => Promise<readonly Out[]>;
  readonly #keyOf: ((row: Row) => string) | undefined;
  readonly #max: number;
  readonly #fanOutOf: (row: Row) => number;
  readonly #onIdle: () => void;
  #waiting: Waiting<Row, Out>[] = [];
  #busy = false;

  constructor(
    run: (rows: readonly Row[]) => Promise<readonly Out[]>,
    options: {
      keyOf: ((row: Row) => string) | undefined;
      max: number;
      fanOutOf: (row: Row) => number;
      onIdle: () => void;
    },
  ) {
    this.#run = run;
    this.#keyOf = options.keyOf;
    this.#max = options.max;
    this.#fanOutOf = options.fanOutOf;
    this.#onIdle = options.onIdle;
  }

  submit(row: Row): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject, span: activeSpan() });
      if (!this.#busy) {
        this.#busy = true;
        // One iteration of the event loop lets requests that arrived together share the batch.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#nextBatch());
    this.#busy = false;
    this.#onIdle();
  }

  #nextBatch(): Waiting<Row, Out>[] {
    const waiting = this.#waiting;
    const batch: Waiting<Row, Out>[] = [];
    const later: Waiting<Row, Out>[] = [];
    const keys = new Set<string>();
    let fanOut = 0;
    for (const item of waiting) {
      const key = this.#keyOf?.(item.row);
      const wider = fanOut + this.#fanOutOf(item.row);
      const isFull = batch.length >= this.#max || (batch.length > 0 && wider > maxFanOut);
      if (isFull || (key !== undefined && keys.has(key))) {
        later.push(item);
        continue;
      }
      fanOut = wider;
      if (key !== undefined) keys.add(key);
      batch.push(item);
    }
    this.#waiting = later;
    return batch;
  }

  async #send(batch: readonly Waiting<Row, Out>[]): Promise<void> {
    try {
      const rows = batch.map((item) => item.row);
      const results = await inBatch(batch, () => this.#run(rows));
      const settle = () => {
        for (const [index, item] of batch.entries()) item.resolve(results[index] as Out);
      };
      // The next batch is sent before these results are delivered, so that the database works on it meanwhile.
      if (this.#waiting.length > 0) setImmediate(settle);
      else settle();
    } catch (error) {
      // One refused row must not fail the others. After a lost connection the outcome is unknown, so there is no retry.
      if (batch.length > 1 && isRefusedByData(error)) {
        for (const item of batch) await this.#send([item]);
      } else if (batch.length > 1 && timeoutKind(error) === 'statement') {
        // The statement was rolled back. The next batches do not wait for these retries, since one of the rows is slow.
        void forEachConcurrently(batch, retriesAtOnce, (item) => this.#send([item]));
      } else {
        for (const item of batch) item.reject(error);
      }
    }
  }
}

/**
 * Runs a statement in a span below that of the first recorded request with a row in the batch, and links it to the spans of the
 * other requests. So one trace shows the whole statement, and it costs one span however many requests wait for it.
 */
function inBatch<T>(
  batch: readonly { readonly span: Span | undefined }[],
  run: () => Promise<T>,
): Promise<T> {
  const first = batch.find(({ span }) => span !== undefined)?.span;
  // The active span may still be that of a recorded request in the previous batch.
  if (first === undefined) return within(undefined, run);
  const links = new Set(batch.flatMap(({ span }) => (span === undefined || span === first ? [] : span)));
  const attributes = { 'db.operation.batch.size': batch.length };
  const start = { name: 'batch', kind: 'internal', attributes, links: [...links] } as const;
  return inSpan(first.child(start), run);
}
