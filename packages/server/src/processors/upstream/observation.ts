import { inChild } from '../../lib/tracing/span.ts';
import type { NoAnswer, ProcessorConnection } from '../port/port.ts';
import type { ProcessorGuard } from './guard.ts';

/** What one operation at an upstream came to, for logs and metrics. It carries no card data and no upstream body. */
export interface UpstreamObservation extends ObservedAnswer {
  readonly operation: string;
  /** The kind of the outcome, e.g. `succeeded` or `unknown`. */
  readonly outcome: string;
  /** Milliseconds from the first request to the last answer, repeats included. */
  readonly durationMs: number;
}

/** The last answer of an operation; every member is absent where none came. */
export interface ObservedAnswer {
  readonly upstreamReference?: string | null;
  readonly status?: number;
  /** Name under which the upstream's support finds the exchange. */
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
  /** Bounds what waits for the upstream; absent: nothing does. */
  readonly guard?: ProcessorGuard | undefined;
}

/** The operation that verifies a notification, which anybody may cause. */
const verification = 'receive_notification';

/** Runs one operation behind the guard, which notes every answer that it gets, and reports what it came to. */
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
  // The guard counts what it refuses: nothing was asked of the upstream.
  if (isRefused) return outcome;
  const durationMs = deps.elapsed() - started;
  deps.observe?.({ operation, outcome: outcome.kind, durationMs, ...(last as ObservedAnswer | null) });
  return outcome;
}
