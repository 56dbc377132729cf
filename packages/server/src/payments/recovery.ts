import type { AccountContext } from '../accounts/context.ts';
import type { LookUpOutcome, SettledOutcome } from '../processors/port.ts';
import type { OpenOperation } from './operations.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { type ChangedPayment, settlePayment } from './settle-payment.ts';

/** An operation without an answer that this process holds, and whom to ask about it. */
export interface Recovery {
  readonly parts: PaymentParts;
  readonly context: AccountContext;
  readonly payment: PaymentRow;
  readonly operation: OpenOperation;
  readonly connected: NonNullable<ReturnType<PaymentParts['connect']>>;
}

/** Commits what was found out. @param cancelUnder the key under which what may still come upstream is cancelled */
export async function settle(
  { parts, context, payment }: Recovery,
  after: ChangedPayment,
  cancelUnder?: string,
): Promise<boolean> {
  await settlePayment(parts, context, {
    before: payment,
    after,
    claim: null,
    ...(cancelUnder === undefined ? {} : { cancelKey: cancelUnder }),
  });
  return true;
}

/** Whether money moved or is held, or the issuer said no. */
export const isSettled = (outcome: { kind: string }): outcome is SettledOutcome =>
  ['succeeded', 'authorized', 'declined'].includes(outcome.kind);

/** Asks the processor for the payment's present state. */
export function lookUp({ payment, connected }: Recovery): Promise<LookUpOutcome> {
  return connected.port.lookUp(connected.connection, {
    paymentId: payment.id,
    upstream: payment.upstream,
    amount: payment.amount,
    currency: payment.currency,
    captureMethod: payment.capture_method,
  });
}
