/**
 * The objections that a processor may report about a settled payment. The payment keeps its final status, unless its hold is
 * gone. A person has to look into each alert.
 */
const paymentAlertKinds = [
  /** The capture failed after the processor had confirmed it, so the money never arrives. */
  'capture_failed',
  /** The processor took the money back from the merchant by a reversal, not by a refund. */
  'capture_reversed',
  /** The payment was cancelled or returned at the processor, not by a refund. */
  'cancelled_upstream',
  /** The processor authorized the payment a second time, under another reference. */
  'charged_twice',
  /** The hold was voided at the processor, so nothing can be captured. */
  'hold_voided',
  /** The payment failed or was voided here but was charged, and the charge could not be reversed: the buyer has paid. */
  'reversal_failed',
  /** The issuer reports fraud. No money has moved; a chargeback may follow. */
  'fraud_reported',
] as const;

export type PaymentAlertKind = (typeof paymentAlertKinds)[number];

/** Kinds that take money back from the merchant. */
export const reversalKinds = ['capture_failed', 'capture_reversed', 'cancelled_upstream'] as const;
export type ReversalKind = (typeof reversalKinds)[number];

export const isReversal = (kind: PaymentAlertKind): kind is ReversalKind =>
  (reversalKinds as readonly PaymentAlertKind[]).includes(kind);
