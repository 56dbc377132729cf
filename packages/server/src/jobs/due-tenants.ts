import type { Provider } from '@till/contract';
import { accountTime, joinAccount } from '../accounts/sql.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** The rows of a table that become due at some time. */
export interface DueRows {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** Condition on the rows, without a time; an index on tenant and `dueAt` should have the same. */
  readonly where: string;
  /** SQL expression of the time at which a row becomes due. */
  readonly dueAt: string;
  /** Whether `dueAt` is account time, which a sandbox account may have moved; otherwise it is real time. */
  readonly accountTime?: boolean;
  /** SQL interval by which a row is due before `dueAt`. */
  readonly ahead?: string;
  /** Set if the table's rows belong to an account in both modes. The account is then returned as its test mode's tenant. */
  readonly bothModes?: boolean;
}

export interface DueQuery {
  /** Real time. */
  readonly now: Date;
  /** Returns only tenants after this one, in the order of their numbers. */
  readonly after: Tenant;
  readonly max: number;
  /** Returns only accounts of this processor; null for all. */
  readonly processor: Provider | null;
  /** Returns only this tenant; absent for all. */
  readonly only?: Tenant | undefined;
}

/** SQL interval of the exponential backoff for a sweep that runs every 15 s: 15 s, doubled with each try, up to an hour. */
export const backoff = (tries: string) =>
  `least(3600, 15 * power(2, least(${tries}, 8))) * interval '1 second'`;

/**
 * A loose index scan: the statement steps in the index from the earliest row of one tenant to that of the next, so that a tenant
 * costs one index lookup, whatever the number of its rows. It stops at the requested number of tenants. `offset 0` keeps the
 * planner from reading all accounts first.
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

/** @returns a function that finds the tenants with due rows, in the order of their numbers */
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
