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
  /** Those of home, and of each cell beside it that is served by now. */
  readonly registries: () => readonly Pick<Registry, 'getMetricsAsJSON'>[];
  readonly version: string;
  /** Distinguishes this process from others of the same service. */
  readonly instance: string;
}

/** How long the end of the process waits for a collector. */
const flushMs = 5_000;

/** Begins to export traces and metrics as configured. Loaded only where one of them is on. */
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
    /** Puts spans into everything that a process does; undefined where no traces are exported. */
    tracing,
    /** Sends what is left. Resolves within seconds, whatever the collector does. */
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
    /** A run of a job is a trace of its own. */
    job: <T>(name: string, work: () => Promise<T>) =>
      beginning({ name: `job ${name}`, kind: 'internal', attributes: { 'till.job': name } }, work),
    /** So is the intake of a simulator's notification, which comes by no request. */
    notification: <T>(processor: string, work: () => Promise<T>) => {
      const attributes = { 'till.processor': processor };
      return beginning({ name: 'simulated notification', kind: 'server', attributes }, work);
    },
    /** So is an attempt of a delivery. */
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

/** @returns sends them a last time */
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
