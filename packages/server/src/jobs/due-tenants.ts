import type { Provider } from '@till/contract';
import { accountTime, joinAccount } from '../accounts/sql.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** What of a table has to be looked after, and from when on. */
export interface DueRows {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** Condition on the rows, without a time; an index on tenant and `dueAt` should have the same. */
  readonly where: string;
  /** SQL of the time from which on a row is due. */
  readonly dueAt: string;
  /** Whether that is account time, which a sandbox account may have moved; else it is real time. */
  readonly accountTime?: boolean;
  /** SQL of an interval: so long before `dueAt` a row is due already. */
  readonly ahead?: string;
  /** The table's rows are those of an account in both modes: it is named as the tenant of its test mode. */
  readonly bothModes?: boolean;
}

export interface DueQuery {
  /** Real time. */
  readonly now: Date;
  /** Tenants after this one, in the order of their keys. */
  readonly after: Tenant;
  readonly max: number;
  /** Only accounts of this processor; null: of any. */
  readonly processor: Provider | null;
  /** Only this one; absent: all. */
  readonly only?: Tenant | undefined;
}

/** SQL of how long to wait after so many tries of a sweep that runs every 15 s: doubled with each, up to an hour. */
export const backoff = (tries: string) =>
  `least(3600, 15 * power(2, least(${tries}, 8))) * interval '1 second'`;

/**
 * Goes along the index from each tenant's earliest row to the next tenant's, a loose index scan: however many rows one
 * tenant has, it costs one index lookup. Nothing is read beyond what is asked for; `offset 0` keeps the planner from reading all
 * accounts first.
 */
function sqlOf(rows: DueRows): string {
  const { table, where, dueAt, accountTime: inAccountTime, ahead = "interval '0'", bothModes } = rows;
  const key = bothModes === true ? 'account_id' : 'tenant';
  const next = (after: string) => `
    select d.${key}, ${dueAt} as due_at from ${table} d where ${where} and d.${key} > ${after}
    order by d.${key}, ${dueAt} limit 1`;
  return `with recursive waiting as (
      (${next(bothModes === true ? '$2::text' : '$2::int')})
      union all
      select n.* from waiting w cross join lateral (${next(`w.${key}`)}) n)
    select t.tenant, t.account_id as "accountId", t.livemode from waiting w
    cross join lateral (
      select t.tenant, t.account_id, t.livemode, a.clock_offset_ms from tenants t ${joinAccount('t')}
      where t.${key} = w.${key} ${bothModes === true ? 'and not t.livemode' : ''}
        and ($4::text is null or a.processor = $4) offset 0) t
    where w.due_at <= ${inAccountTime === true ? accountTime('t', 't.livemode') : '$1::timestamptz'} + ${ahead}
    limit $3`;
}

/** @returns how to find the tenants of which something is due, in the order of their keys */
export function dueTenants(db: Queryable, rows: DueRows): (query: DueQuery) => Promise<Tenant[]> {
  const text = sqlOf(rows);
  return async ({ now, after, max, processor, only }) => {
    if (only !== undefined) return findOnly(db, only, processor);
    return db.query<Tenant>({
      name: rows.name,
      scope: 'everybody',
      text,
      values: [now, rows.bothModes === true ? after.accountId : after.tenant, max, processor],
    });
  };
}

async function findOnly(db: Queryable, only: Tenant, processor: Provider | null): Promise<Tenant[]> {
  const rows = await db.query({
    name: 'is_account_of_processor',
    text: `select 1 from tenants t ${joinAccount('t')}
           where t.tenant = $1 and ($2::text is null or a.processor = $2)`,
    values: [only.tenant, processor],
    scope: only,
  });
  return rows.map(() => only);
}
