import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { Span, type SpanSource, type SpanStart } from '../lib/tracing/span.ts';
import { looksLikeCard, type TraceParent } from './traceparent.ts';

/** Decides which traces are recorded. */
export interface Sampling {
  /** The recorded share of the traces that begin in this process, 0 to 1. */
  readonly ratio: number;
  /** Whether a caller that names its trace decides for that trace. */
  readonly byParent: boolean;
}

interface TracerDependencies {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly randomBytes: RandomBytes;
  readonly sampling: Sampling;
  /** Whether outgoing requests get a `traceparent` header. */
  readonly propagates: boolean;
  readonly onEnd: (span: Span) => void;
}

/** The last 56 bits of a trace id, which are random, decide about recording (W3C Trace Context 2, "random trace flag"). */
const decidingDigits = 14;
const decidingRange = 2 ** 52;

/** Begins the traces that are recorded. */
export class Tracer {
  readonly #deps: TracerDependencies;
  readonly #source: SpanSource;
  /** A trace is recorded if the random part of its id is at least this. */
  readonly #threshold: number;

  constructor(deps: TracerDependencies) {
    this.#deps = deps;
    this.#threshold = (1 - deps.sampling.ratio) * decidingRange;
    const { clock, propagates, onEnd } = deps;
    this.#source = { elapsed: clock.elapsed, newSpanId: () => this.#id(8), propagates, onEnd };
  }

  /** Begins the first span of a trace in this process. @returns undefined if the trace is not recorded */
  begin(start: SpanStart, parent?: TraceParent): Span | undefined {
    const { clock, sampling } = this.#deps;
    const isDecided = parent !== undefined && sampling.byParent;
    if (isDecided && !parent.isSampled) return undefined;
    const traceId = parent?.traceId ?? this.#id(16);
    if (!isDecided && !this.#isDrawn(traceId)) return undefined;
    const place = {
      traceId,
      parentId: parent?.spanId ?? null,
      epochMs: clock.now().getTime(),
      epoch: clock.elapsed(),
    };
    return new Span(this.#source, place, start);
  }

  /** Decides by the trace id, so that every service on the path of a trace decides alike. */
  #isDrawn(traceId: string): boolean {
    // A number has 53 bits of precision, so the first of the 14 digits is left out.
    return Number.parseInt(traceId.slice(1 - decidingDigits), 16) >= this.#threshold;
  }

  #id(bytes: number): string {
    for (;;) {
      const id = Buffer.from(this.#deps.randomBytes(bytes)).subarray(0, bytes).toString('hex');
      if (!looksLikeCard(id) && !/^0+$/.test(id)) return id;
    }
  }
}
