import { type Batch, createProcessorA as simulateProcessorA } from '@till/sandbox';
import type { AccountClocks } from '../accounts/account-clocks.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { createProcessorA } from '../processors/processor-a/adapter.ts';
import { createRegistry } from '../processors/registry.ts';
import { simulatorTransport } from '../processors/simulator-transport.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';

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
  clocks: AccountClocks,
  randomBytes: (count: number) => Uint8Array,
) {
  const batch: Batch = (run, keyOf) => {
    const batcher = new Batcher(run, { keyOf });
    return (row) => batcher.submit(row);
  };
  const processorA = simulateProcessorA({
    database: {
      query: async <Row>(text: string, values: readonly unknown[] = []) => ({
        rows: await db.query<Row>({ name: statementName(text), text, values }),
      }),
    },
    now: (merchantAccount) => clocks.now(merchantAccount),
    randomBytes,
    delay: clock.delay,
    batch,
  });
  return createRegistry({
    simulated: {
      processor_a: {
        port: createProcessorA({
          transport: simulatorTransport((request, signal) => processorA.handle(request, signal), {
            timeoutMs: config.processorTimeoutMs,
          }),
          delay: clock.delay,
          elapsed: clock.elapsed,
          observe: (event) =>
            metrics.processorDuration.observe(
              { processor: 'processor_a', operation: event.operation, outcome: event.outcome },
              event.durationMs / 1000,
            ),
        }),
        baseUrl: 'https://processor-a.sandbox.invalid/v71',
      },
    },
    liveSimulation: config.liveSimulation,
  });
}
