import type { AccountContext } from '../accounts/context.ts';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, type Sweep, type Tenant } from '../jobs/fair-queue.ts';
import { changeUntilWritten } from './change-dispute.ts';
import { takeOverdueDisputes, tenantsWithOverdueDisputes } from './due-disputes.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';

/** How many are accepted at once. */
const places = 8;

const conclusionKey = ({ id }: DisputeRow) => `${id}:x`;

/** True where the time for an answer is over. @param now account time */
const isOverdue = (dispute: DisputeRow, now: Date): boolean =>
  dispute.status === 'action_required' &&
  dispute.respond_by !== null &&
  now.getTime() >= dispute.respond_by.getTime();

/**
 * Accepts a dispute that nobody answered in time (decisions, "Disputes"); any other comes back as it is. That is our own
 * conclusion, so the processor's later word still counts (`learn.ts`). While the processor is being asked nothing is
 * decided: what it says is not known yet.
 */
export async function expireIfOverdue(
  parts: DisputeParts,
  context: AccountContext,
  dispute: DisputeRow,
): Promise<DisputeRow> {
  if (!isOverdue(dispute, context.now) || dispute.operation !== null) return dispute;
  const begun = await parts.operations.begin({
    subject: dispute,
    kind: 'conclude',
    upstreamKey: conclusionKey(dispute),
    at: context.now,
    lease: parts.lease(),
    claim: null,
  });
  if (begun === 'begun') await finishConclusion(parts, context, dispute);
  return (await parts.store.find(context, dispute.id)) ?? dispute;
}

/** The rest of a conclusion whose operation is ours. */
export async function finishConclusion(
  parts: DisputeParts,
  context: AccountContext,
  read: DisputeRow,
): Promise<void> {
  await changeUntilWritten(
    parts,
    context,
    read,
    (before) => ({
      before,
      after: isOverdue(before, context.now)
        ? { ...before, status: 'accepted', concluded_by: 'deadline' }
        : before,
      operation: { key: conclusionKey(before), end: 'concluded' },
    }),
    null,
  );
}

/** Accepts the disputes that nobody answered in time. @param only one tenant's; absent: those of all accounts */
export function disputeExpiry(parts: DisputeParts, only?: Tenant): Sweep {
  const { db, clock } = parts;
  const due = tenantsWithOverdueDisputes(db);
  return new FairQueue<DisputeRow>({
    places,
    dueTenants: (after, most) => due({ now: clock.now(), after, most, processor: null, only }),
    async take(tenant, most) {
      const rows = await takeOverdueDisputes(db, tenant, { now: clock.now(), most });
      return { rows, more: rows.length === most };
    },
    work: (dispute) => expireOne(parts, dispute, clock.now()),
    onError: (error, { accountId }) =>
      parts.onTrouble('disputes could not be expired', { id: '', account_id: accountId }, error),
  });
}

/** Accepts everything that nobody answered in time. @returns how many disputes were looked at */
export const expireDisputes = (parts: DisputeParts, only?: Tenant): Promise<number> =>
  disputeExpiry(parts, only).run();

async function expireOne(parts: DisputeParts, dispute: DisputeRow, now: Date): Promise<void> {
  try {
    const account = await findAccount(parts.db, dispute.account_id);
    if (account === undefined) return;
    await expireIfOverdue(parts, backgroundContext(account, dispute.livemode, now), dispute);
  } catch (error) {
    parts.onTrouble('a dispute could not be expired', dispute, error);
  }
}
