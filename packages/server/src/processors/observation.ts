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

export interface ObservationParts {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  readonly observe?: Observe | undefined;
}

/** Runs one operation, which notes every answer that it gets, and tells what it came to. */
export async function observed<Outcome extends { readonly kind: string }>(
  parts: ObservationParts,
  operation: string,
  run: (note: (answer: ObservedAnswer) => void) => Promise<Outcome>,
): Promise<Outcome> {
  const started = parts.elapsed();
  let last: ObservedAnswer = {};
  const outcome = await run((answer) => {
    last = answer;
  });
  const durationMs = parts.elapsed() - started;
  parts.observe?.({ operation, outcome: outcome.kind, durationMs, ...last });
  return outcome;
}
