/** What one operation at an upstream came to, for logs and metrics. It carries no card data and no upstream body. */
export interface UpstreamObservation {
  readonly operation: string;
  /** The kind of the outcome, e.g. `succeeded` or `unknown`. */
  readonly outcome: string;
  /** Milliseconds from the first request to the last answer, repeats included. */
  readonly durationMs: number;
  readonly upstreamReference?: string | null;
  /** HTTP status of the last answer; absent where none came. */
  readonly status?: number;
}

/** Receives every observation; it must not throw. */
export type Observe = (observation: UpstreamObservation) => void;
