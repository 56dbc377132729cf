/** The dependencies of a simulator. The caller provides clock, randomness and storage. */

import type { WireRequest, WireResponse } from './wire.ts';

/** Name of a processor on the merchant's side. */
export type SimulatedProcessor = `processor_${string}`;

/** Runs one statement. `pg`'s Pool has this interface. */
export interface SandboxDatabase {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Merges the rows of concurrent calls into one run. A run never has two rows with the same key. It returns
 * its results in the order of its rows. If a run fails, each of its rows is retried alone.
 */
export type Batch = <Row, Out>(
  run: (rows: readonly Row[]) => Promise<readonly Out[]>,
  keyOf?: (row: Row) => string,
) => (row: Row) => Promise<Out>;

/**
 * Secrets that both sides share to authenticate the notifications of a merchant account. Real upstreams show
 * them in their own dashboard.
 */
export interface NotificationSecrets {
  /** processor_a: the HMAC key in hexadecimal, and the credentials of HTTP basic authentication. */
  readonly hmacKey: string;
  readonly user: string;
  readonly password: string;
  /** processor_b: the id of the registered webhook, which the signature covers. */
  readonly webhookId: string;
}

/** Where notifications are sent and the secrets that sign them. */
export interface NotificationRoute {
  url(processor: SimulatedProcessor, merchantAccount: string): string;
  secrets(merchantAccount: string): NotificationSecrets;
  send(request: WireRequest): Promise<WireResponse>;
}

export interface SandboxDependencies {
  readonly database: SandboxDatabase;
  /**
   * Whether the merchant's side stores its records in the same database. If so, a charge need not wait for
   * the disk: everything that follows from its response becomes durable after it. A charge that no response
   * has reported may be lost together with the database.
   */
  readonly sharesLog?: boolean | undefined;
  /** The merchant account's own time, which a test may have moved forward. */
  now(merchantAccount: string): Promise<Date> | Date;
  randomBytes(length: number): Uint8Array;
  /** Resolves after `ms` milliseconds. May reject earlier if `signal` aborts. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
  /** The base URL of the buyer pages for browsers, without a trailing slash. */
  publicUrl(): string;
  /**
   * Opens an address like the browser of the virtual buyer. If undefined, the virtual buyer closes the window
   * instead.
   */
  readonly visit?: ((url: string) => void) | undefined;
  readonly batch?: Batch | undefined;
  /** If undefined, notifications are planned but never sent. */
  readonly notifications?: NotificationRoute | undefined;
}
