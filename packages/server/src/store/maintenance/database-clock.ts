import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';

/** Smaller differences come from the network and from how clocks are kept, and are let be. */
const usualMs = 1000;

/**
 * The time of the database, which all servers and commands share: leases, deadlines and the age of idempotency records hold by it
 * whatever the clock of one machine says. Between looks at the database it goes on by the monotonic clock, so that a change of
 * the machine's time moves nothing.
 */
export class DatabaseClock implements Clock {
  readonly elapsed: Clock['elapsed'];
  readonly delay: Clock['delay'];
  /** The time at which the monotonic clock stood at 0. */
  #origin: number;

  constructor(system: Clock) {
    this.elapsed = system.elapsed;
    this.delay = system.delay;
    this.#origin = system.now().getTime() - system.elapsed();
  }

  readonly now = (): Date => new Date(this.#origin + this.elapsed());

  /**
   * Takes over the database's time where this clock differs from it by more than a second.
   * @returns by how many milliseconds it was moved
   */
  async follow(db: Queryable): Promise<number> {
    const difference = await differenceFrom(db, this);
    if (Math.abs(difference) <= usualMs) return 0;
    this.#origin -= difference;
    return -difference;
  }
}

/**
 * How far a clock is ahead of the database's, in milliseconds, negative where it is behind. What the answer may have taken to come
 * is no difference.
 */
export async function differenceFrom(db: Queryable, clock: Pick<Clock, 'now'>): Promise<number> {
  const before = clock.now().getTime();
  const [row] = await db.query<{ now: Date }>({
    name: 'database_now',
    text: 'select clock_timestamp() as now',
    scope: 'nobody',
  });
  const after = clock.now().getTime();
  if (row === undefined) throw new Error('a select without a table gives one row');
  const there = row.now.getTime();
  return Math.max(0, before - there) + Math.min(0, after - there);
}
