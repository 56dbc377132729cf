import { backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairSweep, type Sweep } from '../../jobs/fair-sweep.ts';
import { disputeReminder } from '../../mail/dispute-mails.ts';
import { buildMails } from '../../mail/queue-mail.ts';
import type { Tenant } from '../../store/tenant.ts';
import { mailFor } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { draftsOf } from '../drafts.ts';
import type { DisputeRow } from '../present.ts';
import { takeDisputesToRemindOf, tenantsWithDisputesToRemindOf } from './due-disputes.ts';

/** How many reminders are sent concurrently. */
const places = 8;
const hourMs = 3_600_000;
/** Hours before the deadline at which people are reminded, once each, that an answer is due. */
const reminderHours = [72, 24] as const;

/**
 * Returns which reminder of a dispute is due: 1 for the first, 2 for the second, 0 for none. A reminder is skipped if less time
 * than its hours was left when the answer became due, because people were notified then. @param now account time
 */
function dueReminder(dispute: DisputeRow, now: Date): number {
  const { respond_by: respondBy, action_since: since, reminders } = dispute;
  if (dispute.status !== 'action_required' || respondBy === null) return 0;
  if (now.getTime() >= respondBy.getTime()) return 0;
  const due = reminderHours.findLastIndex((hours) => {
    const from = respondBy.getTime() - hours * hourMs;
    return now.getTime() >= from && (since === null || since.getTime() < from);
  });
  return due + 1 > reminders ? due + 1 : 0;
}

/** Sends due reminders, each once. @param only restricts it to one tenant; omitted for all accounts */
export function disputeReminders(deps: DisputeDependencies, only?: Tenant): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithDisputesToRemindOf(db);
  return new FairSweep<DisputeRow>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null, only }),
    async take(tenant, max) {
      const rows = await takeDisputesToRemindOf(db, tenant, { now: clock.now(), max });
      return { rows, more: rows.length === max };
    },
    async work(dispute, tenant) {
      try {
        await remindOf(deps, tenant, dispute);
      } catch (error) {
        deps.onIncident(tenant, 'people could not be reminded of a dispute', dispute, error);
      }
    },
    onError: (error, tenant) =>
      deps.onIncident(tenant, 'people could not be reminded of disputes', null, error),
  });
}

/** Runs `disputeReminders` once. @returns the number of disputes processed */
export const remindDisputes = (deps: DisputeDependencies, only?: Tenant): Promise<number> =>
  disputeReminders(deps, only).run();

async function remindOf(deps: DisputeDependencies, tenant: Tenant, dispute: DisputeRow): Promise<void> {
  const account = await findAccount(deps.db, tenant.accountId);
  if (account === undefined) return;
  const context = backgroundContext(account, tenant.livemode, deps.clock.now());
  const reminder = dueReminder(dispute, context.now);
  const hours = reminderHours[reminder - 1];
  if (hours === undefined) return;
  const [draft] = await draftsOf(deps.db, tenant, [dispute.id]);
  const message = disputeReminder(mailFor(dispute, context), hours);
  await deps.store.settle({
    dispute: { ...dispute, reminders: reminder },
    event: null,
    mails: await buildMails(deps.mail, tenant.accountId, message, draft?.assignee),
    at: context.now,
    operation: null,
    answer: null,
  });
}
