import { periodically } from '../../jobs/periodic.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import type { Database } from '../../store/database.ts';
import { DatabaseClock } from '../../store/maintenance/database-clock.ts';

/** The interval between queries for the database's time. */
const syncIntervalMs = 5_000;
/** The interval of log lines while the database's time is not followed. */
const logIntervalMs = 60_000;

/** The clock of a server, and functions that synchronize it with the database's time. */
export interface ServerClock {
  readonly clock: Clock;
  /** Synchronizes the clock once. */
  readonly follow: (db: Database, log: Logger) => Promise<void>;
  /** Synchronizes the clock periodically. @returns a function that stops it */
  readonly keepFollowing: (db: Database, log: Logger) => () => Promise<void>;
}

/** @param given a clock to use instead, which is never synchronized */
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
