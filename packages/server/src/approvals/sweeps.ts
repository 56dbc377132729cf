import { ApiError } from '@till/contract';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairSweep, type Sweep } from '../jobs/fair-sweep.ts';
import type { Tenant } from '../store/tenant.ts';
import { decide } from './decide.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import type { ApprovalRow } from './row.ts';
import { runTaken } from './run.ts';
import {
  overdueApprovals,
  takeApprovalsToRun,
  tenantsWithApprovalsToRun,
  tenantsWithOverdueApprovals,
} from './store.ts';

/** How many approvals are processed concurrently. */
const places = 4;

/** Runs approved requests that the request with the decision did not complete. */
export function approvalRuns(deps: ApprovalDependencies): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithApprovalsToRun(db);
  return new FairSweep<ApprovalRow>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null }),
    async take(tenant, max) {
      const rows = await takeApprovalsToRun(db, tenant, { now: clock.now(), max });
      return { rows, more: rows.length === max };
    },
    work: (row, tenant) =>
      runTaken(deps, tenant, row).catch((error: unknown) =>
        deps.onIncident(tenant, 'what was approved could not be done', row, error),
      ),
    onError: (error, tenant) => deps.onIncident(tenant, 'approvals could not be run', null, error),
  });
}

/** Expires approvals that nobody decided in time. @param only restricts it to one tenant; omitted for all accounts */
export function approvalExpiry(deps: ApprovalDependencies, only?: Tenant): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithOverdueApprovals(db);
  return new FairSweep<ApprovalRow>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null, only }),
    take: async (tenant, max) => ({
      rows: await overdueApprovals(db, tenant, { now: clock.now(), max }),
      more: false,
    }),
    work: (row, tenant) => expireOne(deps, tenant, row),
    onError: (error, tenant) => deps.onIncident(tenant, 'approvals could not be closed', null, error),
  });
}

/** Runs `approvalExpiry` once. @returns the number of approvals processed */
export const expireApprovals = (deps: ApprovalDependencies, only?: Tenant): Promise<number> =>
  approvalExpiry(deps, only).run();

async function expireOne(deps: ApprovalDependencies, tenant: Tenant, row: ApprovalRow): Promise<void> {
  try {
    const account = await findAccount(deps.db, tenant.accountId);
    if (account === undefined) return;
    const context = backgroundContext(account, tenant.livemode, deps.clock.now());
    await decide(deps, deps.db, context, row.id, { status: 'expired', by: null, reason: null });
    deps.wake(tenant.accountId);
  } catch (error) {
    // A person decided at the last moment.
    if (error instanceof ApiError) return;
    deps.onIncident(tenant, 'an approval could not be closed', row, error);
  }
}
