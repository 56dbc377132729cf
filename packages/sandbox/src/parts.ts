/** What a simulator needs from outside, so that clock, chance and storage are the caller's. */

/** Runs one statement; structurally what `pg`'s Pool offers. */
export interface SandboxDatabase {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Merges the rows of concurrent calls into one run. Rows of one key never meet in a run, results stand in the
 * order of the rows, and after a failed run each row is tried alone.
 */
export type Batch = <Row, Out>(
  run: (rows: readonly Row[]) => Promise<readonly Out[]>,
  keyOf: (row: Row) => string,
) => (row: Row) => Promise<Out>;

export interface SandboxParts {
  readonly database: SandboxDatabase;
  /** The merchant account's own time, which a test may have moved forward. */
  now(merchantAccount: string): Promise<Date> | Date;
  randomBytes(length: number): Uint8Array;
  /** Resolves after `ms`; may reject earlier when `signal` aborts. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
  /** Where browsers reach the buyer pages, without a slash at the end. */
  publicUrl(): string;
  /** Opens an address as the virtual buyer's browser would; without it the virtual buyer closes the window. */
  readonly visit?: ((url: string) => void) | undefined;
  readonly batch?: Batch | undefined;
}
