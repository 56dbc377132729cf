import { type Provider, providers } from '@till/contract';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairSweep, type Sweep, together } from '../jobs/fair-sweep.ts';
import type { Clock } from '../lib/clock.ts';
import type { OperationWaits } from '../lib/waiting/operation-waits.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import {
  leaveChargesToRetries,
  releaseAbandonedOperations,
  takeDueOperations,
  tenantsWithDueOperations,
} from './due.ts';
import {
  type Lane,
  type Lease,
  lanes,
  type OnIncident,
  type OpenOperation,
  type OperationKind,
} from './operation.ts';
import { nextTry } from './retry-plan.ts';
import type { OperationStore } from './store.ts';

/** How many operations of a lane are recovered at the same time, for each processor. */
const places: Readonly<Record<Lane, number>> = { payments: 32, refunds: 32, disputes: 16, removals: 16 };

/**
 * Finds out the outcome of an operation that this process holds, and commits it.
 * @returns true if the operation is over; false to try again after the next gap of the retry plan; a date to try again then
 *   (real time)
 */
export type Recover = (operation: OpenOperation, context: AccountContext) => Promise<boolean | Date>;

/** How each kind is recovered. A sweep covers the lanes of the kinds that are named here. */
export type Recoveries = Readonly<Partial<Record<OperationKind, Recover>>>;

export interface RecoveryDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly operations: OperationStore;
  readonly waits: OperationWaits;
  readonly lease: () => Lease;
  readonly onIncident: OnIncident;
}

/**
 * Resumes operations without a definite answer, round robin over the accounts. An unknown outcome never becomes a failure just
 * because time has passed: when it does is a rule of each kind.
 */
export function operationRecovery(dependencies: RecoveryDependencies, recoveries: Recoveries): Sweep {
  const { db, clock } = dependencies;
  const named = (Object.keys(lanes) as Lane[]).filter((lane) =>
    lanes[lane].some((kind) => kind in recoveries),
  );
  return together(
    named.flatMap((lane) => providers.map((processor) => queueOf(dependencies, recoveries, lane, processor))),
    () => releaseAbandonedOperations(db, clock.now()),
  );
}

function queueOf(
  dependencies: RecoveryDependencies,
  recoveries: Recoveries,
  lane: Lane,
  processor: Provider,
): Sweep {
  const { db, clock } = dependencies;
  const due = tenantsWithDueOperations(db, lane);
  return new FairSweep<OpenOperation>({
    places: places[lane],
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor }),
    async take(tenant, max) {
      const now = clock.now();
      if (lane === 'payments') {
        const nextTryAt = (tries: number) => nextTry(dependencies, tries);
        await leaveChargesToRetries(db, tenant, { now, nextTryAt });
      }
      const rows = await takeDueOperations(db, tenant, { lane, lease: dependencies.lease(), now, max });
      return { rows, more: rows.length === max };
    },
    work: (operation, tenant) => recoverOne(dependencies, recoveries, operation, tenant),
    onError: (error, tenant) => dependencies.onIncident(tenant, 'recovery failed', null, error),
  });
}

async function recoverOne(
  dependencies: RecoveryDependencies,
  recoveries: Recoveries,
  operation: OpenOperation,
  tenant: Tenant,
): Promise<void> {
  const { operations, waits, onIncident } = dependencies;
  const row = { tenant: operation.tenant, id: operation.subject };
  const leave = (at = nextTry(dependencies, operation.tries)) =>
    operations.leaveUnknown(row, operation.lease_until, at);
  try {
    const account = await findAccount(dependencies.db, tenant.accountId);
    if (account === undefined) throw new Error(`${operation.subject} belongs to no account`);
    const recover = recoveries[operation.kind];
    if (recover === undefined) throw new Error(`${operation.kind} cannot be recovered here`);
    const ended = await recover(
      operation,
      backgroundContext(account, tenant.livemode, dependencies.clock.now()),
    );
    if (ended !== true) await leave(ended === false ? undefined : ended);
  } catch (error) {
    // If the database cannot be reached, the lease ends by itself, and the next sweep takes the operation again.
    onIncident(tenant, 'recovery failed', row, error);
    await leave().catch(() => {});
  } finally {
    waits.ended(operation.subject);
  }
}
