import type { AccountContext } from '../../accounts/context.ts';
import { backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairSweep, type Sweep } from '../../jobs/fair-sweep.ts';
import type { Tenant } from '../../store/tenant.ts';
import { changeUntilWritten } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { takeOverdueDisputes, tenantsWithOverdueDisputes } from './due-disputes.ts';

/** How many disputes are accepted concurrently. */
const places = 8;

const conclusionKey = ({ id }: DisputeRow) => `${id}:x`;

/** Whether the deadline for an answer has passed. @param now account time */
const isOverdue = (dispute: DisputeRow, now: Date): boolean =>
  dispute.status === 'action_required' &&
  dispute.respond_by !== null &&
  now.getTime() >= dispute.respond_by.getTime();

/**
 * Accepts a dispute that nobody answered in time (decisions, "Disputes"); returns any other dispute unchanged. Since the
 * processor has not reported this, a later update from it takes precedence (`merge-facts.ts`). Does nothing while an operation is
 * in flight, because its outcome is unknown.
 */
export async function expireIfOverdue(
  deps: DisputeDependencies,
  context: AccountContext,
  dispute: DisputeRow,
): Promise<DisputeRow> {
  if (!isOverdue(dispute, context.now) || dispute.operation !== null) return dispute;
  const begun = await deps.operations.begin({
    subject: dispute,
    kind: 'conclude',
    upstreamKey: conclusionKey(dispute),
    at: context.now,
    lease: deps.lease(),
    claim: null,
  });
  if (begun === 'begun') await finishConclusion(deps, context, dispute);
  return (await deps.store.find(context, dispute.id)) ?? dispute;
}

/** Completes a conclusion. The caller holds its operation. */
export async function finishConclusion(
  deps: DisputeDependencies,
  context: AccountContext,
  read: DisputeRow,
): Promise<void> {
  await changeUntilWritten(
    deps,
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

/** Accepts disputes that nobody answered in time. @param only restricts it to one tenant; omitted for all accounts */
export function disputeExpiry(deps: DisputeDependencies, only?: Tenant): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithOverdueDisputes(db);
  return new FairSweep<DisputeRow>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null, only }),
    async take(tenant, max) {
      const rows = await takeOverdueDisputes(db, tenant, { now: clock.now(), max });
      return { rows, more: rows.length === max };
    },
    work: (dispute, tenant) => expireOne(deps, tenant, dispute),
    onError: (error, tenant) => deps.onIncident(tenant, 'disputes could not be expired', null, error),
  });
}

/** Runs `disputeExpiry` once. @returns the number of disputes processed */
export const expireDisputes = (deps: DisputeDependencies, only?: Tenant): Promise<number> =>
  disputeExpiry(deps, only).run();

async function expireOne(deps: DisputeDependencies, tenant: Tenant, dispute: DisputeRow): Promise<void> {
  try {
    const account = await findAccount(deps.db, tenant.accountId);
    if (account === undefined) return;
    await expireIfOverdue(deps, backgroundContext(account, tenant.livemode, deps.clock.now()), dispute);
  } catch (error) {
    deps.onIncident(tenant, 'a dispute could not be expired', dispute, error);
  }
}
