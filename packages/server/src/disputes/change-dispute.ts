import type { EventType } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { type DisputeMail, disputeGoesOn, disputeOpened, disputeOutcome } from '../mail/dispute-mails.ts';
import { buildMails, type MailMessage } from '../mail/queue-mail.ts';
import type { NewMail } from '../mail/store.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { type DisputeRow, disputedAmount, presentDispute } from './present.ts';
import { isClosed } from './state.ts';
import type { EndedOperation } from './store.ts';

/** Serializes a dispute to the API's JSON. */
export const writeDispute = (
  deps: DisputeDependencies,
  context: Pick<AccountContext, 'livemode'>,
  dispute: DisputeRow,
): string => deps.write(presentDispute(dispute, context));

/** The data of a dispute that mails contain. */
export function mailFor(
  dispute: DisputeRow,
  { accountName, timeZone, livemode }: AccountContext,
): DisputeMail {
  return {
    id: dispute.id,
    accountName,
    timeZone,
    livemode,
    paymentId: dispute.payment_id,
    ...disputedAmount(dispute),
    state: dispute.state,
    status: dispute.status,
    reason: dispute.reason ?? 'general',
    respondBy: dispute.respond_by,
    byDeadline: dispute.concluded_by === 'deadline',
  };
}

function eventFor(
  deps: DisputeDependencies,
  context: AccountContext,
  dispute: DisputeRow,
  type: EventType,
): NewEvent {
  return {
    id: newId('evt', deps.clock.now(), deps.randomBytes),
    type,
    sequence: dispute.event_count + 1,
    created: context.now,
    object: writeDispute(deps, context, dispute),
  };
}

async function mailsFor(
  deps: DisputeDependencies,
  context: AccountContext,
  message: MailMessage | null,
): Promise<NewMail[]> {
  return message === null ? [] : buildMails(deps.mail, context.accountId, message);
}

/**
 * Records a new dispute with its event and mails.
 * @throws a database error naming `knownDispute` if it is on record already
 */
export async function recordDispute(
  deps: DisputeDependencies,
  context: AccountContext,
  dispute: DisputeRow,
): Promise<void> {
  const update = mailFor(dispute, context);
  await deps.store.insert(dispute, {
    event: eventFor(deps, context, dispute, 'dispute.created'),
    mails: await mailsFor(
      deps,
      context,
      isClosed(dispute.status) ? disputeOutcome(update) : disputeOpened(update),
    ),
  });
}

export interface DisputeChange {
  /** The dispute as it was read. */
  readonly before: DisputeRow;
  readonly after: DisputeRow;
  /** How the dispute's operation ended (`submitted`: the processor accepted the evidence); omitted if it does not end. */
  readonly operation?: EndedOperation;
  readonly claim?: Claim | null;
}

/**
 * Commits a change of a dispute with its event, its mails and the response stored for the idempotency key. A change that does not
 * show in the API has no event.
 * @returns the dispute's JSON after the change, or undefined, with nothing written, if the dispute changed concurrently
 */
export async function changeDispute(
  deps: DisputeDependencies,
  context: AccountContext,
  { before, after, operation, claim = null }: DisputeChange,
): Promise<string | undefined> {
  const text = writeDispute(deps, context, after);
  const moved = before.status !== after.status || before.state !== after.state;
  const type = moved && isClosed(after.status) ? 'dispute.closed' : 'dispute.updated';
  const change = {
    dispute: after,
    event: text === writeDispute(deps, context, before) ? null : eventFor(deps, context, after, type),
    mails: moved ? await mailsFor(deps, context, messageAfter(before, after, context)) : [],
    at: context.now,
    operation: operation ?? null,
    answer: claim && { claim, body: text },
  };
  const done = await deps.operations.pastFence(() => deps.store.settle(change), context.suspend);
  return done ? text : undefined;
}

/**
 * Commits the change that the processor's answer causes, and retries if a notification changed the dispute concurrently.
 * @returns the dispute's JSON after the change
 */
export async function changeUntilWritten(
  deps: DisputeDependencies,
  context: AccountContext,
  read: DisputeRow,
  change: (before: DisputeRow) => DisputeChange,
  claim: Claim | null,
): Promise<string> {
  for (let before = read; ; ) {
    const text = await changeDispute(deps, context, { ...change(before), claim });
    if (text !== undefined) return text;
    const current = await deps.store.find(context, before.id);
    if (current === undefined) throw new Error(`${before.id} is gone`);
    before = current;
  }
}

function messageAfter(before: DisputeRow, after: DisputeRow, context: AccountContext): MailMessage | null {
  const update = mailFor(after, context);
  if (isClosed(after.status)) return disputeOutcome(update);
  if (after.status === 'action_required') return disputeOpened(update);
  // The previous mail reported the dispute as accepted, so this one corrects it.
  return before.concluded_by === 'deadline' ? disputeGoesOn(update) : null;
}
