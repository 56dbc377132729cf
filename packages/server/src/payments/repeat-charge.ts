import { newId } from '../lib/ids.ts';
import type { ChargeOutcome } from '../processors/port.ts';
import { awaitRetry } from './charge-keys.ts';
import { isKeyRemembered, rebuildChargeRequest, type StoredRequest } from './charge-request.ts';
import { discardPayment } from './discard-payment.ts';
import { cancelKey, expiryCode } from './expire-payments.ts';
import { isWindowOver, type PaymentRow } from './present.ts';
import { isSettled, lookUp, type Recovery, settle } from './recovery.ts';
import {
  afterOutcome,
  afterRequiredAction,
  type ChangedPayment,
  failed,
  nextTry,
  withFacts,
} from './settle-payment.ts';

/**
 * Asks for the answer of a charge that got none, by repeating its key without card data. What the buyer was to
 * go on with is completed. What was certainly not carried out stays open to the merchant's retry, which has the card.
 * @returns whether the operation is over
 */
export async function repeatCharge(recovery: Recovery): Promise<boolean> {
  const { parts, context, payment, operation, connected } = recovery;
  // The upstream answers a repeat of the key with what it did first, as long as it remembers the key.
  if (!isKeyRemembered(payment, connected.port, context.now)) return recoverByLookUp(recovery);
  const stored = await parts.store.requestOf<StoredRequest>(payment);
  const outcome = await connected.port.charge(
    connected.connection,
    await rebuildChargeRequest(parts, context, payment, operation, stored),
  );
  if (isSettled(outcome)) return settle(recovery, afterOutcome(payment, outcome));
  switch (outcome.kind) {
    case 'requires_action':
      return completeOffer(recovery, outcome);
    case 'not_carried_out':
      return leaveToRetry(recovery);
    case 'missing_approval_url':
    case 'cannot_save':
      // Its request was never answered, so its key is free as well.
      await discardPayment(parts, payment, {
        claim: null,
        customerIsNew: typeof stored.customer === 'object',
        upstream: outcome.facts.upstream,
        leaseUntil: operation.lease_until,
        at: context.now,
      });
      return true;
    case 'unknown':
    case 'not_executed':
      return false;
  }
}

/** The order stands upstream with its link: the payment waits for its buyer, as if the answer had come. */
async function completeOffer(
  recovery: Recovery,
  outcome: Extract<ChargeOutcome, { kind: 'requires_action' }>,
): Promise<boolean> {
  const { payment } = recovery;
  const after = afterRequiredAction(payment, outcome);
  return whereOpen(recovery, withFacts(payment, outcome.facts), () =>
    isWindowOver(after, recovery.context.now)
      ? settle(recovery, failed(after, expiryCode(after)), cancelKey(after))
      : settle(recovery, after),
  );
}

/** Under the key that was asked for stands an order without a card: the retry, which brings one, gets a key of its own. */
async function leaveToRetry({ parts, payment, operation }: Recovery): Promise<true> {
  const upstreamKey = `${payment.id}:${newId('op', parts.clock.now(), parts.randomBytes)}`;
  const nextTryAt = nextTry(parts, operation.tries);
  await awaitRetry(parts, payment, operation.lease_until, { upstreamKey, nextTryAt });
  return true;
}

/** Too late to repeat the key: only what a notification told of the payment's ids meanwhile leads to its end. */
async function recoverByLookUp(recovery: Recovery): Promise<boolean> {
  const { parts, payment } = recovery;
  if (payment.upstream.order === undefined) {
    parts.onTrouble('no answer about a charge, and too late to ask for it again', payment);
    return false;
  }
  return whereOpen(recovery, payment, () =>
    settle(recovery, failed(payment, 'not_processed'), cancelKey(payment)),
  );
}

/** The order exists upstream, and may have been completed: its present state counts, not what it was created as. */
async function whereOpen(
  recovery: Recovery,
  known: ChangedPayment,
  act: () => Promise<boolean>,
): Promise<boolean> {
  const state = await lookUp({ ...recovery, payment: known });
  if (isSettled(state)) return settle(recovery, afterOutcome(known, state));
  switch (state.kind) {
    case 'unknown':
    case 'not_executed':
      // Once it is too late to repeat the key, only these ids lead to the end.
      await recovery.parts.store.noteUpstream(recovery.payment, known.upstream);
      return false;
    case 'nothing':
    case 'voided':
      return settle(recovery, failed(known, 'not_processed'));
    case 'open':
    case 'cannot_tell':
      return act();
  }
}

/**
 * Ends a payment that was certainly not carried out and that nobody retried, once the upstream has forgotten the key: until
 * then the merchant's retry may still begin it. Where a notification has named its order since, that order's state counts.
 * @returns whether the operation is over
 */
export async function endUnprocessed(recovery: Recovery): Promise<boolean> {
  const { payment, context, connected } = recovery;
  const mayBeRetried = isKeyRemembered(payment, connected.port, context.now);
  if (!namesUpstream(payment)) return !mayBeRetried && settle(recovery, failed(payment, 'not_processed'));
  return whereOpen(
    recovery,
    payment,
    async () => !mayBeRetried && settle(recovery, failed(payment, 'not_processed'), cancelKey(payment)),
  );
}

/** Whether a notification has named what the upstream made of a payment that has no answer yet. */
export const namesUpstream = ({ upstream }: PaymentRow): boolean => Object.keys(upstream).length > 0;
