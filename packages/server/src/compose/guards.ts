import type { Provider } from '@till/contract';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { type BreakerChange, ProcessorGuard } from '../processors/upstream/guard.ts';

export interface GuardWiring {
  readonly processor: Provider;
  /** Whether accounts share one system behind the address, which may hang as a whole. */
  readonly sharesOrigin: boolean;
}

/** Without an answer for so long a processor hangs, unless its whole exchange may take less. */
const hangMs = 5_000;

/** Bulkheads and breakers before one processor, in the metrics and in the log. */
export function createGuard(
  {
    config,
    clock,
    log,
    metrics,
  }: {
    readonly config: Pick<Config, 'processorTimeoutMs'>;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: Metrics;
  },
  { processor, sharesOrigin }: GuardWiring,
): ProcessorGuard {
  const guard = new ProcessorGuard({
    elapsed: clock.elapsed,
    hangMs: Math.min(hangMs, config.processorTimeoutMs / 2),
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
  const fields = { processor, scope, origin, ...whose };
  if (isOpen) log.warn('the processor does not answer: its breaker is open', fields);
  else log.info('the processor answers again: its breaker is closed', fields);
}
