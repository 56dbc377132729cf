/** What a simulator needs from outside, so that clock, chance and storage are the caller's. */

import type { WireRequest, WireResponse } from './wire.ts';

/** A processor by the name that the merchant's side has for it. */
export type SimulatedProcessor = `processor_${string}`;

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
  keyOf?: (row: Row) => string,
) => (row: Row) => Promise<Out>;

/** What both sides of a merchant account's notifications share: an upstream shows these in its own dashboard. */
export interface NotificationSecrets {
  /** processor_a: key of the HMAC, in hex, and basic authentication. */
  readonly hmacKey: string;
  readonly user: string;
  readonly password: string;
  /** processor_b: id of the registered webhook, which its signature covers. */
  readonly webhookId: string;
}

/** Where notifications go and what signs them. */
export interface NotificationRoute {
  url(processor: SimulatedProcessor, merchantAccount: string): string;
  secrets(merchantAccount: string): NotificationSecrets;
  send(request: WireRequest): Promise<WireResponse>;
}

export interface SandboxDependencies {
  readonly database: SandboxDatabase;
  /**
   * Whether the merchant's side keeps its records in the same database. Then a charge need not wait for the disk: it is
   * durable before anything that follows from its answer is, and what no answer reported may be lost with the database.
   */
  readonly sharesLog?: boolean | undefined;
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
  /** Without it notifications are planned and never sent. */
  readonly notifications?: NotificationRoute | undefined;
}
