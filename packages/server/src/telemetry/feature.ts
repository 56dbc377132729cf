import type { Registry } from 'prom-client';
import { periodically } from '../jobs/periodic.ts';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import type { TelemetrySettings } from '../lib/tracing/settings.ts';
import { inSpan, type SpanStart } from '../lib/tracing/span.ts';
import { createExporter, type Exporter } from './export/exporter.ts';
import { SpanQueue } from './export/span-queue.ts';
import { metricsRequest, traceRequest } from './otlp/messages.ts';
import { type CollectedMetric, merged, metricsMessage } from './otlp/metrics.ts';
import { type Exporting, spansMessage } from './otlp/spans.ts';
import { traceStatements } from './traced-database.ts';
import { traceExchanges } from './traced-exchanges.ts';
import { traceRequests } from './traced-requests.ts';
import { Tracer } from './tracer.ts';

interface TelemetryDependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
  /** The registries of home and of each further cell that is currently served. */
  readonly registries: () => readonly Pick<Registry, 'getMetricsAsJSON'>[];
  readonly version: string;
  /** Distinguishes this process from others of the same service. */
  readonly instance: string;
}

/** How long the process waits for a collector when it stops. */
const flushMs = 5_000;

/** Starts the export of traces and metrics as configured. This module is only loaded if one of them is enabled. */
export function startTelemetry(settings: TelemetrySettings, deps: TelemetryDependencies) {
  const exporting: Exporting = {
    version: deps.version,
    resource: {
      'service.version': deps.version,
      'service.instance.id': deps.instance,
      ...settings.resource,
    },
  };
  const tracing = startTraces(settings.traces, exporting, deps);
  const stopMetrics = startMetrics(settings.metrics, exporting, deps);
  return {
    /** Records spans of requests, statements, exchanges and jobs; undefined if no traces are exported. */
    tracing,
    /** Sends the remaining data. Resolves within seconds, even if the collector hangs. */
    stop: async () => void (await Promise.all([tracing?.stop(), stopMetrics()])),
  };
}

const exporterOf = (
  what: 'traces' | 'metrics',
  target: Parameters<typeof createExporter>[0],
  { clock, log }: TelemetryDependencies,
): Exporter =>
  createExporter(target, what === 'traces' ? traceRequest : metricsRequest, {
    clock,
    onChange(failure) {
      if (failure === null) log.info(`${what} are exported again`);
      else log.warn(`${what} are not exported: the collector does not take them`, { error: failure });
    },
  });

function startTraces(
  settings: TelemetrySettings['traces'],
  exporting: Exporting,
  deps: TelemetryDependencies,
) {
  if (settings === null) return undefined;
  const { clock, randomBytes, log } = deps;
  const exporter = exporterOf('traces', settings, deps);
  const queue = new SpanQueue({
    clock,
    ...settings.queue,
    send: (spans, signal) => exporter.send(spansMessage(spans, exporting), signal),
    onDropped: (count) => log.warn('spans were dropped: the collector is too slow', { count }),
  });
  const { propagates } = settings;
  const onEnd = queue.add.bind(queue);
  const tracer = new Tracer({ clock, randomBytes, sampling: settings, propagates, onEnd });
  const beginning = <T>(start: SpanStart, work: () => Promise<T>) => inSpan(tracer.begin(start), work);
  return {
    requests: (app: Parameters<typeof traceRequests>[0]) => traceRequests(app, tracer, propagates),
    statements: traceStatements,
    exchanges: traceExchanges,
    /** Records each run of a job as a separate trace. */
    job: <T>(name: string, work: () => Promise<T>) =>
      beginning({ name: `job ${name}`, kind: 'internal', attributes: { 'till.job': name } }, work),
    /** Records the intake of a simulator's notification as a separate trace: it does not arrive as an HTTP request. */
    notification: <T>(processor: string, work: () => Promise<T>) => {
      const attributes = { 'till.processor': processor };
      return beginning({ name: 'simulated notification', kind: 'server', attributes }, work);
    },
    /** Records each delivery attempt as a separate trace. */
    delivery: <T>(
      delivery: { readonly id: string; readonly endpoint_id: string; readonly event_id: string },
      work: () => Promise<T>,
    ) => {
      const attributes = {
        'till.delivery.id': delivery.id,
        'till.endpoint.id': delivery.endpoint_id,
        'till.event.id': delivery.event_id,
      };
      return beginning({ name: 'webhook delivery', kind: 'producer', attributes }, work);
    },
    async stop() {
      await queue.stop(flushMs);
      await exporter.close();
    },
  };
}

export type Tracing = NonNullable<ReturnType<typeof startTraces>>;

/** Exports metrics periodically. @returns a function that stops the export after a last one */
function startMetrics(
  settings: TelemetrySettings['metrics'],
  exporting: Exporting,
  deps: TelemetryDependencies,
): () => Promise<void> {
  if (settings === null) return async () => {};
  const { clock, registries } = deps;
  const exporter = exporterOf('metrics', settings, deps);
  const startMs = clock.now().getTime();
  const stopping = new AbortController();
  const send = async (signal: AbortSignal) => {
    const collected = await Promise.all(registries().map((registry) => registry.getMetricsAsJSON()));
    const at = { startMs, nowMs: clock.now().getTime() };
    const metrics = merged(collected as unknown as CollectedMetric[][]);
    await exporter.send(metricsMessage(metrics, exporting, at), signal);
  };
  const onError = (error: unknown) => deps.log.error('metrics were not exported', describeError(error));
  const stop = periodically(clock, settings.intervalMs, () => send(stopping.signal), onError);
  return async () => {
    stopping.abort();
    await stop();
    await send(AbortSignal.timeout(flushMs));
    await exporter.close();
  };
}
