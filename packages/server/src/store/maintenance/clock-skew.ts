import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';

/** By how much a server's clock may differ from its database's: more than any that is kept by NTP does. */
const mostSkewMs = 60_000;

/** The clock of this machine is wrong, or the database's is; the message says by how much. */
export class ClockError extends Error {}

export async function databaseNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>({
    name: 'database_now',
    text: 'select clock_timestamp() as now',
    scope: 'nobody',
  });
  if (row === undefined) throw new Error('a select without a table gives one row');
  return row.now;
}

/** How far this process' clock is ahead of the database's, at least, in milliseconds; negative: behind. */
export async function clockSkewMs(db: Queryable, clock: Pick<Clock, 'now'>): Promise<number> {
  const before = clock.now().getTime();
  const there = (await databaseNow(db)).getTime();
  const after = clock.now().getTime();
  return Math.max(0, before - there) + Math.min(0, after - there);
}

/**
 * Servers share leases and deadlines by the clock: one whose clock is hours ahead takes what others work on, and removes idempotency
 * records that still hold.
 * @throws ClockError
 */
export async function requireSameTime(db: Queryable, clock: Pick<Clock, 'now'>): Promise<void> {
  const skew = await clockSkewMs(db, clock);
  if (Math.abs(skew) <= mostSkewMs) return;
  const seconds = Math.round(Math.abs(skew) / 1000);
  throw new ClockError(
    `The clock of this machine is ${seconds} seconds ${skew > 0 ? 'ahead of' : 'behind'} the database's. Set both by NTP.`,
  );
}

/** The earlier of both clocks, so that one that is wrong removes nothing too soon. */
export async function earlierNow(db: Queryable, clock: Pick<Clock, 'now'>): Promise<Date> {
  const there = await databaseNow(db);
  const here = clock.now();
  return here < there ? here : there;
}
