import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';

/** Differences up to this one come from the network and from clock synchronisation, and are ignored. */
const toleranceMs = 1000;
/** The most that the database's time may move by itself. A larger jump is no clock correction and would expire valid leases. */
const maxDriftMs = 60_000;

/**
 * The time of the database, which all servers and commands share: leases, deadlines and the age of idempotency records depend on
 * it, not on the clock of one machine. Between queries to the database it advances with the monotonic clock, so that a change of
 * the machine's time has no effect.
 */
export class DatabaseClock implements Clock {
  readonly elapsed: Clock['elapsed'];
  readonly delay: Clock['delay'];
  readonly #machine: Clock['now'];
  /** The time at which the monotonic clock stood at 0. */
  #origin: number;
  /** The same by the machine's time, as of the last query to the database. */
  #machineOrigin: number;
  /** Whether the machine's time and its monotonic clock diverged since then: the machine slept, or its time was set. */
  #isApart = true;
  #onApart = () => {};
  #fault: string | null = null;

  constructor(system: Clock) {
    this.elapsed = system.elapsed;
    this.delay = system.delay;
    this.#machine = system.now;
    this.#machineOrigin = system.now().getTime() - system.elapsed();
    this.#origin = this.#machineOrigin;
  }

  readonly now = (): Date => {
    const elapsed = this.elapsed();
    if (!this.#isApart && Math.abs(this.#machine().getTime() - elapsed - this.#machineOrigin) > toleranceMs) {
      this.#isApart = true;
      this.#onApart();
    }
    return new Date(this.#origin + elapsed);
  };

  /** Why this clock runs without the database's time; null if it follows the database. */
  get fault(): string | null {
    return this.#fault;
  }

  /** @param look must query the database at once, because the monotonic clock stands still while a machine sleeps */
  whenApart(look: () => void): void {
    this.#onApart = look;
  }

  /**
   * Adopts the database's time if this clock differs from it by more than a second. At the first call, and after the machine
   * slept or its time was set, any difference is adopted. Otherwise at most a minute: with more, the database's time has jumped.
   * @returns by how many milliseconds the clock was moved
   */
  async follow(db: Queryable): Promise<number> {
    const difference = await differenceFrom(db, this);
    const isTolerated = Math.abs(difference) <= toleranceMs;
    if (!isTolerated && !this.#isApart && Math.abs(difference) > maxDriftMs) {
      this.#fault = `the time of the database moved by ${Math.round(-difference / 1000)} seconds; this server goes on without it`;
      return 0;
    }
    this.#fault = null;
    this.#isApart = false;
    this.#machineOrigin = this.#machine().getTime() - this.elapsed();
    if (isTolerated) return 0;
    this.#origin -= difference;
    return -difference;
  }
}

/**
 * How far a clock is ahead of the database's clock, in milliseconds; negative if it is behind. The time that the query took does
 * not count as a difference.
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
