/**
 * What a processor may say against a settled payment. The payment keeps its status, which is final, but where its hold is
 * gone; somebody has to look.
 */
const paymentAlertKinds = [
  /** The capture failed after the processor had confirmed it: the money does not come. */
  'capture_failed',
  /** The money was taken back from the merchant, by a reversal and not by a refund. */
  'capture_reversed',
  /** The payment was cancelled or given back at the processor, not by a refund. */
  'cancelled_upstream',
  /** The processor authorised it under a second reference. */
  'charged_twice',
  /** The hold was voided at the processor: nothing can be captured. */
  'hold_voided',
  /** What was charged although the payment failed or was voided here could not be given back: the buyer has paid. */
  'reversal_failed',
  /** The issuer reports fraud. No money has moved; a chargeback may follow. */
  'fraud_reported',
] as const;

export type PaymentAlertKind = (typeof paymentAlertKinds)[number];

/** Kinds with which money goes back. */
export const reversalKinds = ['capture_failed', 'capture_reversed', 'cancelled_upstream'] as const;
export type ReversalKind = (typeof reversalKinds)[number];

export const isReversal = (kind: PaymentAlertKind): kind is ReversalKind =>
  (reversalKinds as readonly PaymentAlertKind[]).includes(kind);
