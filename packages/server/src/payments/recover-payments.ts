import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep } from '../jobs/fair-queue.ts';
import { connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import type { CancelOutcome } from '../processors/port.ts';
import { holdRequest } from './capture-payment.ts';
import { afterConfirm, confirmRequest } from './confirm-payment.ts';
import { isDiscarded } from './discard-payment.ts';
import {
  leaveChargesToRetries,
  releaseAbandonedOperations,
  takeDueOperations,
  tenantsWithDueOperations,
} from './due-operations.ts';
import { cancelKey, cancelUpstream, expiryCode, finishExpiry } from './expire-payments.ts';
import type { OpenOperation } from './operations.ts';
import type { PaymentParts } from './parts.ts';
import { isWindowOver, type PaymentRow } from './present.ts';
import { isSettled, lookUp, type Recovery, settle } from './recovery.ts';
import { endUnprocessed, repeatCharge } from './repeat-charge.ts';
import { afterOutcome, failed, nextTry, withFacts } from './settle-payment.ts';

/** How many are asked about at once, for each processor. */
const places = 32;

/**
 * Finds out what became of operations that got no answer: asks the processor and commits what it says. Unknown never
 * becomes failed by time alone: only after the processor has nothing, or has cancelled what it had.
 */
export function paymentRecovery(parts: PaymentParts): Sweep {
  const { db, clock } = parts;
  const due = tenantsWithDueOperations(db);
  return perProcessor(
    (processor) =>
      new FairQueue<OpenOperation>({
        places,
        dueTenants: (after, most) => due({ now: clock.now(), after, most, processor }),
        async take(tenant, most) {
          const now = clock.now();
          await leaveChargesToRetries(db, tenant, { now, nextTryAt: (tries) => nextTry(parts, tries) });
          const rows = await takeDueOperations(db, tenant, { lease: parts.lease(), now, most });
          return { rows, more: rows.length === most };
        },
        work: (operation) => recoverOne(parts, operation, clock.now()),
        onError: (error, { accountId }) =>
          parts.onTrouble('recovery failed', { id: '', account_id: accountId }, error),
      }),
    () => releaseAbandonedOperations(db, clock.now()),
  );
}

/** Recovers everything that is due. @returns how many operations were looked at */
export const recoverPayments = (parts: PaymentParts): Promise<number> => paymentRecovery(parts).run();

async function recoverOne(parts: PaymentParts, operation: OpenOperation, now: Date): Promise<void> {
  let payment: PaymentRow | undefined;
  try {
    const tenant = { accountId: operation.account_id, livemode: operation.livemode };
    payment = await parts.store.find(tenant, operation.payment_id);
    const account = await findAccount(parts.db, operation.account_id);
    if (payment === undefined || account === undefined) throw new Error(`${operation.id} belongs to nothing`);
    const context = backgroundContext(account, operation.livemode, now);
    const connected = connectionOf(parts, context, payment);
    if (connected === undefined) parts.onTrouble(waitsForConnection, payment);
    const ended =
      connected !== undefined && (await recover({ parts, context, payment, operation, connected }));
    if (!ended) await parts.operations.leaveUnknown(payment, nextTry(parts, operation.tries));
  } catch (error) {
    // With the database away the lease ends by itself, and the next sweep takes the operation again.
    parts.onTrouble(
      'recovery failed',
      payment ?? { id: operation.payment_id, account_id: operation.account_id },
      error,
    );
    if (payment !== undefined) {
      await parts.operations.leaveUnknown(payment, nextTry(parts, operation.tries)).catch(() => {});
    }
  } finally {
    parts.waits.ended(operation.payment_id);
  }
}

/** @returns whether the operation is over */
async function recover(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, operation } = recovery;
  switch (operation.kind) {
    case 'charge':
      return recoverCharge(recovery);
    case 'confirm':
      return recoverConfirm(recovery);
    case 'capture':
      return recoverCapture(recovery);
    case 'void':
      return recoverVoid(recovery);
    case 'expire':
      if (payment.status === 'processing') return endUnprocessed(recovery);
      await finishExpiry(parts, context, payment.id);
      return true;
    case 'cancel':
      if (
        ['processing', 'requires_action'].includes(payment.status) &&
        !(await isDiscarded(parts, payment))
      ) {
        return cancelUnanswered(recovery);
      }
      await cancelUpstream(parts, context, payment, operation.upstream_key, operation.tries);
      return true;
  }
}

