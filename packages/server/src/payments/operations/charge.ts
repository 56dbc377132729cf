import { newId } from '../../lib/ids.ts';
import { nextTry } from '../../operations/retry-plan.ts';
import type { ChargeOutcome, NoAnswer } from '../../processors/port/port.ts';
import { noteUpstream, requestOf } from '../drafts.ts';
import { isWindowOver, type PaymentRow } from '../payment.ts';
import { leaveToMerchantRetry } from '../request/charge-keys.ts';
import { isKeyRemembered, rebuildChargeRequest } from '../request/charge-request.ts';
import {
  afterOutcome,
  afterRequiredAction,
  type ChangedPayment,
  expiryCode,
  failed,
  type PaymentChange,
  withFacts,
} from '../settle-payment.ts';
import { cancelUnanswered } from './cancel.ts';
import { discardPayment } from './discard-payment.ts';
import { cancelKey, lookUpRequest } from './payment-access.ts';
import { isSettled, type Recovery, settle } from './recovery.ts';

/** The answers to a charge after which the payment is shown. */
export type ShownCharge = Exclude<ChargeOutcome, NoAnswer | { kind: 'missing_approval_url' | 'cannot_save' }>;

/** The charge's idempotency key at the processor. */
export const chargeKey = (paymentId: string): string => `${paymentId}:c`;

/** How the answer to a charge changes the payment. @param now account time */
export function afterCharge(payment: PaymentRow, outcome: ShownCharge, now: Date): PaymentChange {
  switch (outcome.kind) {
    case 'requires_action': {
      const after = afterRequiredAction(payment, outcome);
      if (!isWindowOver(after, now)) return { after };
      // The retry came so late that no buyer could still confirm the order that it began.
      const known = withFacts(payment, outcome.facts);
      return { after: failed(known, 'not_processed'), cancelKey: cancelKey(payment) };
    }
    case 'not_carried_out':
      return { after: failed(withFacts(payment, outcome.facts), 'not_processed') };
    case 'succeeded':
    case 'authorized':
    case 'declined':
      return { after: afterOutcome(payment, outcome) };
  }
}

/** Recovers a charge without an answer. @returns whether the operation is over */
export async function recoverCharge(recovery: Recovery): Promise<boolean> {
  const { deps, payment, operation, connected } = recovery;
  if (payment.status !== 'processing') {
    await deps.operations.end(payment, operation.lease_until);
    return true;
  }
  return connected.port.capabilities.canLookUp ? repeatCharge(recovery) : cancelUnanswered(recovery);
}

/**
 * Finds out the answer to an unanswered charge by repeating its key without card data. If an order waits for the buyer, the
 * payment requires action. A charge that was certainly not carried out is left to the merchant's retry, which has the card.
 * @returns whether the operation is over
 */
async function repeatCharge(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment, operation, connected } = recovery;
  // As long as the upstream remembers the key, it answers a repeat with its first answer.
  if (!isKeyRemembered(payment, connected.port, context.now)) return recoverByLookUp(recovery);
  const stored = await requestOf(deps.db, payment);
  const outcome = await connected.port.charge(
    connected.connection,
    await rebuildChargeRequest(deps, context, payment, operation, stored),
  );
  if (isSettled(outcome)) return settle(recovery, { after: afterOutcome(payment, outcome) });
  switch (outcome.kind) {
    case 'requires_action':
      return completeOffer(recovery, outcome);
    case 'not_carried_out':
      return (await isLeftToRetry(recovery)) ? leaveToRetry(recovery) : endUnprocessed(recovery);
    case 'missing_approval_url':
    case 'cannot_save':
      // The merchant's request was never answered, so its key is freed as well.
      await discardPayment(deps, payment, {
        claim: null,
        customerIsNew: typeof stored.customer === 'object',
        upstream: outcome.facts.upstream,
        leaseUntil: operation.lease_until,
        at: context.now,
        suspend: context.suspend,
      });
      return true;
    case 'unknown':
    case 'not_executed':
      // Once it is too late to repeat the key, only these ids lead to the payment's outcome.
      if (outcome.upstream !== undefined) await noteUpstream(deps.db, payment, outcome.upstream);
      return false;
  }
}

