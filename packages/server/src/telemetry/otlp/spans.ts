import { attributeNames } from '../../lib/tracing/attributes.ts';
import type { Span, SpanKind } from '../../lib/tracing/span.ts';
import { keyValues, type Message, unixNano } from './messages.ts';

/** The source of exported data: attributes of the resource, and the version of this server. */
export interface Exporting {
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4 };
const failed = { code: 2 };
/** Trace flag: the trace is recorded. */
const sampledFlag = 1;

function spanMessage(span: Span): Message {
  const attributes = Object.entries(span.attributes).filter(([name]) => attributeNames.has(name));
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
    flags: sampledFlag,
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: unixNano(span.startMs),
    endTimeUnixNano: unixNano(span.endMs ?? span.startMs),
    attributes: keyValues(Object.fromEntries(attributes)),
    links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: span.attributes['error.type'] === undefined ? {} : failed,
  };
}

/** Converts ended spans into an `ExportTraceServiceRequest`. Attributes that are not on the allow list are not exported. */
export const spansMessage = (spans: readonly Span[], { resource, version }: Exporting): Message => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: 'till', version }, spans: spans.map(spanMessage) }],
    },
  ],
});
