import type { Connection } from '../../store/database.ts';
import { home as homeName } from '../store.ts';
import { lockIfFree, takeLock } from './locks.ts';
import type { MoveDependencies } from './moving.ts';
import { withSession } from './sessions.ts';
import { giveBack, giveUp, hasArrived, leave, switchCell } from './settle.ts';
import { findMove, listMoves, type Move, takeMove } from './store.ts';

/** How often servers look for abandoned moves. */
export const repairIntervalMs = 1_000;

/** How long a process that holds an account's requests may take for one step: more than the limits in hand-over.ts allow. */
const leaseMs = 6_000;

/** How many moves of one cell are repaired concurrently. Each needs up to four connections. */
const atOnce = 4;

type OpenedDependencies = MoveDependencies & { close(): Promise<void> };

/** Dependencies of the repair of moves. */
export interface RepairDependencies {
  readonly home: MoveDependencies['home'];
  /** Opens the databases for one move. They are closed when the repair has ended, or to abort it. */
  readonly open: () => OpenedDependencies;
  /** Called with the outcome of each repair. */
  readonly onRepaired: (accountId: string, outcome: 'given back' | 'completed') => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** For each step of a move that holds requests: the time at which this process first saw the move there. */
  readonly seen: Map<string, number>;
}

/**
 * Finishes moves whose command was killed, or stalls while requests wait. If the account's rows are committed in the target, the
 * move is completed; otherwise the account takes requests where it is. The connections of the command are terminated first, so
 * that a command that wakes up later cannot change anything. If a database cannot be reached, the repair is retried. Moves are
 * repaired independently: one that waits for a statement that does not end delays no other.
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

  /** Finds abandoned moves and starts to repair them. */
  async look(): Promise<void> {
    const { home } = this.#repairing;
    const abandoned =
      this.#work === decide
        ? lapsed(this.#repairing, await listMoves(home, true))
        : free(await listMoves(home, false));
    for (const one of abandoned) if (this.#hasRoomFor(one.move)) this.#begin(one);
  }

  /** Aborts the repairs in progress by closing their connections. */
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

/**
 * Creates two repairers. One decides where accounts are. The other removes the remains of moves, which may take long and which no
 * request waits for.
 */
export const createRepairers = (repairing: RepairDependencies): readonly Repairer[] =>
  [decide, cleanUp].map((work) => new Repairer(repairing, work));

interface Abandoned {
  readonly move: Move;
  /** The process of the move holds the lock but stalls. */
  readonly isLapsed: boolean;
}

type Listed = Awaited<ReturnType<typeof listMoves>>;

const free = (moves: Listed): Abandoned[] =>
  moves.filter((move) => !move.is_locked).map((move) => ({ move, isLapsed: false }));

/** Moves whose lock is free, and moves that this process has seen at the same step for too long. */
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

/** Runs work in the target database under the move's lock. No other process can commit there any more, so its state is final. */
async function inTarget<T>(deps: MoveDependencies, move: Move, work: (target: Connection) => Promise<T>) {
  return withSession(await deps.open(move.target), async (target) => {
    await takeLock(target, deps.clock, 'target', move.account_id);
    return work(target);
  });
}

/** Lets requests continue: in the target if the rows are committed there, otherwise in the source. */
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
  // For a move that still copies, the target is not queried: it may be the reason why the move stalls.
  await giveBack(deps, source, move);
  return 'given back';
};

/** Removes the remains of a move from the database that the account is not in. */
const cleanUp: Work = async (deps, move, source) => {
  if (move.is_held) return null;
  await inTarget(deps, move, (target) =>
    move.state === 'moved' ? leave(deps, move, { source, target }) : giveUp(deps, move, { source, target }),
  );
  return null;
};
