import { type Static, Type } from 'typebox';
import { IsoTime } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** What a processor said against a settled payment, which keeps its status but where its hold is gone. */
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

/** Shown until somebody says that it is dealt with. Times in account time. */
export const PaymentAlert = Type.Object({
  kind: AlertKind,
  created_at: IsoTime,
  acknowledged_at: Nullable(IsoTime),
  /** E-mail address. */
  acknowledged_by: Nullable(Type.String()),
});
export type PaymentAlert = Static<typeof PaymentAlert>;
