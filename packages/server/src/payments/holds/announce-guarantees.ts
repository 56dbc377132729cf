import { backgroundContext } from '../../accounts/context.ts';
import { findAccount } from '../../accounts/store.ts';
import { FairSweep, type Sweep } from '../../jobs/fair-sweep.ts';
import { endingGuaranteesMail } from '../../mail/hold-mails.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noticeHours, takeEndingHolds, tenantsWithEndingHolds } from './ending-guarantees.ts';

type HoldDependencies = Pick<PaymentDependencies, 'db' | 'clock' | 'alerts' | 'onIncident'>;

/** How many accounts are handled at the same time. */
const places = 4;

/**
 * Mails owners and admins before the guarantee of holds ends, since afterwards a bank may decline the capture.
 * @param only limits it to one tenant; absent: all accounts
 */
export function guaranteeNotices(deps: HoldDependencies, only?: Tenant): Sweep {
  const { db, clock } = deps;
  const due = tenantsWithEndingHolds(db);
  return new FairSweep<Tenant>({
    places,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null, only }),
    take: async (tenant) => ({ rows: [tenant], more: false }),
    work: (tenant) => announce(deps, tenant),
    onError: (error, tenant) => deps.onIncident(tenant, 'ending holds could not be announced', null, error),
  });
}

/** Sends every notice that is due. @returns how many accounts it looked at */
export const announceGuarantees = (deps: HoldDependencies, only?: Tenant): Promise<number> =>
  guaranteeNotices(deps, only).run();

async function announce(deps: HoldDependencies, tenant: Tenant): Promise<void> {
  const { db, clock, alerts } = deps;
  try {
    const account = await findAccount(db, tenant.accountId);
    if (account === undefined) return;
    const { accountName, timeZone, livemode } = backgroundContext(account, tenant.livemode, clock.now());
    await db.transaction(async (tx) => {
      const ending = await takeEndingHolds(tx, tenant, clock.now());
      if (ending.length === 0) return;
      const mail = endingGuaranteesMail({ accountName, timeZone, livemode, hours: noticeHours, ending });
      await queueMail({ ...alerts.mail, db: tx }, tenant.accountId, mail);
    });
  } catch (error) {
    deps.onIncident(tenant, 'ending holds could not be announced', null, error);
  }
}
