import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** Class of the advisory locks under which living server processes are found. */
export const instanceLockClass = 7110;
/** Class of the advisory locks, shared, under which is found which master keys living server processes have. */
export const masterKeyLockClass = 7111;
/** So long processes have to take their locks again where all were lost at once: many times what that takes. */
const relockMs = 10_000;

/** Processes of another database of the same server are others: a row that came from there has nobody here. */
const holdsLock = (column: string) => `exists (
  select from pg_locks l where l.locktype = 'advisory' and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${instanceLockClass}::int::oid and l.objid = ${column}::int::oid)`;

/**
 * SQL that is true where the process that leased a row is gone: it holds no lock, and did not lose it together with
 * everybody else, when the server of its mark ended, crashed or handed over.
 * @param column the row's `lease_owner`
 */
export const ownerIsGone = (column: string) => `(not ${holdsLock(column)} and not exists (
  select from process_marks m left join process_lives l using (number)
  where m.number = ${column}::int and (m.server_started_at <> pg_postmaster_start_time() or l.number is null)))`;

const exclusiveLock = 7_110_412;

/** Another server holds the database for itself; the message says which process. */
export class AlreadyServedError extends Error {}

export interface Instance {
  readonly number: number;
  release(): void;
}

export interface InstanceOptions {
  readonly number: number;
  readonly exclusive: boolean;
  /** Numbers of the master keys that it has, where it opens secrets. */
  readonly masterKeys?: readonly number[];
  readonly clock: Clock;
  readonly onLost: (error: unknown) => void;
}

export interface HeldInstance extends Instance {
  /** Once the schema is there: notes on which server the lock was taken, now and whenever it is taken again. */
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

/** Notes that a process holds its lock on this server. */
async function noteMark(session: Session, number: number): Promise<void> {
  await session.query({
    text: `with life as (insert into process_lives (number) values ($1) on conflict do nothing)
           insert into process_marks (number, server_started_at) values ($1, pg_postmaster_start_time())
           on conflict (number) do update set server_started_at = excluded.server_started_at`,
    values: [number],
  });
}

/** Who has no lock now is gone. */
async function forgetMarks(session: Session, number: number): Promise<void> {
  await session.query({
    text: `with lives as (delete from process_lives p where p.number <> $1 and not ${holdsLock('p.number')})
           delete from process_marks m where m.number <> $1 and not ${holdsLock('m.number')}`,
    values: [number],
  });
}

/**
 * Marks this process as alive: it holds an advisory lock under its number on a connection of its own, which PostgreSQL
 * drops at once when the process dies. A lost connection is opened again. Where all connections are lost at once, since
 * the server ended or another leads now, locks are gone and their owners are not: `process_marks` and `process_lives` keep them apart.
 * @param exclusive refuse where another server runs on this database (the embedded one belongs to one server)
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
    // A session that was lost meanwhile has a successor, which does it.
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
      // One that was just lost has a successor, which marks itself.
      if (session === undefined) return;
      await mark(session);
      // Alone on this database: every other mark is of a process that is gone.
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
