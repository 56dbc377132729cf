import type { ApprovalOutcome } from '@till/contract';
import {
  type Batch,
  createSandboxPages,
  resolveApproval,
  createProcessorA as simulateProcessorA,
  createProcessorB as simulateProcessorB,
} from '@till/sandbox';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { PaymentRow } from '../payments/present.ts';
import type { UpstreamObservation } from '../processors/observation.ts';
import { createProcessorA } from '../processors/processor-a/adapter.ts';
import { createProcessorB } from '../processors/processor-b/adapter.ts';
import { createRegistry } from '../processors/registry.ts';
import { simulatorTransport } from '../processors/simulator-transport.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';

const batch: Batch = (run, keyOf) => {
  const batcher = new Batcher(run, { keyOf });
  return (row) => batcher.submit(row);
};

const statementNames = new Map<string, string>();

/** The simulators' statements never change: a name makes each one a prepared statement. */
function statementName(text: string): string {
  const name = statementNames.get(text) ?? `sandbox_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** The adapters with the simulators behind them, in this process, over the same bytes as a network would carry. */
export function connectSimulators(
  { config, db, clock, metrics }: { config: Config; db: Database; clock: Clock; metrics: Metrics },
  parts: {
    clocks: AccountClocks;
    randomBytes: RandomBytes;
    publicUrl: () => string;
    visit: (url: string) => void;
  },
) {
  const simulatorParts = {
    database: {
      query: async <Row>(text: string, values: readonly unknown[] = []) => ({
        rows: await db.query<Row>({ name: statementName(text), text, values }),
      }),
    },
    now: (merchantAccount: string) => parts.clocks.now(merchantAccount),
    randomBytes: parts.randomBytes,
    delay: clock.delay,
    publicUrl: parts.publicUrl,
    visit: parts.visit,
    batch,
  };
  const timeoutMs = config.processorTimeoutMs;
  const a = simulateProcessorA(simulatorParts);
  const b = simulateProcessorB(simulatorParts);
  const pages = createSandboxPages(simulatorParts);
  const observe = (processor: string) => (event: UpstreamObservation) =>
    metrics.processorDuration.observe(
      { processor, operation: event.operation, outcome: event.outcome },
      event.durationMs / 1000,
    );
  const adapterParts = { delay: clock.delay, elapsed: clock.elapsed };
  return {
    connect: createRegistry({
      simulated: {
        processor_a: {
          port: createProcessorA({
            ...adapterParts,
            transport: simulatorTransport((request, signal) => a.handle(request, signal), { timeoutMs }),
            observe: observe('processor_a'),
          }),
          baseUrl: 'https://processor-a.sandbox.invalid/v71',
        },
        processor_b: {
          port: createProcessorB({
            ...adapterParts,
            now: clock.now,
            transport: simulatorTransport((request, signal) => b.handle(request, signal), { timeoutMs }),
            observe: observe('processor_b'),
          }),
          baseUrl: 'https://processor-b.sandbox.invalid',
        },
      },
      liveSimulation: config.liveSimulation,
    }),
    pages: (request: Parameters<typeof pages.handle>[0]) => pages.handle(request),
    resolveApproval: async (payment: PaymentRow, outcome: ApprovalOutcome): Promise<string | null> => {
      // The simulators' pages end in the id of what waits there; an order without a page is known by its own id.
      const id = payment.upstream.order ?? payment.redirect_url?.split('/').at(-1) ?? '';
      const resolved = await resolveApproval(simulatorParts, id, outcome);
      return resolved?.returnUrl ?? null;
    },
  };
}
