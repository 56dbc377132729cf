import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep } from '../jobs/fair-queue.ts';
import type { Lease } from '../operations/operation.ts';
import { connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import { allows, askProcessor, leaveOpen } from './ask-processor.ts';
import { changeDispute } from './change-dispute.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';

/** How many are asked about at once, for each processor. */
const places = 16;

interface TakenDispute {
  readonly dispute: DisputeRow;
  readonly lease: Lease;
}

/**
 * Finishes acceptances and defences that were left without an answer: asks again, under the same upstream key and with
 * the same evidence.
 */
export function disputeRecovery(parts: DisputeParts): Sweep {
  const { clock, operations } = parts;
  return perProcessor(
    (processor) =>
      new FairQueue<TakenDispute>({
        places,
        dueTenants: (after, most) => operations.tenantsDue({ now: clock.now(), after, most, processor }),
        async take(tenant, most) {
          const lease = parts.lease();
          const rows = await operations.takeDue(tenant, { lease, now: clock.now(), most });
          return { rows: rows.map((dispute) => ({ dispute, lease })), more: rows.length === most };
        },
        work: (taken) => recoverOne(parts, taken, clock.now()),
        onError: (error, { accountId }) =>
          parts.onTrouble('recovery of a dispute failed', { id: '', account_id: accountId }, error),
      }),
    () => operations.releaseAbandoned(clock.now()),
  );
}

/** Finishes everything that is due. @returns how many disputes were looked at */
export const recoverDisputes = (parts: DisputeParts): Promise<number> => disputeRecovery(parts).run();

async function recoverOne(parts: DisputeParts, { dispute, lease }: TakenDispute, now: Date): Promise<void> {
  try {
    const account = await findAccount(parts.db, dispute.account_id);
    if (account === undefined) throw new Error(`${dispute.id} belongs to no account`);
    const context = backgroundContext(account, dispute.livemode, now);
    const open = await parts.operations.open(dispute, lease);
    const { move } = open;
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
    if (connectionOf(parts, context, dispute) === undefined) {
      parts.onTrouble(waitsForConnection, dispute);
      await leaveOpen(parts, open);
      return;
    }
    const asked = await askProcessor(parts, context, open, null);
    if (asked.kind === 'refused') parts.onTrouble(`the processor refused: ${asked.message}`, dispute);
  } catch (error) {
    // With the database away the lease ends by itself, and the next sweep takes the operation again.
    parts.onTrouble('recovery of a dispute failed', dispute, error);
    await leaveOpen(parts, { dispute, lease }).catch(() => {});
  }
}
