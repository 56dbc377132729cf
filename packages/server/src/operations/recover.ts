import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep } from '../jobs/fair-queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { OperationWaits } from '../lib/operation-waits.ts';
import type { Database } from '../store/database.ts';
import {
  leaveChargesToRetries,
  releaseAbandonedOperations,
  takeDueOperations,
  tenantsWithDueOperations,
} from './due.ts';
import type { Lease, OpenOperation, OperationKind } from './operation.ts';
import { nextTry } from './retry-plan.ts';
import type { OperationStore, Row } from './store.ts';

/** How many operations are looked at at once, for each processor. */
const places = 32;

/**
 * Finds out what became of an operation that this process holds, and commits it.
 * @returns true where it is over; else it is looked at again, after the next gap of the plan, or at the time (real time)
 */
export type Recover = (operation: OpenOperation, context: AccountContext) => Promise<boolean | Date>;

/** How each kind is recovered. A sweep takes the kinds that are named. */
export type Recoveries = Readonly<Partial<Record<OperationKind, Recover>>>;

export interface RecoveryDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly operations: OperationStore;
  readonly waits: OperationWaits;
  readonly lease: () => Lease;
  readonly onTrouble: (message: string, about: Pick<Row, 'id' | 'account_id'>, error?: unknown) => void;
}

/**
 * Looks at operations that got no answer, accounts in turn. Unknown never becomes failed by time alone: that is each
 * kind's own rule.
 */
export function operationRecovery(dependencies: RecoveryDependencies, recoveries: Recoveries): Sweep {
  const { db, clock } = dependencies;
  const kinds = Object.keys(recoveries) as OperationKind[];
  const due = tenantsWithDueOperations(db);
  return perProcessor(
    (processor) =>
      new FairQueue<OpenOperation>({
        places,
        dueTenants: (after, most) => due({ now: clock.now(), after, most, processor }),
        async take(tenant, max) {
          const now = clock.now();
          await leaveChargesToRetries(db, tenant, {
            now,
            nextTryAt: (tries) => nextTry(dependencies, tries),
          });
          const rows = await takeDueOperations(db, tenant, { kinds, lease: dependencies.lease(), now, max });
          return { rows, more: rows.length === max };
        },
        work: (operation) => recoverOne(dependencies, recoveries, operation, clock.now()),
        onError: (error, { accountId }) =>
          dependencies.onTrouble('recovery failed', { id: '', account_id: accountId }, error),
      }),
    () => releaseAbandonedOperations(db, clock.now()),
  );
}

async function recoverOne(
  dependencies: RecoveryDependencies,
  recoveries: Recoveries,
  operation: OpenOperation,
  now: Date,
): Promise<void> {
  const { operations, waits, onTrouble } = dependencies;
  const row = { account_id: operation.account_id, livemode: operation.livemode, id: operation.subject };
  const leave = (at = nextTry(dependencies, operation.tries)) => operations.leaveUnknown(row, at);
  try {
    const account = await findAccount(dependencies.db, operation.account_id);
    if (account === undefined) throw new Error(`${operation.subject} belongs to no account`);
    const recover = recoveries[operation.kind];
    if (recover === undefined) throw new Error(`${operation.kind} cannot be recovered here`);
    const ended = await recover(operation, backgroundContext(account, operation.livemode, now));
    if (ended !== true) await leave(ended === false ? undefined : ended);
  } catch (error) {
    // With the database away the lease ends by itself, and the next sweep takes the operation again.
    onTrouble('recovery failed', row, error);
    await leave().catch(() => {});
  } finally {
    waits.ended(operation.subject);
  }
}
