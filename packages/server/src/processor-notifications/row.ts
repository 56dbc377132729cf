import type { Provider } from '@till/contract';
import { bigint, int, keyColumns, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';

export type NotificationState = 'received' | 'applied' | 'parked';

const ownColumns = { ...keyColumns, processor: oneOf<Provider>() } as const;
export const listedColumns = {
  ...ownColumns,
  type: text,
  state: oneOf<NotificationState>(),
  tries: int,
  received_at: time,
  next_try_at: time,
  applied_at: nullable(time),
} as const;

/** A notification as it is listed. Times are real time. */
export type NotificationRow = RowOf<typeof listedColumns>;

/** Columns written when a notification is received. */
export const keptColumns = {
  n: int,
  ...ownColumns,
  type: text,
  processor_identity: text,
  /** In hex. */
  body: text,
  key_version: int,
  received_at: time,
  tries: int,
  next_try_at: time,
  lease_owner: bigint,
} as const;
