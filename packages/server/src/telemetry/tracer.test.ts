import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { activeSpan, inChild, inSpan, type Span, within } from '../lib/tracing/span.ts';
import { Batcher } from '../store/batcher.ts';
import { SpanQueue } from './export/span-queue.ts';
import { readTraceParent } from './traceparent.ts';
import { Tracer } from './tracer.ts';

const start = { name: 'work', kind: 'internal', attributes: {} } as const;

function tracing(ratio = 1, byParent = true) {
  const ended: Span[] = [];
  const sampling = { ratio, byParent };
  const onEnd = (span: Span) => void ended.push(span);
  const tracer = new Tracer({ clock: systemClock, randomBytes, sampling, propagates: true, onEnd });
  return { tracer, ended };
}

const parent = (isSampled: boolean) => ({ traceId: 'b'.repeat(32), spanId: 'c'.repeat(16), isSampled });

describe('sampling', () => {
  it('records the share that is asked for, and all or none at the ends', () => {
    const count = (ratio: number) => {
      const { tracer } = tracing(ratio);
      return Array.from({ length: 4000 }, () => tracer.begin(start)).filter(Boolean).length;
    };
    expect([count(0), count(1)]).toEqual([0, 4000]);
    expect(count(0.25)).toBeGreaterThan(800);
    expect(count(0.25)).toBeLessThan(1200);
  });

  it('follows the caller where it is asked to, and else decides by the id, in every service alike', () => {
    expect(tracing(0).tracer.begin(start, parent(true))).toMatchObject({
      traceId: 'b'.repeat(32),
      parentId: 'c'.repeat(16),
    });
    expect(tracing(1).tracer.begin(start, parent(false))).toBeUndefined();
    expect(tracing(0, false).tracer.begin(start, parent(true))).toBeUndefined();
    expect(tracing(1, false).tracer.begin(start, parent(false))?.traceId).toBe('b'.repeat(32));
    const { traceId } = tracing(0.5, false).tracer.begin(start, {
      ...parent(false),
      traceId: `${'0'.repeat(18)}${'f'.repeat(14)}`,
    }) as Span;
    expect(traceId).toMatch(/f$/);
  });
});

describe('traceparent', () => {
  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', true],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', false],
    ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-more', true],
  ])('%s is read', (header, isSampled) => {
    expect(readTraceParent(header)).toEqual({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      isSampled,
    });
  });

  it.each([
    undefined,
    '',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
    // An id that looks like a card number is not passed on.
    '00-4111111111111111aaaaaaaaaaaaaaaa-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-4111111111111111-01',
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ])('%s is as if there were none', (header) => {
    expect(readTraceParent(header)).toBeUndefined();
  });
});

describe('a span', () => {
  it('is ended with its work, and says of an error what kind it is and never its message', async () => {
    const { tracer, ended } = tracing();
    const failing = inSpan(tracer.begin(start), async () => {
      await inChild({ ...start, name: 'part' }, async () => undefined);
      throw new TypeError('4111111111111111');
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(ended.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['part', {}],
      ['work', { 'error.type': 'TypeError' }],
    ]);
    expect(ended[0]?.parentId).toBe(ended[1]?.spanId);
    expect(activeSpan()).toBeUndefined();
  });
});

it('a batch is a part of the first recorded request in it, with links to the others, and none of what follows', async () => {
  const { tracer, ended } = tracing();
  const active: (string | undefined)[] = [];
  const batcher = new Batcher<string, string>(async (rows) => {
    active.push(activeSpan()?.name);
    return rows;
  });
  const [one, other] = [tracer.begin({ ...start, name: 'one' }), tracer.begin({ ...start, name: 'other' })];
  const first = within(one, () => batcher.submit('a'));
  const later = first.then(() => within(undefined, () => batcher.submit('d')));
  await Promise.all([
    first,
    within(undefined, () => batcher.submit('b')),
    within(other, () => batcher.submit('c')),
    later,
  ]);
  expect(active).toEqual(['batch', undefined]);
  expect(ended).toHaveLength(1);
  expect(ended[0]).toMatchObject({ parentId: one?.spanId, attributes: { 'db.operation.batch.size': 3 } });
  expect(ended[0]?.links).toEqual([other]);
});

describe('the queue of spans', () => {
  const queueOf = (send: (spans: readonly Span[], signal: AbortSignal) => Promise<unknown>, max = 8) => {
    const dropped: number[] = [];
    const queue = new SpanQueue({
      clock: systemClock,
      max,
      batch: 4,
      intervalMs: 600_000,
      send,
      onDropped: (count) => dropped.push(count),
    });
    return { queue, dropped };
  };
  const spans = (count: number) => Array.from({ length: count }, () => tracing().tracer.begin(start) as Span);

  it('sends full batches at once, and the rest when it is stopped', async () => {
    const sent: number[] = [];
    const { queue } = queueOf(async (batch) => void sent.push(batch.length));
    for (const span of spans(6)) queue.add(span);
    await queue.stop(60_000);
    expect(sent).toEqual([4, 2]);
  });

  it('keeps no more than it may, and ends although the collector hangs', async () => {
    const { queue, dropped } = queueOf(
      (_batch, signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    );
    for (const span of spans(20)) queue.add(span);
    await queue.stop(10);
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(12);
  });
});
