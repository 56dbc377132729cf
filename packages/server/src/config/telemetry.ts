import type { TelemetrySettings, TelemetryTarget } from '../lib/tracing/settings.ts';
import { type Reader, urlWith } from './reader.ts';

const general = 'OTEL_EXPORTER_OTLP';
const dayMs = 86_400_000;

/** Parses `name=value,…`, percent-encoded as in W3C Baggage. */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name, value = ''] = /^\s*([^\s=]+)\s*=(.*)$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    try {
      pairs.push([decodeURIComponent(name), decodeURIComponent(value.trim())]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(pairs);
}

const parseUrl = (text: string) => urlWith(text, ['http:', 'https:'])?.href;

const readEndpoint = (reader: Reader, name: string) =>
  reader.read<string | null>(
    name,
    null,
    'an http:// or https:// address',
    'http://localhost:4318',
    parseUrl,
    true,
  );

function readHeaders(reader: Reader, name: string): Record<string, string> {
  const parse = (text: string) => {
    const pairs = parsePairs(text);
    const entries = Object.entries(pairs ?? { '': '' });
    const isValid = entries.every(
      ([key, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(key) && /^[ -~]*$/.test(value),
    );
    return isValid
      ? Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), value]))
      : undefined;
  };
  return reader.read(name, {}, 'headers as name=value, separated by commas', 'api-key=secret', parse, true);
}

/** Reads the target of one signal. Its own settings take precedence over those for both signals. */
function readTarget(
  reader: Reader,
  signal: 'TRACES' | 'METRICS',
  base: string | null,
): TelemetryTarget | null {
  const own = readEndpoint(reader, `${general}_${signal}_ENDPOINT`);
  const path = `/v1/${signal.toLowerCase()}`;
  const url = own ?? (base === null ? null : base.replace(/\/*$/, path));
  const protocols = ['http/protobuf', 'http/json'] as const;
  const protocol = reader.oneOf(`${general}_PROTOCOL`, 'http/protobuf', protocols);
  const compression = reader.oneOf(`${general}_COMPRESSION`, 'none', ['none', 'gzip']);
  const timeoutMs = reader.integer(`${general}_TIMEOUT`, 10_000, 1, 600_000);
  const target = {
    protocol: reader.oneOf(`${general}_${signal}_PROTOCOL`, protocol, protocols),
    headers: {
      ...readHeaders(reader, `${general}_HEADERS`),
      ...readHeaders(reader, `${general}_${signal}_HEADERS`),
    },
    timeoutMs: reader.integer(`${general}_${signal}_TIMEOUT`, timeoutMs, 1, 600_000),
    compresses: reader.oneOf(`${general}_${signal}_COMPRESSION`, compression, ['none', 'gzip']) === 'gzip',
  };
  const exporter = reader.oneOf(`OTEL_${signal}_EXPORTER`, 'otlp', ['otlp', 'none']);
  return url === null || exporter === 'none' ? null : { url, ...target };
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

function readSampling(reader: Reader) {
  const sampler = reader.oneOf('OTEL_TRACES_SAMPLER', 'parentbased_always_on', samplers);
  const ratio = reader.read('OTEL_TRACES_SAMPLER_ARG', 1, 'a number from 0 to 1', '0.01', (text) => {
    const value = Number(text);
    return value >= 0 && value <= 1 ? value : undefined;
  });
  const own = sampler.replace('parentbased_', '');
  return {
    ratio: own === 'always_on' ? 1 : own === 'always_off' ? 0 : ratio,
    byParent: own !== sampler,
  };
}

/** @returns null if no collector's address is set, or if export is disabled */
export function readTelemetry(reader: Reader): TelemetrySettings | null {
  const isDisabled = reader.oneOf('OTEL_SDK_DISABLED', 'false', ['true', 'false']) === 'true';
  const base = readEndpoint(reader, `${general}_ENDPOINT`);
  const attributes = reader.read(
    'OTEL_RESOURCE_ATTRIBUTES',
    {},
    'attributes as name=value, separated by commas',
    'deployment.environment.name=production',
    parsePairs,
  );
  const name = reader.raw('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'till';
  const propagators = reader.raw('OTEL_PROPAGATORS') ?? 'tracecontext';
  const traces = readTarget(reader, 'TRACES', base);
  const metrics = readTarget(reader, 'METRICS', base);
  const max = reader.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2048, 1, 1_000_000);
  const queue = {
    max,
    batch: Math.min(max, reader.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1, 100_000)),
    intervalMs: reader.integer('OTEL_BSP_SCHEDULE_DELAY', 5000, 1, dayMs),
  };
  const exportMs = reader.integer('OTEL_BSP_EXPORT_TIMEOUT', 30_000, 1, 600_000);
  const sampling = readSampling(reader);
  const intervalMs = reader.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 1, dayMs);
  if (isDisabled || (traces === null && metrics === null)) return null;
  return {
    resource: { ...attributes, 'service.name': name },
    traces: traces && {
      ...traces,
      timeoutMs: Math.min(traces.timeoutMs, exportMs),
      ...sampling,
      propagates: propagators.split(',').some((one) => one.trim() === 'tracecontext'),
      queue,
    },
    metrics: metrics && { ...metrics, intervalMs },
  };
}
