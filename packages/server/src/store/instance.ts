import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** The class of the advisory locks that show which server processes are alive. */
export const instanceLockClass = 7110;
/** The class of the shared advisory locks that show which master keys the running server processes have. */
export const masterKeyLockClass = 7111;
/** After all locks were lost at once, processes have this long to take them again: many times what they need. */
const relockMs = 10_000;

/** Counts only locks in this database: a row copied from another database of the same server has no owner here. */
const holdsLock = (column: string) => `exists (
  select from pg_locks l where l.locktype = 'advisory' and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${instanceLockClass}::int::oid and l.objid = ${column}::int::oid)`;

/**
 * SQL that is true if the process that leased a row is gone. Such a process holds no lock, and did not merely lose it together
 * with all others because the database server of its mark stopped, crashed or handed over.
 * @param column the row's `lease_owner`
 */
export const ownerIsGone = (column: string) => `(not ${holdsLock(column)} and not exists (
  select from process_marks m left join process_lives l using (number)
  where m.number = ${column}::int and (m.server_started_at <> pg_postmaster_start_time() or l.number is null)))`;

const exclusiveLock = 7_110_412;

/** Another Till server holds the database exclusively; the message names its process. */
export class AlreadyServedError extends Error {}

export interface Instance {
  readonly number: number;
  release(): void;
}

export interface InstanceOptions {
  readonly number: number;
  readonly exclusive: boolean;
  /** The numbers of the master keys that the process has, if it opens secrets. */
  readonly masterKeys?: readonly number[];
  readonly clock: Clock;
  readonly onLost: (error: unknown) => void;
}

export interface HeldInstance extends Instance {
  /** Call it once the schema exists: records on which database server the lock was taken, now and whenever it is retaken. */
  mark(): Promise<void>;
}

type Session = Awaited<ReturnType<Database['session']>>;

async function takeLock(
  session: Session,
  { number, exclusive, masterKeys = [] }: Pick<InstanceOptions, 'number' | 'exclusive' | 'masterKeys'>,
): Promise<void> {
  if (exclusive) await takeExclusively(session);
  await session.query({
    text: 'select pg_advisory_lock_shared($1::int, n) from unnest($2::int[]) as keys (n)',
    values: [masterKeyLockClass, masterKeys],
  });
  await session.query({
    text: 'select pg_advisory_lock($1::int, $2::int)',
    values: [instanceLockClass, number],
  });
}

/** Records that a process holds its lock on this database server. */
async function noteMark(session: Session, number: number): Promise<void> {
  await session.query({
    text: `with life as (insert into process_lives (number) values ($1) on conflict do nothing)
           insert into process_marks (number, server_started_at) values ($1, pg_postmaster_start_time())
           on conflict (number) do update set server_started_at = excluded.server_started_at`,
    values: [number],
  });
}

/** Deletes the marks of all processes that hold no lock now: they are gone. */
async function forgetMarks(session: Session, number: number): Promise<void> {
  await session.query({
    text: `with lives as (delete from process_lives p where p.number <> $1 and not ${holdsLock('p.number')})
           delete from process_marks m where m.number <> $1 and not ${holdsLock('m.number')}`,
    values: [number],
  });
}

/**
 * Marks this process as alive: it holds an advisory lock under its number on a dedicated connection, which PostgreSQL drops at
 * once when the process dies. A lost connection is opened again. If the database server stops or another becomes the leader, all
 * locks are gone although their owners are alive; `process_marks` and `process_lives` record the difference.
 * @param options `exclusive` refuses to run beside another server on this database (the embedded one belongs to one server)
 * @throws AlreadyServedError
 */
export async function holdInstance(db: Database, options: InstanceOptions): Promise<HeldInstance> {
  const released = new AbortController();
  const lost = new WeakSet<Session>();
  let isMarked = false;
  let current: Session | undefined = await hold();

  async function hold() {
    const session = await db.session();
    try {
      await takeLock(session, options);
      if (isMarked) await mark(session);
    } catch (error) {
      session.release();
      throw error;
    }
    session.onLost(() => {
      lost.add(session);
      if (released.signal.aborted) return;
      if (current === session) current = undefined;
      // The pool would wait for this dead connection when it closes.
      session.release();
      void regain();
    });
    return session;
  }

  async function mark(session: Session) {
    await noteMark(session, options.number);
    void forgetLater(session);
  }

  async function forgetLater(session: Session) {
    await options.clock.delay(relockMs, released.signal);
    // If the session was lost meanwhile, its successor does this.
    if (released.signal.aborted || lost.has(session)) return;
    await forgetMarks(session, options.number).catch(() => {});
  }

  async function regain(): Promise<void> {
    while (!released.signal.aborted) {
      try {
        current = await hold();
        if (released.signal.aborted) current.release();
        return;
      } catch (error) {
        options.onLost(error);
        await options.clock.delay(500);
      }
    }
  }

  return {
    number: options.number,
    async mark() {
      isMarked = true;
      const session = current;
      // The session was just lost. Its successor records the mark itself.
      if (session === undefined) return;
      await mark(session);
      // This process is alone on the database, so every other mark belongs to a process that is gone.
      if (options.exclusive) await forgetMarks(session, options.number);
    },
    release() {
      released.abort();
      current?.release();
    },
  };
}

async function takeExclusively(session: Session): Promise<void> {
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
