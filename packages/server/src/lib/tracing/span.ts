import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes } from './attributes.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer';

/** The settings and callbacks that all spans of a process share. */
export interface SpanSource {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly newSpanId: () => string;
  /** Whether outgoing requests carry the trace context. */
  readonly propagates: boolean;
  readonly onEnd: (span: Span) => void;
}

/** The initial values of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
  /** Spans of other traces for which this span also works. */
  readonly links?: readonly Span[];
}

/** The position of a span in its trace, and the time base of the trace. */
interface SpanPlace {
  readonly traceId: string;
  readonly parentId: string | null;
  /** The real time in milliseconds that corresponds to `epoch`, a time of the monotonic clock. */
  readonly epochMs: number;
  readonly epoch: number;
}

/** A recorded piece of work. Work that is not recorded has no span at all. */
export class Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly kind: SpanKind;
  readonly links: readonly Span[];
  readonly startMs: number;
  name: string;
  attributes: SpanAttributes;
  /** Real time in milliseconds; null while the span runs. */
  endMs: number | null = null;
  readonly #place: SpanPlace;
  readonly #source: SpanSource;

  constructor(source: SpanSource, place: SpanPlace, { name, kind, attributes, links = [] }: SpanStart) {
    this.#source = source;
    this.#place = place;
    this.traceId = place.traceId;
    this.parentId = place.parentId;
    this.spanId = source.newSpanId();
    this.name = name;
    this.kind = kind;
    this.attributes = attributes;
    this.links = links;
    this.startMs = this.#now();
  }

  #now(): number {
    return this.#place.epochMs + this.#source.elapsed() - this.#place.epoch;
  }

  /** Begins a child span. */
  child(start: SpanStart): Span {
    return new Span(this.#source, { ...this.#place, parentId: this.spanId }, start);
  }

  /** The headers that pass this span on in outgoing requests. */
  headers(): Readonly<Record<string, string>> {
    // W3C Trace Context, section 3.2. The last two digits say that the span is recorded.
    return this.#source.propagates ? { traceparent: `00-${this.traceId}-${this.spanId}-01` } : {};
  }

  set(attributes: SpanAttributes): void {
    this.attributes = { ...this.attributes, ...attributes };
  }

  /** Ends the span. Later changes are not recorded. */
  end(): void {
    if (this.endMs !== null) return;
    this.endMs = this.#now();
    this.#source.onEnd(this);
  }
}

const storage = new AsyncLocalStorage<Span | undefined>();

/** The span of the current work; undefined if none is recorded. Until the first span is recorded this only checks a flag. */
export const activeSpan = (): Span | undefined => storage.getStore();

/** Runs work, and everything that it starts, within a span; undefined means within none. */
export const within = <T>(span: Span | undefined, work: () => T): T =>
  span === storage.getStore() ? work() : storage.run(span, work);

/** The kind of an error, which is safe to show anywhere, unlike its message, which may quote client data. */
export const errorType = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.name) : 'unknown';

/** Runs work within a span and ends the span with it. */
export async function inSpan<T>(
  span: Span | undefined,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (span === undefined) return work(undefined);
  try {
    return await within(span, () => work(span));
  } catch (error) {
    if (span.attributes['error.type'] === undefined) span.set({ 'error.type': errorType(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Runs work within a child of the active span. If none is active, just runs the work. */
export function inChild<T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  return inSpan(activeSpan()?.child(start), work);
}
