import { keyValues, type Message, unixNano } from './messages.ts';
import type { Exporting } from './spans.ts';

/** A metric as `prom-client` returns it. */
export interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    /** Only set for a histogram: the name with `_bucket`, `_sum` or `_count`. */
    readonly metricName?: string;
  }[];
}

/** Merges the metrics of several registries, so that each metric appears once. The registries' series differ by a label. */
export function merged(collected: readonly (readonly CollectedMetric[])[]): CollectedMetric[] {
  const metrics = new Map<string, CollectedMetric>();
  for (const metric of collected.flat()) {
    const known = metrics.get(metric.name);
    metrics.set(metric.name, { ...metric, values: [...(known?.values ?? []), ...metric.values] });
  }
  return [...metrics.values()];
}

interface Times {
  readonly startMs: number;
  readonly nowMs: number;
}

const cumulative = 2;

const unitOf = (name: string) =>
  /_seconds(_total)?$/.test(name) ? 's' : name.endsWith('_bytes') ? 'By' : '';

function times({ startMs, nowMs }: Times) {
  return { startTimeUnixNano: unixNano(startMs), timeUnixNano: unixNano(nowMs) };
}

const numberPoints = ({ values }: CollectedMetric, at: Times): Message[] =>
  values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times(at), asDouble: value, attributes: keyValues(labels) }));

interface Series {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  /** Cumulative counts of the values up to each bound, in ascending order. */
  readonly upTo: (readonly [bound: number, count: number])[];
  sum: number;
  count: number;
}

function seriesOf({ name, values }: CollectedMetric): Series[] {
  const found = new Map<string, Series>();
  for (const { value, labels: all, metricName } of values) {
    const { le, ...labels } = all;
    const key = JSON.stringify(labels);
    const series = found.get(key) ?? { labels, upTo: [], sum: 0, count: 0 };
    found.set(key, series);
    if (metricName === `${name}_sum`) series.sum = value;
    else if (metricName === `${name}_count`) series.count = value;
    else if (le !== '+Inf') series.upTo.push([Number(le), value]);
  }
  return [...found.values()];
}

const histogramPoint = ({ labels, upTo, sum, count }: Series, at: Times): Message => {
  const counts = upTo.map(([, below], index) => below - (upTo[index - 1]?.[1] ?? 0));
  const above = count - (upTo.at(-1)?.[1] ?? 0);
  return {
    ...times(at),
    count: String(count),
    sum,
    bucketCounts: [...counts, above].map(String),
    explicitBounds: upTo.map(([bound]) => bound),
    attributes: keyValues(labels),
  };
};

function metricMessage(metric: CollectedMetric, at: Times): Message {
  const { name, help, type } = metric;
  const head = { name, description: help, unit: unitOf(name) };
  if (type === 'histogram') {
    const dataPoints = seriesOf(metric).map((series) => histogramPoint(series, at));
    return { ...head, histogram: { dataPoints, aggregationTemporality: cumulative } };
  }
  const dataPoints = numberPoints(metric, at);
  return type === 'counter'
    ? { ...head, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } }
    : { ...head, gauge: { dataPoints } };
}

/** Converts the metrics of `/metrics` into an `ExportMetricsServiceRequest`, with the same names. @param at real times */
export const metricsMessage = (
  metrics: readonly CollectedMetric[],
  { resource, version }: Exporting,
  at: Times,
): Message => ({
  resourceMetrics: [
    {
      resource: { attributes: keyValues(resource) },
      scopeMetrics: [
        { scope: { name: 'till', version }, metrics: metrics.map((metric) => metricMessage(metric, at)) },
      ],
    },
  ],
});
