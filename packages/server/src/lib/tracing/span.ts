import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes } from './attributes.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer';

/** What spans of a process share. */
export interface SpanSource {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly newSpanId: () => string;
  /** Whether those who are asked for something learn of the trace. */
  readonly propagates: boolean;
  readonly onEnd: (span: Span) => void;
}

/** What a span is begun with. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
  /** Of other traces that this one works for. */
  readonly links?: readonly Span[];
}

/** Where in a trace a span stands, and when its trace began. */
interface SpanPlace {
  readonly traceId: string;
  readonly parentId: string | null;
  /** Real time in milliseconds of `epoch`, a time of the monotonic clock. */
  readonly epochMs: number;
  readonly epoch: number;
}

/** A recorded piece of work. What is not recorded has no span at all. */
export class Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly kind: SpanKind;
  readonly links: readonly Span[];
  readonly startMs: number;
  name: string;
  attributes: SpanAttributes;
  /** Real time in milliseconds; null while it runs. */
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

  /** Begins what is done for this one. */
  child(start: SpanStart): Span {
    return new Span(this.#source, { ...this.#place, parentId: this.spanId }, start);
  }

  /** Headers that name it to those who are asked for something. */
  headers(): Readonly<Record<string, string>> {
    // W3C Trace Context, section 3.2; the last two digits: it is recorded.
    return this.#source.propagates ? { traceparent: `00-${this.traceId}-${this.spanId}-01` } : {};
  }

  set(attributes: SpanAttributes): void {
    this.attributes = { ...this.attributes, ...attributes };
  }

  /** Ends it; what comes later is not recorded. */
  end(): void {
    if (this.endMs !== null) return;
    this.endMs = this.#now();
    this.#source.onEnd(this);
  }
}

const storage = new AsyncLocalStorage<Span | undefined>();

/** The span that this work belongs to; undefined where none is recorded, which costs one look at a flag until one is. */
export const activeSpan = (): Span | undefined => storage.getStore();

/** Runs work, and what it starts, as part of a span; undefined: of none. */
export const within = <T>(span: Span | undefined, work: () => T): T =>
  span === storage.getStore() ? work() : storage.run(span, work);

/** The kind of an error, which may be shown anywhere: its message may quote what was sent. */
export const errorType = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.name) : 'unknown';

/** Runs work as a span, and ends that with it. */
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

/** Runs work as a part of the present span; where none is recorded it just runs. */
export function inChild<T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  return inSpan(activeSpan()?.child(start), work);
}
