import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Counter, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { createLogger } from '../lib/log/log.ts';
import { startTelemetry } from './feature.ts';

/** The metrics of one cell that has counted this many payments, each of half a second. */
function registryOf(cell: string, payments: number): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ cell });
  const registers = [registry];
  new Counter({ name: 'till_payments_total', help: 'Payments.', registers }).inc(payments);
  const histogram = new Histogram({ name: 'till_duration_seconds', help: 'Time.', buckets: [1], registers });
  for (let one = 0; one < payments; one += 1) histogram.observe(0.5);
  return registry;
}

interface Point {
  readonly attributes: readonly { readonly value: { readonly stringValue: string } }[];
  readonly asDouble?: number;
  readonly count?: string;
}

interface Sent {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly sum?: { readonly dataPoints: readonly Point[] };
        readonly histogram?: { readonly dataPoints: readonly Point[] };
      }[];
    }[];
  }[];
}

it('metrics of every cell are exported, each metric once', async () => {
  const sent: Sent[] = [];
  const server = createServer((request, answer) => {
    // The last request may be aborted when the exporter stops.
    void json(request)
      .then(
        (body) => sent.push(body as Sent),
        () => {},
      )
      .then(() => answer.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  const target = { url, protocol: 'http/json', headers: {}, timeoutMs: 10_000, compresses: false } as const;
  const registries = [registryOf('home', 1)];
  const telemetry = startTelemetry(
    { resource: {}, traces: null, metrics: { ...target, intervalMs: 60_000 } },
    {
      clock: systemClock,
      randomBytes,
      log: createLogger('silent', () => {}),
      registries: () => registries,
      version: '1.0.0',
      instance: 'one',
    },
  );
  // This cell is opened after the export began.
  registries.push(registryOf('east', 2));
  await telemetry.stop();
  server.close();
  const metrics = sent.at(-1)?.resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
  const cellOf = ({ attributes }: Point) => attributes[0]?.value.stringValue;
  expect(metrics.map(({ name }) => name)).toEqual(['till_payments_total', 'till_duration_seconds']);
  expect(metrics[0]?.sum?.dataPoints.map((point) => [cellOf(point), point.asDouble])).toEqual([
    ['home', 1],
    ['east', 2],
  ]);
  expect(metrics[1]?.histogram?.dataPoints.map((point) => [cellOf(point), point.count])).toEqual([
    ['home', '1'],
    ['east', '2'],
  ]);
});
