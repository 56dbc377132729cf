import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { allows, askProcessor, leaveOpen } from './ask-processor.ts';
import { changeDispute } from './change-dispute.ts';
import type { OpenOperation } from './operations.ts';
import type { DisputeParts } from './parts.ts';

const most = 20;

/**
 * Finishes acceptances and defences that were left without an answer: asks again, under the same upstream key and with
 * the same evidence. @returns how many were looked at
 */
export async function recoverDisputes(parts: DisputeParts): Promise<number> {
  const now = parts.clock.now();
  const due = await parts.operations.takeDue(parts.lease(), now, most);
  await Promise.all(due.map((open) => recoverOne(parts, open, now)));
  return due.length;
}

async function recoverOne(parts: DisputeParts, open: OpenOperation, now: Date): Promise<void> {
  const { dispute, move } = open;
  try {
    const account = await findAccount(parts.db, dispute.account_id);
    if (account === undefined) throw new Error(`${dispute.id} belongs to no account`);
    const context = backgroundContext(account, dispute.livemode, now);
    if (!allows(dispute, move.kind)) {
      // A notification told the outcome already.
      const isSubmitted = move.kind === 'defend' && dispute.status !== 'accepted';
      await changeDispute(parts, context, {
        before: dispute,
        after: dispute,
        endsOperation: true,
        isSubmitted,
      });
      return;
    }
    const asked = await askProcessor(parts, context, open, null);
    if (asked.kind === 'refused') parts.onTrouble(`the processor refused: ${asked.message}`, dispute);
  } catch (error) {
    // With the database away the lease ends by itself, and the next sweep takes the operation again.
    parts.onTrouble('recovery of a dispute failed', dispute, error);
    await leaveOpen(parts, open).catch(() => {});
  }
}
