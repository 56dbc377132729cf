import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** Class of the advisory locks under which living server processes are found. */
export const instanceLockClass = 7110;
/**
 * SQL that is true where the process that leased a row is gone.
 * @param column the row's `lease_owner`
 */
export const ownerIsGone = (column: string) => `not exists (
  select from pg_locks l where l.locktype = 'advisory' and l.granted
    and l.classid = ${instanceLockClass}::int::oid and l.objid = ${column}::int::oid)`;

const exclusiveLock = 7_110_412;

/** Another server holds the database for itself; the message says which process. */
export class AlreadyServedError extends Error {}

export interface Instance {
  readonly number: number;
  release(): void;
}

/**
 * Marks this process as alive: it holds an advisory lock under its number on a connection of its own, which PostgreSQL
 * drops at once when the process dies. A lost connection is opened again.
 * @param exclusive refuse where another server runs on this database (the embedded one belongs to one server)
 * @throws AlreadyServedError
 */
export async function holdInstance(
  db: Database,
  options: { number: number; exclusive: boolean; clock: Clock; onLost: (error: unknown) => void },
): Promise<Instance> {
  let released = false;
  let current = await hold();

  async function hold() {
    const session = await db.session();
    try {
      if (options.exclusive) await takeExclusively(session);
      await session.query({
        text: 'select pg_advisory_lock($1::int, $2::int)',
        values: [instanceLockClass, options.number],
      });
    } catch (error) {
      session.release();
      throw error;
    }
    session.onLost(() => {
      if (released) return;
      // The pool would wait for this dead connection when it closes.
      session.release();
      void regain();
    });
    return session;
  }

  async function regain(): Promise<void> {
    while (!released) {
      try {
        current = await hold();
        if (released) current.release();
        return;
      } catch (error) {
        options.onLost(error);
        await options.clock.delay(500);
      }
    }
  }

  return {
    number: options.number,
    release() {
      released = true;
      current.release();
    },
  };
}

async function takeExclusively(session: Awaited<ReturnType<Database['session']>>): Promise<void> {
  const [lock] = await session.query<{ free: boolean }>({
    text: 'select pg_try_advisory_lock($1) as free',
    values: [exclusiveLock],
  });
  if (lock?.free === true) return;
  const [holder] = await session.query<{ application_name: string }>({
    text: `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
           where l.locktype = 'advisory' and l.objid = $1::int::oid and l.classid = 0 limit 1`,
    values: [exclusiveLock],
  });
  throw new AlreadyServedError(
    `Another Till server${holder === undefined ? '' : ` (${holder.application_name})`} uses this data folder. Stop it, or set TILL_DATA_DIR and PORT to run a second one.`,
  );
}
