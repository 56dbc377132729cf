import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';

/** Smaller differences come from the network and from how clocks are kept, and are let be. */
const toleranceMs = 1000;
/** So far the database's time may move by itself: more is not how clocks are kept, and would end what still holds. */
const maxDriftMs = 60_000;

/**
 * The time of the database, which all servers and commands share: leases, deadlines and the age of idempotency records hold by it
 * whatever the clock of one machine says. Between looks at the database it goes on by the monotonic clock, so that a change of
 * the machine's time moves nothing.
 */
export class DatabaseClock implements Clock {
  readonly elapsed: Clock['elapsed'];
  readonly delay: Clock['delay'];
  readonly #machine: Clock['now'];
  /** The time at which the monotonic clock stood at 0. */
  #origin: number;
  /** The same by the machine's time, at the last look. */
  #machineOrigin: number;
  /** The machine's time and its monotonic clock went apart since then: it slept, or its time was set. */
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

  /** Why this clock goes on without the database's time; null: it does not. */
  get fault(): string | null {
    return this.#fault;
  }

  /** @param look looks at the database at once: the monotonic clock stands still while a machine sleeps */
  whenApart(look: () => void): void {
    this.#onApart = look;
  }

  /**
   * Takes over the database's time where this clock differs from it by more than a second. At the first look, and where the
   * machine slept or its time was set, by any amount; else by no more than a minute, since it is the database's time that jumped.
   * @returns by how many milliseconds it was moved
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
