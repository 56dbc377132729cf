import type { Provider } from '@till/contract';
import type { Clock } from '../../lib/clock.ts';
import type { LogFields, Logger } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Transport } from '../wire/transport.ts';
import { type BreakerChange, ProcessorGuard } from './guard.ts';
import type { AdapterDependencies } from './processor.ts';

export interface ExchangeDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Timeout of one exchange with a processor, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * A processor that sends no response for this many milliseconds counts as hanging. `timeoutMs / 2` applies if that is
 * shorter.
 */
const hangMs = 5_000;

/** Builds an adapter's dependencies: the transport, a guard with bulkheads and circuit breakers, and its metrics and log. */
export const adapterDependencies = (
  deps: ExchangeDependencies,
  {
    processor,
    transport,
    sharesOrigin,
  }: {
    readonly processor: Provider;
    readonly transport: Transport;
    /** Whether the accounts share one upstream system behind the address, which may hang as a whole. */
    readonly sharesOrigin: boolean;
  },
): AdapterDependencies => ({
  delay: deps.clock.delay,
  elapsed: deps.clock.elapsed,
  now: deps.clock.now,
  transport,
  processor,
  guard: createGuard(deps, processor, sharesOrigin),
  observe: ({ operation, outcome, durationMs }) =>
    deps.metrics.processorDuration.observe({ processor, operation, outcome }, durationMs / 1000),
});

function createGuard(
  { clock, log, metrics, timeoutMs }: ExchangeDependencies,
  processor: Provider,
  sharesOrigin: boolean,
): ProcessorGuard {
  const guard = new ProcessorGuard({
    elapsed: clock.elapsed,
    hangMs: Math.min(hangMs, timeoutMs / 2),
    sharesOrigin,
    onChange: (change) => logChange(log, processor, change),
    onRefused: (reason) => metrics.processorRefused.inc({ processor, reason }),
  });
  metrics.observeProcessor(processor, guard);
  return guard;
}

function logChange(
  log: Logger,
  processor: Provider,
  { isOpen, scope, origin, account }: BreakerChange,
): void {
  const whose = account === null ? {} : { account: account.id, livemode: account.livemode };
  const fields: LogFields = { processor, scope, origin, ...whose };
  if (isOpen) log.warn('the processor does not answer: its breaker is open', fields);
  else log.info('the processor answers again: its breaker is closed', fields);
}
