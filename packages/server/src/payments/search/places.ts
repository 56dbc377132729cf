import { hasMovedTime } from '../../accounts/sql.ts';
import { type IdPrefix, idsFrom } from '../../lib/ids.ts';
import type { Database } from '../../store/database.ts';
import { lastNumber } from '../../store/sql.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { CreatedRange } from './filter.ts';

/** A range of places (list numbers) in a list: after `low`, up to and including `high`. */
export interface Places {
  readonly low: number;
  readonly high: number;
}

/** How many rows at each end of a range of time are read for their places. */
const neighbours = 500;
/** Within an hour of an end, places may be in another order than the times at which the requests began. */
const slackMs = 3_600_000;

const idsAround = (prefix: IdPrefix, end: Date | null, slack: number) =>
  end && idsFrom(prefix, new Date(end.getTime() + slack));

/**
 * A range of places that contains every row of a range of time: ids sort by time, and places nearly so. The caller still
 * compares the rows with the range of time. If the sandbox clock was moved, the result is the whole list.
 * @param list the table, which is also the name of its list counter, and the prefix of its ids
 */
export async function placesOf(
  db: Database,
  tenant: Tenant,
  { from, to }: CreatedRange,
  { table, prefix }: { readonly table: string; readonly prefix: IdPrefix },
): Promise<Places> {
  const [row] = await db.query<{ moved: boolean; count: number; first: number | null; last: number | null }>({
    text: `select ${hasMovedTime('$1')} as moved, ${lastNumber('$2')} as count,
             (select min(seq) from (
                select seq from ${table} where tenant = $1 and id >= $3
                order by id limit ${neighbours}) near) as first,
             (select max(seq) from (
                select seq from ${table} where tenant = $1 and id < $4
                order by id desc limit ${neighbours}) near) as last`,
    values: [tenant.tenant, table, idsAround(prefix, from, -slackMs), idsAround(prefix, to, slackMs)],
    scope: tenant,
  });
  const { moved = false, count = 0, first = null, last = null } = row ?? {};
  if (moved) return { low: 0, high: count };
  return {
    // No row is as late as `from`: the range is empty.
    low: from === null ? 0 : first === null ? count : first - 1,
    high: to === null ? count : (last ?? 0),
  };
}

/** When the first row after a place was created; null if there is none. */
export async function timeAfter(
  db: Database,
  tenant: Tenant,
  table: string,
  place: number,
): Promise<Date | null> {
  const [row] = await db.query<{ created_at: Date }>({
    text: `select created_at from ${table} where tenant = $1 and seq > $2 order by seq limit 1`,
    values: [tenant.tenant, place],
    scope: tenant,
  });
  return row?.created_at ?? null;
}
