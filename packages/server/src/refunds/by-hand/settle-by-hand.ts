import type { AccountContext } from '../../accounts/context.ts';
import { lockOperation } from '../../operations/lock.ts';
import type { RefundFailure } from '../../processors/port/refunds.ts';
import type { Queryable } from '../../store/database.ts';
import { type AuditDependencies, writeAudit } from '../../users/audit/audit.ts';
import { type CommitDependencies, commitRefund } from '../commit-refund.ts';
import { settleRefund } from '../refund.ts';
import type { RefundRow } from '../row.ts';
import { RefundStore } from '../store.ts';

/** The outcome that the operator found at the processor for a refund without answer or notification, and the reason. */
export interface Finding {
  readonly status: 'succeeded' | 'failed';
  readonly reason: string;
}

/** Why the operator cannot end a refund. `asked`: a request to the processor is in flight. */
export type NotByHand = 'unknown' | 'settled' | 'asked';

type Dependencies = Omit<AuditDependencies, 'db'> & Pick<CommitDependencies, 'write' | 'mail'>;

const notCarriedOut: RefundFailure = {
  code: 'not_processed',
  message: 'The processor did not carry the refund out.',
};

/**
 * Ends a pending refund with the outcome that the operator gives, if its answer or notification is lost for good. No other code
 * fails a refund that may have been executed. Ends its operation, and commits its event and the audit log entry with it.
 * @param tx a transaction; the rows of the refund and its operation stay locked until it ends, which excludes recovery and
 *   notifications
 * @returns the refund after the change, or why it cannot be ended
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
  // The processor has executed the refund, and it is about to be shown as succeeded.
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

/** Locks the refund's row and reads it. Every commit of a refund locks this row before its operation. */
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