/** The upstream has the order with its approval link: the payment waits for its buyer, as if the first answer had arrived. */
async function completeOffer(
  recovery: Recovery,
  outcome: Extract<ChargeOutcome, { kind: 'requires_action' }>,
): Promise<boolean> {
  const { payment } = recovery;
  const after = afterRequiredAction(payment, outcome);
  return settleByUpstreamState(recovery, withFacts(payment, outcome.facts), () =>
    isWindowOver(after, recovery.context.now)
      ? settle(recovery, { after: failed(after, expiryCode(after)), cancelKey: cancelKey(after) })
      : settle(recovery, { after }),
  );
}

/** Leaves the charge to a retry, which has the card. An order without a card took the old key, so the retry gets a new key. */
async function leaveToRetry({ deps, payment, operation }: Recovery): Promise<true> {
  const upstreamKey = `${payment.id}:${newId('op', deps.clock.now(), deps.randomBytes)}`;
  const nextTryAt = nextTry(deps, operation.tries);
  await leaveToMerchantRetry(deps, payment, operation.lease_until, { upstreamKey, nextTryAt });
  return true;
}

/** It is too late to repeat the key: the outcome can be found only with the ids that a notification has brought meanwhile. */
async function recoverByLookUp(recovery: Recovery): Promise<boolean> {
  const { deps, context, payment } = recovery;
  if (!hasUpstreamIds(payment)) {
    deps.onIncident(context, 'no answer about a charge, and too late to ask for it again', payment);
    return false;
  }
  return settleByUpstreamState(recovery, payment, () =>
    settle(recovery, { after: failed(payment, 'not_processed'), cancelKey: cancelKey(payment) }),
  );
}

/**
 * Settles a payment by its present state at the upstream: its order may have been completed since it was created. If the
 * upstream cannot show the outcome although it named the payment's order or capture, the payment stays in doubt.
 * @param change commits what follows if the order is still open
 */
async function settleByUpstreamState(
  recovery: Recovery,
  known: ChangedPayment,
  change: () => Promise<boolean>,
): Promise<boolean> {
  const { deps, context, payment, connected } = recovery;
  const { port, connection } = connected;
  const state = await port.lookUp(connection, lookUpRequest(known));
  if (isSettled(state)) return settle(recovery, { after: afterOutcome(known, state) });
  switch (state.kind) {
    case 'unknown':
    case 'not_executed':
      await noteUpstream(deps.db, payment, known.upstream);
      return false;
    case 'cannot_tell':
      deps.onIncident(context, 'a charge was reported, and its outcome cannot be looked up', payment);
      return false;
    case 'nothing':
    case 'voided':
      return settle(recovery, { after: failed(known, 'not_processed') });
    case 'open':
      return change();
  }
}

/**
 * Ends a payment that was certainly not carried out and that nobody retried. Until the upstream has forgotten the key, the
 * merchant's retry may still begin it. If a notification has named its order or capture since, the state of that counts.
 * @returns whether the operation is over
 */
export async function endUnprocessed(recovery: Recovery): Promise<boolean> {
  const { payment } = recovery;
  const mayBeRetried = await isLeftToRetry(recovery);
  if (!hasUpstreamIds(payment)) {
    return !mayBeRetried && settle(recovery, { after: failed(payment, 'not_processed') });
  }
  return settleByUpstreamState(
    recovery,
    payment,
    async () =>
      !mayBeRetried &&
      settle(recovery, { after: failed(payment, 'not_processed'), cancelKey: cancelKey(payment) }),
  );
}

/** Whether the merchant's retry may still begin a charge that was certainly not carried out. */
async function isLeftToRetry({ deps, payment, context, connected }: Recovery): Promise<boolean> {
  // The buyer of a link begins another payment instead, and while this one is open it takes a place of the link.
  if (payment.payment_link_id !== null || !isKeyRemembered(payment, connected.port, context.now)) {
    return false;
  }
  const { payment_method_id: stored } = payment;
  // A retry charges no method that was removed since.
  return stored === null || (await deps.methods.store.find(payment, stored))?.removed_at === null;
}

/** Whether a payment without an answer has upstream ids, which a notification or an unanswered request has brought. */
export const hasUpstreamIds = ({ upstream }: PaymentRow): boolean => Object.keys(upstream).length > 0;
