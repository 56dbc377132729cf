import type { Connection } from '../../store/database.ts';
import { home as homeName } from '../store.ts';
import { lockIfFree, takeLock } from './locks.ts';
import type { MoveDependencies } from './moving.ts';
import { withSession } from './sessions.ts';
import { giveUp, hasArrived, leave, letGo, switchCell } from './settle.ts';
import { findMove, listMoves, type Move, takeMove } from './store.ts';

/** How often servers look for moves that nobody goes on with. */
export const repairIntervalMs = 1_000;

/** A process that holds the requests of an account has so long for each step: longer than one may take (hand-over.ts). */
const leaseMs = 6_000;

/** So many moves of one cell are looked after beside each other: each takes up to four connections. */
const atOnce = 4;

type OpenedDependencies = MoveDependencies & { close(): Promise<void> };

/** What a server brings to an end that a command began. */
export interface RepairDependencies {
  readonly home: MoveDependencies['home'];
  /** Opens what is worked with, for one move; closed after it, or to end it. */
  readonly open: () => OpenedDependencies;
  /** Called with what was done. */
  readonly onRepaired: (accountId: string, outcome: 'given back' | 'completed') => void;
  readonly onError: (error: unknown) => void;
  /** Time that passed, in milliseconds. */
  readonly elapsed: () => number;
  /** Since when this process has seen the moves that hold requests without a step. */
  readonly seen: Map<string, number>;
}

/**
 * Brings moves to an end whose command was killed, or stands still while requests wait for it: an account whose rows have
 * arrived is moved, every other one takes requests where it is. The connections of the process that moved it are ended first, so that
 * one that wakes up later does nothing any more. Where a database of the move cannot be reached it is tried again. Each move is
 * brought to its end by itself: where one waits for a statement that does not end, it alone does.
 */
class Repairer {
  readonly #repairing: RepairDependencies;
  readonly #work: Work;
  readonly #running = new Map<
    string,
    { readonly move: Move; readonly deps: OpenedDependencies; readonly ended: Promise<void> }
  >();
  #isStopped = false;

  constructor(repairing: RepairDependencies, work: Work) {
    this.#repairing = repairing;
    this.#work = work;
  }

  /** Begins with moves that nobody goes on with. */
  async look(): Promise<void> {
    const { home } = this.#repairing;
    const abandoned =
      this.#work === decide
        ? lapsed(this.#repairing, await listMoves(home, true))
        : free(await listMoves(home, false));
    for (const one of abandoned) if (this.#hasRoomFor(one.move)) this.#begin(one);
  }

  /** Ends what is under way, wherever it waits. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = [...this.#running.values()];
    await Promise.all(running.map(({ deps }) => deps.close()));
    await Promise.all(running.map(({ ended }) => ended));
  }

  #hasRoomFor(move: Move): boolean {
    if (this.#isStopped || this.#running.has(move.account_id)) return false;
    const isBusy = (cell: string) =>
      cell !== homeName &&
      [...this.#running.values()].filter(({ move: { source, target } }) => [source, target].includes(cell))
        .length >= atOnce;
    return !isBusy(move.source) && !isBusy(move.target);
  }

  #begin(one: Abandoned): void {
    const { move } = one;
    const deps = this.#repairing.open();
    const ended = this.#bringToEnd(one, deps).finally(() => this.#running.delete(move.account_id));
    this.#running.set(move.account_id, { move, deps, ended });
  }

  async #bringToEnd({ move, isLapsed }: Abandoned, deps: OpenedDependencies): Promise<void> {
    const { onRepaired, onError } = this.#repairing;
    try {
      const outcome = await withSession(deps.home, (lock) =>
        repair(deps, lock, { move, isLapsed }, this.#work),
      );
      if (outcome !== null) onRepaired(move.account_id, outcome);
    } catch (error) {
      if (!this.#isStopped) onError(error);
    }
    await deps.close();
  }
}

/** What decides where accounts are, and, beside it, what removes the rest of their moves: that may take long, and nobody waits for it. */
export const createRepairers = (repairing: RepairDependencies): readonly Repairer[] =>
  [decide, cleanUp].map((work) => new Repairer(repairing, work));

interface Abandoned {
  readonly move: Move;
  /** Its process may live, and stands still. */
  readonly isLapsed: boolean;
}

type Listed = Awaited<ReturnType<typeof listMoves>>;

const free = (moves: Listed): Abandoned[] =>
  moves.filter((move) => !move.is_locked).map((move) => ({ move, isLapsed: false }));

/** Those that nobody has the lock of, and those that this process has seen at the same step for too long. */
function lapsed({ elapsed, seen }: RepairDependencies, moves: Listed): Abandoned[] {
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

type Outcome = Parameters<RepairDependencies['onRepaired']>[1];
type Work = (deps: MoveDependencies, move: Move, source: Connection) => Promise<Outcome | null>;

async function repair(
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
