/** The stored record of an `Idempotency-Key`. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly state: 'running' | 'open' | 'done';
  readonly resource_id: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly created_at: Date;
  /** Whether the outcome of the operation that the request began is still unknown. */
  readonly unresolved: boolean;
}

/** The result of looking up a key: a record or none. */
export interface LookedUpRecord {
  readonly record: IdempotencyRecord | undefined;
}
