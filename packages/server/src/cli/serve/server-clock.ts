import { periodically } from '../../jobs/periodic.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import type { Database } from '../../store/database.ts';
import { DatabaseClock } from '../../store/maintenance/database-clock.ts';

/** How often the time of the database is asked for. */
const syncIntervalMs = 5_000;
/** How often it is said that the database's time is not followed. */
const logIntervalMs = 60_000;

/** The clock of a server, and how it goes by the database's time. */
export interface ServerClock {
  readonly clock: Clock;
  /** Looks at the database once. */
  readonly follow: (db: Database, log: Logger) => Promise<void>;
  /** Looks again and again. @returns stops it */
  readonly keepFollowing: (db: Database, log: Logger) => () => Promise<void>;
}

/** @param given in place of the database's time: it follows nothing */
export function serverClock(given: Clock | undefined): ServerClock {
  if (given !== undefined) {
    const nothing = async () => {};
    return { clock: given, follow: nothing, keepFollowing: () => nothing };
  }
  const clock = new DatabaseClock(systemClock);
  let saidAt = Number.NEGATIVE_INFINITY;
  const follow: ServerClock['follow'] = async (db, log) => {
    const moved = await clock.follow(db);
    if (moved !== 0) {
      const detail = `moved by ${Math.round(moved)} ms`;
      log.error('the clock of this machine is not that of the database, which counts', { detail });
    }
    if (clock.fault !== null && clock.elapsed() - saidAt >= logIntervalMs) {
      saidAt = clock.elapsed();
      log.error('the time of the database jumped', { detail: clock.fault });
    }
  };
  return {
    clock,
    follow,
    keepFollowing(db, log) {
      const unknown = (error: unknown) =>
        log.warn('the time of the database is not known at the moment', describeError(error));
      clock.whenApart(() => void follow(db, log).catch(unknown));
      return periodically(clock, syncIntervalMs, () => follow(db, log), unknown);
    },
  };
}
