import type { AccountContext } from '../../accounts/context.ts';
import { lockOperation } from '../../operations/lock.ts';
import type { RefundFailure } from '../../processors/port/refunds.ts';
import type { Queryable } from '../../store/database.ts';
import { type AuditDependencies, writeAudit } from '../../users/audit/audit.ts';
import { type CommitDependencies, commitRefund } from '../commit-refund.ts';
import { settleRefund } from '../refund.ts';
import type { RefundRow } from '../row.ts';
import { RefundStore } from '../store.ts';

/** What the operator found out at the processor about a refund of which nothing came, and why they say so. */
export interface Finding {
  readonly status: 'succeeded' | 'failed';
  readonly reason: string;
}

/** Why a refund is not the operator's to end. `asked`: a process asks the processor for it at this moment. */
export type NotByHand = 'unknown' | 'settled' | 'asked';

type Dependencies = Omit<AuditDependencies, 'db'> & Pick<CommitDependencies, 'write' | 'mail'>;

const notCarriedOut: RefundFailure = {
  code: 'not_processed',
  message: 'The processor did not carry the refund out.',
};

/**
 * Ends a pending refund whose answer, or notification, is lost for good, as the operator says: the only way in which one fails
 * that may have been carried out. What is asked under its key is over; its event, and the entry in the audit log, are committed with it.
 * @param tx a transaction: both rows stay locked until its end, so that neither recovery nor a notification comes between
 * @returns the refund as it is then, or why it is not ended
 */
export async function settleByHand(
  deps: Dependencies,
  tx: Queryable,
  context: AccountContext,
  id: string,
  { status, reason }: Finding,
): Promise<RefundRow | NotByHand> {
  const store = new RefundStore(tx);
  const before = await lockedRefund(tx, store, context, id);
  if (before === undefined) return 'unknown';
  if (before.status !== 'pending') return 'settled';
  const now = deps.clock.now();
  const open = await lockOperation(tx, before, now);
  // The processor has made it, and it is about to be shown so.
  if (open?.kind === 'settle_refund') return 'settled';
  if (open?.free === false) return 'asked';
  const change =
    status === 'succeeded'
      ? { after: { ...before, status }, next: null }
      : settleRefund(
          before,
          { kind: 'failed', upstreamId: null, failure: notCarriedOut },
          { now, shown: 'at_once' },
        );
  const commit: CommitDependencies = {
    ...deps,
    store,
    mail: { ...deps.mail, db: tx },
    operations: { pastFence: (write) => write() },
    onSettled: () => {},
  };
  if ((await commitRefund(commit, context, before, change, null)) === undefined) return 'settled';
  const { payment_id: payment, amount, currency } = before;
  await writeAudit(
    { ...deps, db: tx },
    {
      ...context,
      actor: { type: 'operator' },
      action: 'refund.settled',
      objectId: id,
      before: { status: before.status },
      after: { payment, amount, currency, status, reason },
      ip: null,
    },
  );
  return change.after;
}

/** The refund's row is locked before its operation, as every commit of a refund does it. */
async function lockedRefund(
  tx: Queryable,
  store: RefundStore,
  context: AccountContext,
  id: string,
): Promise<RefundRow | undefined> {
  await tx.query({
    name: 'lock_refund',
    text: 'select 1 from refunds where tenant = $1 and id = $2 for update',
    values: [context.tenant, id],
    scope: context,
  });
  return store.find(context, id);
}
