import { bool, int, keyColumns, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';

/** Why a body is not stored. */
export type BodyNote = 'not_json' | 'too_large' | 'file' | 'unused';

export const logColumns = {
  ...keyColumns,
  /** Real time at which the request began. */
  at: time,
  method: text,
  /** The route's pattern. */
  route: text,
  path: text,
  query: nullable(text),
  status: int,
  code: nullable(text),
  duration_ms: int,
  key_id: text,
  ip: text,
  idempotency_hash: nullable(text),
  /** The last characters of the idempotency key. */
  idempotency_hint: nullable(text),
  replayed: bool,
  payment_id: nullable(text),
  refund_id: nullable(text),
  customer_id: nullable(text),
  /** Redacted JSON. */
  request_body: nullable(text),
  request_note: nullable(oneOf<BodyNote>()),
  request_bytes: int,
  answer_body: nullable(text),
  answer_note: nullable(oneOf<'not_json' | 'too_large'>()),
  answer_bytes: int,
  /** JSON; null if there are none. */
  warnings: nullable(text),
} as const;

/** A request as stored. */
export type LogEntry = RowOf<typeof logColumns>;
