import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { buildMails } from '../mail/queue-mail.ts';
import { failedRefundMail } from '../mail/refund-mails.ts';
import type { NewMail } from '../mail/store.ts';
import type { OperationStore } from '../operations/store.ts';
import type { RefundDependencies } from './dependencies.ts';
import { presentRefund, type RefundRow } from './row.ts';
import { canTransition, eventOfRefund } from './state.ts';

/** Dependencies of the commit of a refund. With a store on a transaction, the commit becomes part of that transaction. */
export type CommitDependencies = Pick<
  RefundDependencies,
  'clock' | 'randomBytes' | 'store' | 'mail' | 'write' | 'onSettled'
> & { readonly operations: Pick<OperationStore, 'pastFence'> };

export const writeRefund = (
  deps: Pick<RefundDependencies, 'write'>,
  context: Pick<AccountContext, 'livemode'>,
  refund: RefundRow,
): string => deps.write(presentRefund(refund, context));

/** The change of a refund that an answer or notification causes. */
export interface RefundChange {
  readonly after: RefundRow;
  /** The kind in which its operation continues, and when that is due (real time); null if the operation ends. */
  readonly next: { readonly kind: 'track_refund' | 'settle_refund'; readonly at: Date } | null;
}

/**
 * Commits a refund's change together with its event, the amount returned to the payment if it fails, and the response stored for
 * its idempotency key.
 * @returns the response, or undefined, with nothing written, if the refund changed concurrently
 */
export async function commitRefund(
  deps: CommitDependencies,
  context: AccountContext,
  before: RefundRow,
  { after, next }: RefundChange,
  claim: Claim | null,
): Promise<{ status: 201; text: string } | undefined> {
  const moved = before.status !== after.status;
  if (moved && !canTransition(before.status, after.status)) {
    throw new Error(`a refund cannot go from ${before.status} to ${after.status}`);
  }
  const text = writeRefund(deps, context, after);
  const change = {
    refund: after,
    next,
    givesBack: moved && after.status === 'failed',
    event: moved ? eventFor(deps, context, after, text, claim) : null,
    mails: moved && after.status === 'failed' ? await failureMails(deps, context, after) : null,
    answer: claim && { claim, status: 201, body: text },
  };
  const won = await deps.operations.pastFence(() => deps.store.change(change), context.suspend);
  if (won === undefined) return undefined;
  if (moved) deps.onSettled(after, context, won.hasDeliveries);
  return { status: 201, text };
}

/** Mails to the owners and admins, because the buyer waits for money that does not arrive. */
const failureMails = (
  { mail }: CommitDependencies,
  { accountId, accountName, livemode }: AccountContext,
  { id, payment_id: paymentId, amount, currency, failure_message: message }: RefundRow,
): Promise<NewMail[]> =>
  buildMails(
    mail,
    accountId,
    failedRefundMail({
      accountName,
      livemode,
      paymentId,
      refundId: id,
      amount,
      currency,
      reason: message ?? 'not named',
    }),
  );

function eventFor(
  deps: CommitDependencies,
  context: AccountContext,
  refund: RefundRow,
  text: string,
  claim: Claim | null,
): NewEvent | null {
  if (refund.status === 'pending') return null;
  return {
    id: claim?.eventId ?? newId('evt', deps.clock.now(), deps.randomBytes),
    type: eventOfRefund[refund.status],
    sequence: refund.event_count + 1,
    created: context.now,
    object: text,
  };
}
