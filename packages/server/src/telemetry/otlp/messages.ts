/**
 * A message of the OpenTelemetry Protocol 1 in its JSON form (opentelemetry-proto 1.x, `collector/{trace,metrics}/v1`).
 * `protobuf.ts` encodes it in binary form with the field numbers below.
 */
export interface Message {
  readonly [field: string]: unknown;
}

type Scalar =
  | 'string'
  /** Bytes, written as hexadecimal digits. */
  | 'hex'
  | 'bool'
  | 'enum'
  | 'int64'
  | 'fixed32'
  /** A number, written as decimal digits. */
  | 'fixed64'
  | 'double';

/** The number and type of a field. A list is packed if its items are numbers. */
export type Field = readonly [number: number, type: Scalar | Fields, isList?: 'list'];
export interface Fields {
  readonly [name: string]: Field;
}

const value: Fields = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
};
const keyValue: Fields = { key: [1, 'string'], value: [2, value] };
const resource: Fields = { attributes: [1, keyValue, 'list'] };
const scope: Fields = { name: [1, 'string'], version: [2, 'string'] };

const link: Fields = { traceId: [1, 'hex'], spanId: [2, 'hex'] };
const span: Fields = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'enum'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue, 'list'],
  links: [13, link, 'list'],
  status: [15, { code: [3, 'enum'] }],
  flags: [16, 'fixed32'],
};
export const traceRequest: Fields = {
  resourceSpans: [
    1,
    { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span, 'list'] }, 'list'] },
    'list',
  ],
};

const numberPoint: Fields = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  asDouble: [4, 'double'],
  attributes: [7, keyValue, 'list'],
};
const histogramPoint: Fields = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64', 'list'],
  explicitBounds: [7, 'double', 'list'],
  attributes: [9, keyValue, 'list'],
};
const metric: Fields = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  gauge: [5, { dataPoints: [1, numberPoint, 'list'] }],
  sum: [
    7,
    {
      dataPoints: [1, numberPoint, 'list'],
      aggregationTemporality: [2, 'enum'],
      isMonotonic: [3, 'bool'],
    },
  ],
  histogram: [9, { dataPoints: [1, histogramPoint, 'list'], aggregationTemporality: [2, 'enum'] }],
};
export const metricsRequest: Fields = {
  resourceMetrics: [
    1,
    {
      resource: [1, resource],
      scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric, 'list'] }, 'list'],
    },
    'list',
  ],
};

/** Converts attributes into the protocol's form. */
export const keyValues = (attributes: Readonly<Record<string, unknown>>): Message[] =>
  Object.entries(attributes).flatMap(([key, given]): Message[] => {
    if (typeof given === 'string') return [{ key, value: { stringValue: given } }];
    if (typeof given === 'boolean') return [{ key, value: { boolValue: given } }];
    if (typeof given !== 'number') return [];
    return [{ key, value: Number.isInteger(given) ? { intValue: String(given) } : { doubleValue: given } }];
  });

/** Converts a time in milliseconds, with fractions, into nanoseconds since 1970. */
export function unixNano(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
