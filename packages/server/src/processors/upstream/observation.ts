import { inChild } from '../../lib/tracing/span.ts';
import type { NoAnswer, ProcessorConnection } from '../port/port.ts';
import type { ProcessorGuard } from './guard.ts';

/** The result of one operation at an upstream, for logs and metrics. It contains no card data and no upstream body. */
export interface UpstreamObservation extends ObservedAnswer {
  readonly operation: string;
  /** The kind of the outcome, e.g. `succeeded` or `unknown`. */
  readonly outcome: string;
  /** Milliseconds from the first request to the last response, including repeats. */
  readonly durationMs: number;
}

/** The last response in an operation; every member is absent if none arrived. */
export interface ObservedAnswer {
  readonly upstreamReference?: string | null;
  readonly status?: number;
  /** Id by which the upstream's support finds the exchange. */
  readonly debugId?: string;
}

/** Receives every observation; it must not throw. */
export type Observe = (observation: UpstreamObservation) => void;

export interface ObservationDependencies {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  readonly observe?: Observe | undefined;
  /** Name of the processor, for traces. */
  readonly processor?: string | undefined;
  /** Limits the calls that wait for the upstream; absent: no limit. */
  readonly guard?: ProcessorGuard | undefined;
}

/** The operation that verifies a notification. Anybody can trigger it. */
const verification = 'receive_notification';

/** Runs one operation behind the guard and reports its outcome. The operation passes every response that it gets to `note`. */
export function observed<Outcome extends { readonly kind: string }>(
  deps: ObservationDependencies,
  connection: ProcessorConnection,
  operation: string,
  run: (note: (answer: ObservedAnswer) => void) => Promise<Outcome>,
): Promise<Outcome | NoAnswer> {
  const { processor = 'processor' } = deps;
  const attributes = { 'till.processor': processor, 'till.operation': operation };
  return inChild({ name: `${processor} ${operation}`, kind: 'internal', attributes }, async (span) => {
    const outcome = await guarded(deps, connection, operation, run);
    span?.set({ 'till.outcome': outcome.kind });
    return outcome;
  });
}

async function guarded<Outcome extends { readonly kind: string }>(
  deps: ObservationDependencies,
  connection: ProcessorConnection,
  operation: string,
  run: (note: (answer: ObservedAnswer) => void) => Promise<Outcome>,
): Promise<Outcome | NoAnswer> {
  const started = deps.elapsed();
  let last: ObservedAnswer | null = null;
  let isRefused = true;
  const noting = () => {
    isRefused = false;
    return run((answer) => {
      last = answer;
    });
  };
  const { guard } = deps;
  const asked = () =>
    operation === verification
      ? guard?.verify(connection, noting)
      : guard?.run(connection, noting, () => last !== null);
  const outcome = await (asked() ?? noting());
  // The guard counts its own refusals: such a call never reached the upstream.
  if (isRefused) return outcome;
  const durationMs = deps.elapsed() - started;
  deps.observe?.({ operation, outcome: outcome.kind, durationMs, ...(last as ObservedAnswer | null) });
  return outcome;
}