async function recoverCharge(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, connected } = recovery;
  if (payment.status !== 'processing') {
    await parts.operations.close(payment, context.now);
    return true;
  }
  return connected.port.capabilities.canLookUp ? repeatCharge(recovery) : cancelUnanswered(recovery);
}

/**
 * Nothing may be left that could still charge when the payment is shown as failed. Of a processor that cannot be asked,
 * that it takes the request proves nothing: its notification settles the payment (`apply-notification.ts`). Until it comes the
 * operation is a cancellation, so that no retry charges and no success is told that is about to be cancelled.
 */
async function cancelUnanswered(recovery: Recovery): Promise<boolean> {
  const { parts, payment, operation, connected } = recovery;
  const asks = operation.kind !== 'cancel' && !connected.port.capabilities.canLookUp;
  const turn = { from: [operation.kind], to: 'cancel', while: 'intent' } as const;
  if (asks && !(await parts.operations.turn(payment, turn))) return false;
  if (operation.kind === 'cancel')
    parts.onTrouble('no word yet of a cancellation that was asked for', payment);
  const outcome = await askToCancel(recovery);
  if (asks && outcome === 'not_executed') {
    await parts.operations.turn(payment, { ...turn, from: ['cancel'], to: operation.kind });
  }
  const code = payment.status === 'processing' ? 'not_processed' : expiryCode(payment);
  return outcome === 'cancelled' && settle(recovery, failed(payment, code));
}

async function askToCancel({
  parts,
  payment,
  operation,
  connected,
}: Recovery): Promise<CancelOutcome['kind']> {
  const outcome = await connected.port.cancel(connected.connection, {
    paymentId: payment.id,
    // Each request is one of its own: the answer to a repeated key brings no further notification.
    upstreamKey: `${cancelKey(payment)}:${operation.tries}`,
    // What is not known to be charged is no charge yet that could be reversed: our reference ends it.
    upstream: connected.port.capabilities.cancelsByReference ? {} : payment.upstream,
  });
  if (outcome.kind === 'already_captured') parts.onTrouble('charged upstream without an answer', payment);
  return outcome.kind;
}

async function recoverConfirm(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, operation, connected } = recovery;
  if (payment.status !== 'requires_action') {
    await parts.operations.close(payment, context.now);
    return true;
  }
  const outcome = await lookUp(recovery);
  if (isSettled(outcome)) return settle(recovery, afterOutcome(payment, outcome));
  if (outcome.kind === 'nothing' || outcome.kind === 'voided')
    return settle(recovery, failed(payment, 'not_processed'));
  if ('answer' in outcome) return false;
  const over = isWindowOver(payment, context.now);
  if (outcome.kind === 'open' || payment.returned !== null) {
    // The same attempt under the same key, asked for inside the window: the upstream gives its first answer again.
    const again = await connected.port.confirm(
      connected.connection,
      confirmRequest(payment, operation.upstream_key, context),
    );
    if ('answer' in again) return false;
    if (again.kind !== 'not_approved') return settle(recovery, afterConfirm(payment, again));
    if (!over) return again.refused !== true && settle(recovery, afterConfirm(payment, again));
  }
  // Charged after all: the next look-up, or the notification, settles it.
  return over && cancelUnanswered(recovery);
}

async function recoverCapture(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, operation, connected } = recovery;
  const outcome = await connected.port.capture(
    connected.connection,
    holdRequest(payment, operation.upstream_key, context),
  );
  switch (outcome.kind) {
    case 'succeeded':
      return settle(recovery, { ...withFacts(payment, outcome.facts), status: 'succeeded' });
    case 'declined':
      return settle(recovery, failed(withFacts(payment, outcome.facts), outcome.code), cancelKey(payment));
    case 'hold_gone':
      await parts.operations.close(payment, context.now);
      return true;
    case 'unknown':
    case 'not_executed':
      return false;
  }
}

async function recoverVoid(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, operation, connected } = recovery;
  const outcome = await connected.port.void(
    connected.connection,
    holdRequest(payment, operation.upstream_key, context),
  );
  switch (outcome.kind) {
    case 'voided':
      return settle(recovery, { ...payment, status: 'voided' });
    case 'already_captured':
      await parts.operations.close(payment, context.now);
      return true;
    case 'unknown':
    case 'not_executed':
      return false;
  }
}
