import { describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import type { Span } from '../../lib/tracing/span.ts';
import { Tracer } from '../tracer.ts';
import { metricsRequest, traceRequest, unixNano } from './messages.ts';
import { metricsMessage } from './metrics.ts';
import { encode } from './protobuf.ts';
import { spansMessage } from './spans.ts';

const exporting = { resource: { 'service.name': 'till' }, version: '1' };
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

describe('the binary form', () => {
  it('is that of Protocol Buffers: a text, a number, a list of numbers and a message in a message', () => {
    // Examples of the encoding's documentation: field 2 is "testing", field 1 is 150.
    expect(encode({ text: [2, 'string'] }, { text: 'testing' })).toEqual(hex('12 07 74657374696e67'));
    expect(encode({ a: [1, 'int64'] }, { a: '150' })).toEqual(hex('08 9601'));
    expect(encode({ c: [3, { a: [1, 'enum'] }] }, { c: { a: 150 } })).toEqual(hex('1a 03 08 9601'));
    expect(encode({ a: [1, 'int64'] }, { a: '-1' })).toEqual(hex('08 ffffffffffffffffff01'));
    const bounds = encode({ bounds: [7, 'double', 'list'] }, { bounds: [1, 2] });
    expect(bounds).toEqual(hex('3a 10 000000000000f03f 0000000000000040'));
    expect(encode({ a: [2, 'fixed64'], b: [16, 'fixed32'] }, { a: '1', b: 1 })).toEqual(
      hex('11 0100000000000000 8501 01000000'),
    );
  });

  it('leaves out what is not there, and what the message does not have', () => {
    expect(encode({ a: [1, 'string'] }, { b: 'x' })).toEqual(Buffer.alloc(0));
  });

  it('holds a span with the bytes of its ids, its name and its attributes', () => {
    const ended: Span[] = [];
    const tracer = new Tracer({
      clock: systemClock,
      randomBytes: (count) => new Uint8Array(count).fill(0xab),
      sampling: { ratio: 1, byParent: true },
      propagates: true,
      onEnd: (span) => ended.push(span),
    });
    tracer.begin({ name: 'POST /x', kind: 'server', attributes: { 'http.route': '/x' } })?.end();
    const bytes = encode(traceRequest, spansMessage(ended, exporting));
    // traceId is field 1 of 16 bytes, spanId field 2 of 8, the name field 5.
    expect(bytes.includes(hex(`0a 10 ${'ab'.repeat(16)} 12 08 ${'ab'.repeat(8)} 2a 07`))).toBe(true);
    expect(bytes.includes('POST /x')).toBe(true);
    expect(bytes.includes(Buffer.concat([hex('0a 0a'), Buffer.from('http.route')]))).toBe(true);
  });
});

it('a histogram has the counts between its bounds, a counter is a sum that grows', () => {
  const labels = { route: '/x' };
  const buckets = [
    { value: 1, labels: { ...labels, le: 0.1 } },
    { value: 3, labels: { ...labels, le: 1 } },
    { value: 4, labels: { ...labels, le: '+Inf' } },
  ].map((one) => ({ ...one, metricName: 'h_seconds_bucket' }));
  const collected = [
    {
      name: 'h_seconds',
      help: 'How long.',
      type: 'histogram',
      values: [
        ...buckets,
        { value: 2.5, labels, metricName: 'h_seconds_sum' },
        { value: 4, labels, metricName: 'h_seconds_count' },
      ],
    },
    { name: 'c_total', help: 'How many.', type: 'counter', values: [{ value: 7, labels: {} }] },
  ];
  const message = metricsMessage(collected, exporting, { startMs: 1, nowMs: 2.5 });
  const [{ scopeMetrics }] = message.resourceMetrics as [{ scopeMetrics: [{ metrics: object[] }] }];
  const times = { startTimeUnixNano: '1000000', timeUnixNano: '2500000' };
  const route = [{ key: 'route', value: { stringValue: '/x' } }];
  expect(scopeMetrics[0].metrics).toEqual([
    {
      name: 'h_seconds',
      description: 'How long.',
      unit: 's',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            ...times,
            count: '4',
            sum: 2.5,
            bucketCounts: ['1', '2', '1'],
            explicitBounds: [0.1, 1],
            attributes: route,
          },
        ],
      },
    },
    {
      name: 'c_total',
      description: 'How many.',
      unit: '',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ ...times, asDouble: 7, attributes: [] }],
      },
    },
  ]);
  expect(encode(metricsRequest, message).includes('h_seconds')).toBe(true);
});

it('a time is written in nanoseconds, to the fraction of a millisecond', () => {
  expect(unixNano(1_795_176_000_123.25)).toBe('1795176000123250000');
});
