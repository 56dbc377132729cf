import type { Provider } from '@till/contract';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from './fair-queue.ts';

/** What of a table has to be looked after, and from when on. */
export interface DueRows {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** Condition on the rows, without a time; an index on account, mode and `dueAt` should have the same. */
  readonly where: string;
  /** SQL of the time from which on a row is due. */
  readonly dueAt: string;
  /** Whether that is account time, which a sandbox account may have moved; else it is real time. */
  readonly accountTime?: boolean;
  /** SQL of an interval: so long before `dueAt` a row is due already. */
  readonly ahead?: string;
  /** The table has no column `livemode`: all rows of an account are one tenant. */
  readonly bothModes?: boolean;
}

export interface DueQuery {
  /** Real time. */
  readonly now: Date;
  /** Tenants after this one, in the order of their keys. */
  readonly after: Tenant;
  readonly most: number;
  /** Only accounts of this processor; null: of any. */
  readonly processor: Provider | null;
  /** Only this one; absent: all. */
  readonly only?: Tenant | undefined;
}

/** SQL of an account's time. @param now parameter of the real time */
export const accountTime = (account: string, livemode: string, now = '$1') => `(${now}::timestamptz
  + case when ${livemode} then interval '0' else ${account}.clock_offset_ms * interval '1 millisecond' end)`;

/** SQL of how long to wait after so many tries of a sweep that runs every 15 s: doubled with each, up to an hour. */
export const backoff = (tries: string) =>
  `least(3600, 15 * power(2, least(${tries}, 8))) * interval '1 second'`;

/**
 * Goes along the index from each tenant's earliest row to the next tenant's, a loose index scan: however many rows one
 * tenant has, it costs one look. Nothing is read beyond what is asked for; `offset 0` keeps the planner from reading all
 * accounts first.
 */
function sqlOf(rows: DueRows): string {
  const { table, where, dueAt, accountTime: inAccountTime, ahead = "interval '0'", bothModes } = rows;
  const key = bothModes === true ? 'd.account_id' : 'd.account_id, d.livemode';
  const next = (account: string, livemode: string) => `
    select d.account_id, ${bothModes === true ? 'false as livemode' : 'd.livemode'}, ${dueAt} as due_at from ${table} d
    where ${where} and (${key}) > (${bothModes === true ? account : `${account}, ${livemode}`})
    order by ${key}, ${dueAt} limit 1`;
  return `with recursive waiting as (
      (${next('$2::text', '$3::boolean')})
      union all
      select n.* from waiting w cross join lateral (${next('w.account_id', 'w.livemode')}) n)
    select w.account_id as "accountId", w.livemode from waiting w
    cross join lateral (
      select a.clock_offset_ms from accounts a
      where a.account_id = w.account_id and ($5::text is null or a.processor = $5) offset 0) a
    where w.due_at <= ${inAccountTime === true ? accountTime('a', 'w.livemode') : '$1::timestamptz'} + ${ahead}
      and $3::boolean is not null
    limit $4`;
}

/** @returns how to find the tenants of which something is due, in the order of their keys */
export function dueTenants(db: Queryable, rows: DueRows): (query: DueQuery) => Promise<Tenant[]> {
  const text = sqlOf(rows);
  return async ({ now, after, most, processor, only }) => {
    if (only !== undefined) return findOnly(db, only, processor);
    return db.query<Tenant>({
      name: rows.name,
      scope: 'everybody',
      text,
      values: [now, after.accountId, after.livemode, most, processor],
    });
  };
}

async function findOnly(db: Queryable, only: Tenant, processor: Provider | null): Promise<Tenant[]> {
  const rows = await db.query({
    name: 'is_account_of_processor',
    text: 'select 1 from accounts where account_id = $1 and ($2::text is null or processor = $2)',
    values: [only.accountId, processor],
    scope: { accountId: only.accountId, livemode: null },
  });
  return rows.map(() => only);
}
