import { OperatorError } from '../../accounts/accounts.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Connection } from '../../store/database.ts';

/** Advisory locks with which one process at a time moves an account: in the home database, and in source and target. */
export const moveLocks = { home: 7_110_431, target: 7_110_432, source: 7_110_433 } as const;
export type MoveLock = keyof typeof moveLocks;

const pauseMs = 50;
/** How long to wait for the lock: a server that repairs an abandoned move holds it only for an instant. */
const waitMs = 2_000;
/** How long a terminated connection may take to end: PostgreSQL checks for interrupts only now and then. */
const endsWithinMs = 5_000;

/** SQL for the backends that hold the lock of an account in this database. @param account SQL of its id */
export const holdersOf = (account: string, lock: number) =>
  `select pid from pg_locks where locktype = 'advisory' and granted and classid = ${lock}::oid and objsubid = 2
     and database = (select oid from pg_database where datname = current_database())
     and objid = (hashtext(${account})::bigint & 4294967295)::oid`;

async function tryLock(session: Connection, lock: MoveLock, accountId: string): Promise<boolean> {
  const [row] = await session.query<{ locked: boolean }>({
    text: 'select pg_try_advisory_lock($1, hashtext($2)) as locked',
    values: [moveLocks[lock], accountId],
  });
  return row?.locked === true;
}

/** Takes the lock for as long as the connection is open. @throws OperatorError `move_under_way` if another process keeps it */
export async function lockMove(
  session: Connection,
  clock: Pick<Clock, 'elapsed' | 'delay'>,
  lock: MoveLock,
  accountId: string,
): Promise<void> {
  const until = clock.elapsed() + waitMs;
  while (!(await tryLock(session, lock, accountId))) {
    if (clock.elapsed() >= until) {
      throw new OperatorError('move_under_way', `Another process is moving ${accountId}.`);
    }
    await clock.delay(pauseMs);
  }
}

/** Takes the lock if it is free. @returns whether it was */
export const lockIfFree = tryLock;

/**
 * Takes the lock over from another process by terminating the connections that hold it. Their open transactions are rolled back,
 * and they cannot execute anything more.
 */
export async function takeLock(
  session: Connection,
  clock: Pick<Clock, 'elapsed' | 'delay'>,
  lock: MoveLock,
  accountId: string,
): Promise<void> {
  const until = clock.elapsed() + endsWithinMs;
  while (!(await tryLock(session, lock, accountId))) {
    if (clock.elapsed() >= until) throw new Error(`a connection that moves ${accountId} does not end`);
    await session.query({
      text: `select pg_terminate_backend(pid) from (${holdersOf('$1', moveLocks[lock])}) holders`,
      values: [accountId],
    });
    await clock.delay(pauseMs);
  }
}
