import type { AccountContext } from '../accounts/context.ts';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { changeDispute } from './change-dispute.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';
import { overdueDisputes } from './reads.ts';

const most = 200;

/** True where the time for an answer is over. @param now account time */
const isOverdue = (dispute: DisputeRow, now: Date): boolean =>
  dispute.status === 'action_required' &&
  dispute.respond_by !== null &&
  now.getTime() >= dispute.respond_by.getTime();

/**
 * Accepts a dispute that nobody answered in time (decisions, "Disputes"); any other comes back as it is. While the
 * processor is being asked nothing is decided: what it says is not known yet.
 */
export async function expireIfOverdue(
  parts: DisputeParts,
  context: AccountContext,
  dispute: DisputeRow,
): Promise<DisputeRow> {
  if (!isOverdue(dispute, context.now) || dispute.operation !== null) return dispute;
  await changeDispute(parts, context, { before: dispute, after: { ...dispute, status: 'accepted' } });
  return (await parts.store.find(context, dispute.id)) ?? dispute;
}

/** Accepts the disputes of all accounts that nobody answered in time. @returns how many were looked at */
export async function expireDisputes(parts: DisputeParts): Promise<number> {
  const now = parts.clock.now();
  const overdue = await overdueDisputes(parts.db, now, most);
  for (const dispute of overdue) {
    try {
      const account = await findAccount(parts.db, dispute.account_id);
      if (account === undefined) continue;
      await expireIfOverdue(parts, backgroundContext(account, dispute.livemode, now), dispute);
    } catch (error) {
      parts.onTrouble('a dispute could not be expired', dispute, error);
    }
  }
  return overdue.length;
}
