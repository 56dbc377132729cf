/** What is kept under an `Idempotency-Key`. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly state: 'running' | 'open' | 'done';
  readonly resource_id: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly created_at: Date;
  /** What the request began has no known end. */
  readonly unresolved: boolean;
}

/** What was found under a key at some time: a record or none. */
export interface LookedUpRecord {
  readonly record: IdempotencyRecord | undefined;
}
