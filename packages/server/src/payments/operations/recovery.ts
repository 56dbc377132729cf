import type { AccountContext } from '../../accounts/context.ts';
import type { OpenOperation, OperationKind } from '../../operations/operation.ts';
import type { Connected } from '../../processors/port/connected.ts';
import type { SettledOutcome } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { type PaymentChange, settlePayment } from '../settle-payment.ts';

/** An unanswered operation that this process holds, and the connection to the processor that was asked. */
export interface Recovery {
  readonly deps: PaymentDependencies;
  readonly context: AccountContext;
  readonly payment: PaymentRow;
  readonly operation: OpenOperation;
  readonly connected: Connected;
}

/** Commits the outcome that recovery found. @returns true: the operation is over */
export async function settle(
  { deps, context, payment }: Pick<Recovery, 'deps' | 'context' | 'payment'>,
  change: PaymentChange,
): Promise<true> {
  await settlePayment(deps, context, { before: payment, ...change, claim: null });
  return true;
}

/** Whether an outcome is final: money moved, money is held, or the issuer declined. */
export const isSettled = (outcome: { readonly kind: string }): outcome is SettledOutcome =>
  ['succeeded', 'authorized', 'declined'].includes(outcome.kind);

/**
 * Begins an operation for which no request asks.
 * @returns the end of its lease (real time); undefined if another operation of the payment is open
 */
export async function beginUnasked(
  deps: PaymentDependencies,
  { now }: AccountContext,
  payment: PaymentRow,
  kind: OperationKind,
  upstreamKey: string,
): Promise<Date | undefined> {
  const lease = deps.lease();
  const intent = { subject: payment, kind, upstreamKey, at: now, lease, claim: null };
  return (await deps.operations.begin(intent)) === 'begun' ? lease.until : undefined;
}
