import type { Connection } from '../../store/database.ts';
import { lockIfFree, takeLock } from './locks.ts';
import type { MoveDependencies } from './moving.ts';
import { withSession } from './sessions.ts';
import { giveUp, hasArrived, leave, letGo, switchCell } from './settle.ts';
import { findMove, listMoves, type Move, takeMove } from './store.ts';

/** How often servers look for moves that nobody goes on with. */
export const mendedEveryMs = 1_000;

/** A process that holds the requests of an account has so long for each step: longer than one may take (hand-over.ts). */
const leaseMs = 6_000;

/** So many accounts are looked after beside each other: each takes up to four connections. */
const atOnce = 4;

/** What a server brings to an end that a command began. */
export interface Mending {
  readonly home: MoveDependencies['home'];
  /** Opens what is worked with, for one move; closed after it. */
  readonly open: () => MoveDependencies & { close(): Promise<void> };
  /** Called with what was done. */
  readonly onMended: (accountId: string, outcome: 'given back' | 'completed') => void;
  readonly onError: (error: unknown) => void;
  /** Time that passed, in milliseconds. */
  readonly elapsed: () => number;
  /** Since when this process has seen the moves that hold requests without a step. */
  readonly seen: Map<string, number>;
}

/**
 * Brings moves to an end whose command was killed, or stands still while requests wait for it: an account whose rows have
 * arrived is moved, every other one takes requests where it is. The connections of the process that moved it are ended first, so that
 * one that wakes up later does nothing any more. Where a database of the move cannot be reached it is tried again.
 */
export const decideMoves = (mending: Mending): Promise<void> => mendAll(mending, decide);

/** Removes what such moves left behind. Beside `decideMoves`, since it may take long: nobody waits for it. */
export const cleanUpMoves = (mending: Mending): Promise<void> => mendAll(mending, cleanUp);

async function mendAll(mending: Mending, work: Work): Promise<void> {
  const { home, open, onMended, onError } = mending;
  const one = async ({ move, isLapsed }: Abandoned) => {
    const deps = open();
    try {
      const outcome = await withSession(deps.home, (lock) => mend(deps, lock, { move, isLapsed }, work));
      if (outcome !== null) onMended(move.account_id, outcome);
    } catch (error) {
      // A database that is away keeps nobody else's account.
      onError(error);
    } finally {
      await deps.close();
    }
  };
  const abandoned =
    work === decide ? lapsed(mending, await listMoves(home, true)) : free(await listMoves(home, false));
  for (let first = 0; first < abandoned.length; first += atOnce) {
    await Promise.all(abandoned.slice(first, first + atOnce).map(one));
  }
}

interface Abandoned {
  readonly move: Move;
  /** Its process may live, and stands still. */
  readonly isLapsed: boolean;
}

type Listed = Awaited<ReturnType<typeof listMoves>>;

const free = (moves: Listed): Abandoned[] =>
  moves.filter((move) => !move.is_locked).map((move) => ({ move, isLapsed: false }));

/** Those that nobody has the lock of, and those that this process has seen at the same step for too long. */
function lapsed({ elapsed, seen }: Mending, moves: Listed): Abandoned[] {
  const now = elapsed();
  const steps = moves.map((move) => ({
    move,
    step: `${move.account_id} ${move.state} ${move.attempt} ${move.taken}`,
  }));
  const there = new Set(steps.map(({ step }) => step));
  for (const step of seen.keys()) if (!there.has(step)) seen.delete(step);
  return steps.flatMap(({ move, step }): Abandoned[] => {
    const since = seen.get(step) ?? now;
    seen.set(step, since);
    if (!move.is_locked) return [{ move, isLapsed: false }];
    return now - since < leaseMs ? [] : [{ move, isLapsed: true }];
  });
}

type Outcome = Parameters<Mending['onMended']>[1];
type Work = (deps: MoveDependencies, move: Move, source: Connection) => Promise<Outcome | null>;

async function mend(
  deps: MoveDependencies,
  lock: Connection,
  { move: listed, isLapsed }: Abandoned,
  work: Work,
) {
  const { account_id: accountId } = listed;
  if (isLapsed) {
    if (!(await takeMove(deps.home, listed))) return null;
    await takeLock(lock, deps.clock, 'home', accountId);
  } else if (!(await lockIfFree(lock, 'home', accountId))) {
    return null;
  }
  const move = await findMove(deps.home, accountId);
  if (move === undefined) return null;
  return withSession(await deps.open(move.source), async (source) => {
    await takeLock(source, deps.clock, 'source', accountId);
    return work(deps, move, source);
  });
}

/** Works in the database of the target, where nobody else commits any more: what has arrived has, and the rest never will. */
async function inTarget<T>(deps: MoveDependencies, move: Move, work: (target: Connection) => Promise<T>) {
  return withSession(await deps.open(move.target), async (target) => {
    await takeLock(target, deps.clock, 'target', move.account_id);
    return work(target);
  });
}

/** Requests go on: where the account was, unless its rows are in the other database. */
const decide: Work = async (deps, move, source) => {
  if (!move.is_held) return null;
  if (move.state === 'committing') {
    const isThere = await inTarget(deps, move, async (target) => {
      if (!(await hasArrived(target, move))) return false;
      await switchCell(deps, move, target);
      return true;
    });
    if (isThere) return 'completed';
  }
  // Of a move that only copies the other database is not asked: it may be why the move stands still.
  await letGo(deps, source, move);
  return 'given back';
};

/** Removes what is left of the move where the account is not. */
const cleanUp: Work = async (deps, move, source) => {
  if (move.is_held) return null;
  await inTarget(deps, move, (target) =>
    move.state === 'moved' ? leave(deps, move, { source, target }) : giveUp(deps, move, { source, target }),
  );
  return null;
};
