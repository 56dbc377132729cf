import { type Static, Type } from 'typebox';
import { IsoTime } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/**
 * Problems that a processor reports about a settled payment. The payment keeps its status, unless its hold no
 * longer exists.
 */
export const alertKinds = [
  'capture_failed',
  'capture_reversed',
  'cancelled_upstream',
  'charged_twice',
  'hold_voided',
  'reversal_failed',
  'fraud_reported',
] as const;

export const AlertKind = Type.Enum([...alertKinds]);

/** An alert, shown until somebody acknowledges it. Times are account time. */
export const PaymentAlert = Type.Object({
  kind: AlertKind,
  created_at: IsoTime,
  acknowledged_at: Nullable(IsoTime),
  /** Email address. */
  acknowledged_by: Nullable(Type.String()),
});
export type PaymentAlert = Static<typeof PaymentAlert>;
