import type { AccountContext } from '../../accounts/context.ts';
import { backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairSweep, type Sweep } from '../../jobs/fair-sweep.ts';
import type { Tenant } from '../../store/tenant.ts';
import { changeUntilWritten } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { takeOverdueDisputes, tenantsWithOverdueDisputes } from './due-disputes.ts';

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
 * conclusion, so the processor's later word still counts (`merge-facts.ts`). While the processor is being asked nothing is
 * decided: what it says is not known yet.
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

/** The rest of a conclusion whose operation is ours. */
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

/** Accepts the disputes that nobody answered in time. @param only one tenant's; absent: those of all accounts */
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

/** Accepts everything that nobody answered in time. @returns how many disputes were looked at */
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
