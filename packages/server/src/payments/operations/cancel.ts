import type { AccountContext } from '../../accounts/context.ts';
import { nextTry } from '../../operations/retry-plan.ts';
import { type Connected, connectionOf, waitsForConnection } from '../../processors/port/connected.ts';
import type { CancelOutcome } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { expiryCode, failed } from '../settle-payment.ts';
import { isDiscarded } from './discard-payment.ts';
import { cancelKey } from './payment-access.ts';
import { beginUnasked, type Recovery, settle } from './recovery.ts';

/**
 * Makes sure that nothing of a failed or voided payment can still be authorised upstream. If the processor does not answer,
 * recovery asks again.
 * @returns false if another operation of the payment is open: then the processor was not asked
 */
export async function cancelLeftovers(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  upstreamKey: string,
): Promise<boolean> {
  const leaseUntil = await beginUnasked(deps, context, payment, 'cancel', upstreamKey);
  if (leaseUntil === undefined) return false;
  await cancelUpstream(deps, context, payment, { upstreamKey, tries: 0, leaseUntil });
  return true;
}

/** Sends the cancellation of an operation that this process holds, and ends the operation if the processor carries it out. */
export async function cancelUpstream(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  {
    upstreamKey,
    tries,
    leaseUntil,
  }: { readonly upstreamKey: string; readonly tries: number; readonly leaseUntil: Date },
): Promise<void> {
  const connected = connectionOf(deps, context, payment);
  if (connected === undefined) deps.onIncident(context, waitsForConnection, payment);
  const outcome = await connected?.port.cancel(connected.connection, {
    paymentId: payment.id,
    upstreamKey,
    // This key cancels a payment whose buyer was never charged: the upstream has only an offer, and only our reference ends that.
    upstream: endsAnOffer(payment, upstreamKey, connected) ? {} : payment.upstream,
  });
  // Captured money has to be returned by hand. Until then the operation stays open and every attempt reports it again.
  const isCaptured = outcome?.kind === 'already_captured';
  if (isCaptured) {
    const ended = payment.status === 'voided' ? 'was voided' : 'failed';
    deps.onIncident(context, `captured upstream after it ${ended} here: give the money back there`, payment);
  }
  if (outcome === undefined || 'answer' in outcome || isCaptured) {
    await deps.operations.leaveUnknown(payment, leaseUntil, nextTry(deps, tries), context.suspend);
    return;
  }
  await deps.operations.end(payment, leaseUntil, context.suspend);
}

const endsAnOffer = (payment: PaymentRow, upstreamKey: string, { port }: Connected) =>
  port.capabilities.cancelsByReference && upstreamKey === cancelKey(payment);

/** Recovers a cancellation. @returns whether recovery has nothing to reschedule: the operation is over or rescheduled already */
export async function recoverCancel(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment, operation } = recovery;
  const isUnanswered = ['processing', 'requires_action'].includes(payment.status);
  if (isUnanswered && !(await isDiscarded(deps, payment))) return cancelUnanswered(recovery);
  await cancelUpstream(deps, context, payment, {
    upstreamKey: operation.upstream_key,
    tries: operation.tries,
    leaseUntil: operation.lease_until,
  });
  return true;
}

/**
 * Cancels a payment without an answer: when it is shown as failed, nothing may be left that could still charge. A processor that
 * cannot be asked only accepts the request, which proves nothing; its notification settles the payment
 * (`apply-notification.ts`). Until then the operation is a cancellation, so that no retry charges and no success is reported
 * that is about to be cancelled.
 * @returns whether the operation is over
 */
export async function cancelUnanswered(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment, operation, connected } = recovery;
  const asks = operation.kind !== 'cancel' && !connected.port.capabilities.canLookUp;
  const leaseUntil = operation.lease_until;
  const conversion = { from: [operation.kind], to: 'cancel', leaseUntil } as const;
  if (asks && !(await deps.operations.convert(payment, conversion))) return false;
  if (operation.kind === 'cancel') {
    deps.onIncident(context, 'no word yet of a cancellation that was asked for', payment);
  }
  const outcome = await askToCancel(recovery);
  if (asks && outcome === 'not_executed') {
    await deps.operations.convert(payment, { ...conversion, from: ['cancel'], to: operation.kind });
  }
  const code = payment.status === 'processing' ? 'not_processed' : expiryCode(payment);
  return outcome === 'cancelled' && settle(recovery, { after: failed(payment, code) });
}

async function askToCancel({
  deps,
  context,
  payment,
  operation,
  connected,
}: Recovery): Promise<CancelOutcome['kind']> {
  const outcome = await connected.port.cancel(connected.connection, {
    paymentId: payment.id,
    // Each attempt has a key of its own: if a key is repeated, the upstream sends no further notification.
    upstreamKey: `${cancelKey(payment)}:${operation.tries}`,
    // No charge is known that could be reversed by its id, so our reference has to end it.
    upstream: connected.port.capabilities.cancelsByReference ? {} : payment.upstream,
  });
  if (outcome.kind === 'already_captured') {
    deps.onIncident(context, 'charged upstream without an answer', payment);
  }
  return outcome.kind;
}
