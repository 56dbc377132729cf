import { type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import { FairSweep, type Sweep } from '../jobs/fair-sweep.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { matchAgain } from './matching.ts';
import { tryLockImports } from './write.ts';

export interface MatchLaterDependencies {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown, tenant: Tenant) => void;
}

/** How many payouts are processed concurrently. */
const places = 2;
const hourMs = 3_600_000;

/** When the open lines of a payout are judged again for the first time. Null if it has none. @param now real time */
export const firstRetryAt = (open: number, now: Date): Date | null =>
  open === 0 ? null : new Date(now.getTime() + hourMs);

const waiting: DueRows = {
  name: 'tenants_with_payouts_to_match',
  table: 'payouts',
  where: 'd.match_at is not null',
  dueAt: 'd.match_at',
};

/**
 * Takes the payout that is due for the longest time and schedules its next try. The gaps double from an hour to a week, so that
 * charges of another system do not cost more and more. @param now real time
 */
async function takeOne(tx: Queryable, tenant: Tenant, now: Date): Promise<string | undefined> {
  const [taken] = await tx.query<{ id: string }>({
    name: 'take_payout_to_match',
    text: `update payouts o set match_tries = o.match_tries + 1,
             match_at = $2::timestamptz + least(interval '1 hour' * 2 ^ least(o.match_tries + 1, 10), interval '7 days')
           where o.tenant = $1 and o.id = (
             select d.id from payouts d where d.tenant = $1 and d.match_at <= $2 order by d.match_at, d.seq limit 1 for update skip locked)
           returning o.id`,
    values: [tenant.tenant, now],
    scope: tenant,
  });
  return taken?.id;
}

/**
 * Judges lines of payouts again that did not match, or that matched a refund which was pending: a payment may have become known
 * by a notification or after a restore, and a refund may have failed.
 */
export function laterMatches({ db, clock, onError }: MatchLaterDependencies): Sweep {
  const due = dueTenants(db, waiting);
  const matchOne = (tenant: Tenant) =>
    db.transaction(async (tx) => {
      // An import of this tenant is in progress. Skip it rather than hold a second connection: the next run is soon.
      if (!(await tryLockImports(tx, tenant))) return false;
      const id = await takeOne(tx, tenant, clock.now());
      if (id !== undefined) await matchAgain(tx, tenant, [id]);
      return id !== undefined;
    });
  return new FairSweep<Tenant>({
    places,
    perTenant: 1,
    dueTenants: (after, max) => due({ now: clock.now(), after, max, processor: null }),
    take: async (tenant) => ({ rows: [tenant], more: false }),
    async work(tenant) {
      try {
        while (await matchOne(tenant));
      } catch (error) {
        onError(error, tenant);
      }
    },
    onError,
  });
}
