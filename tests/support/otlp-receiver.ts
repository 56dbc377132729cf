import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly { readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

/** A span as the collector received it. */
export interface ReceivedSpan extends Omit<WireSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

const plain = (attributes: readonly KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A local collector of the OpenTelemetry Protocol over HTTP, for its JSON encoding. */
export class OtlpReceiver {
  readonly received: Received[] = [];
  /** The status of its responses. Null means that it never responds. */
  status: number | null = 200;
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const sent = Buffer.concat(chunks);
        const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
        this.received.push({ path: request.url ?? '', headers: request.headers, body });
        if (this.status !== null) response.writeHead(this.status).end('{}');
      });
    });
  }

  static async open(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #messages<T>(path: string): T[] {
    return this.received
      .filter((one) => one.path === path)
      .map(({ body }) => JSON.parse(body.toString('utf8')) as T);
  }

  spans(): ReceivedSpan[] {
    interface Request {
      readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: WireSpan[] }[] }[];
    }
    return this.#messages<Request>('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: plain(span.attributes) }));
  }

  /** Returns the latest data points of a metric. */
  points(name: string): Record<string, unknown>[] {
    interface Metric {
      readonly name: string;
      readonly [kind: string]: unknown;
    }
    interface Request {
      readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { metrics: Metric[] }[] }[];
    }
    const last = this.#messages<Request>('/v1/metrics').at(-1);
    const metrics = (last?.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) => scope.metrics),
    );
    const found = metrics.find((metric) => metric.name === name);
    const data = (found?.sum ?? found?.gauge ?? found?.histogram) as
      | { dataPoints: Record<string, unknown>[] }
      | undefined;
    return data?.dataPoints ?? [];
  }

  /** Returns the names of a trace's spans as a tree from the root, siblings ordered by their start. */
  tree(traceId: string): string[] {
    const spans = this.spans().filter((span) => span.traceId === traceId);
    const known = new Set(spans.map(({ spanId }) => spanId));
    const below = (parent: string | undefined, depth: number): string[] =>
      spans
        .filter(({ parentSpanId: id }) =>
          parent === undefined ? id === undefined || !known.has(id) : id === parent,
        )
        .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
        .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...below(span.spanId, depth + 1)]);
    return below(undefined, 0);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
