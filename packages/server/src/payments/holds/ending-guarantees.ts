import { tenantsWithTime } from '../../accounts/sql.ts';
import { type DueRows, dueTenants } from '../../jobs/due-tenants.ts';
import { bigint, int, type RowOf, tenantColumns, text, time } from '../../store/columns.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

/** How many hours before its end a guarantee is announced. One notice names all holds whose guarantee ends within these hours. */
export const noticeHours = 24;
const notice = `interval '${noticeHours} hours'`;
/** Every hold is announced at least 12 hours ahead, so that two notices a day are enough. */
const latest = `interval '12 hours'`;

export const noticeColumns = { ...tenantColumns, through: time } as const;

const holds: DueRows = {
  name: 'tenants_with_holds_to_announce',
  table: 'payments',
  where: `d.status = 'authorized'`,
  dueAt: 'd.authorization_guaranteed_until',
  accountTime: true,
  ahead: `${notice} + interval '1 hour'`,
};

/** Finds the tenants with holds whose guarantee ends soon, or has ended. */
export const tenantsWithEndingHolds = (db: Database) => dueTenants(db, holds);

const endingColumns = { currency: text, count: int, amount: bigint, first: time } as const;
/** Holds of one currency: number, sum in minor units, and when the first of their guarantees ends (account time). */
export type EndingHolds = RowOf<typeof endingColumns>;

/**
 * Reads the holds for the next notice, and records that they are announced.
 * @param tx the transaction that queues the notice @param now real time
 * @returns one row for each currency; empty if no hold is left to announce, or if another process announces them
 */
export async function takeEndingHolds(tx: Queryable, { tenant }: Tenant, now: Date): Promise<EndingHolds[]> {
  return tx.query<EndingHolds>({
    name: 'take_ending_holds',
    text: `with due as materialized (
             select t.account_now, n.through from ${tenantsWithTime('$2')}
             left join hold_notices n on n.tenant = o.tenant
             where o.tenant = $1 and (n.through is null or n.through <= t.account_now + ${latest})),
           ending as (
             select p.currency, count(*)::int as count, sum(p.amount)::bigint as amount,
               min(p.authorization_guaranteed_until) as first
             from due join payments p on p.tenant = $1 and p.status = 'authorized'
               and p.authorization_guaranteed_until > greatest(due.account_now, due.through)
               and p.authorization_guaranteed_until <= due.account_now + ${notice}
             group by p.currency),
           noted as (
             insert into hold_notices as h (tenant, through)
             select $1, due.account_now + ${notice} from due where exists (select from ending)
             on conflict (tenant) do update set through = excluded.through
               where h.through <= excluded.through - ${notice} + ${latest}
             returning 1)
           select ending.* from ending where exists (select from noted) order by count desc, currency`,
    values: [tenant, now],
    scope: { tenant },
  });
}
