import { OperatorError } from '../../accounts/accounts.ts';
import { findAccount } from '../../accounts/store.ts';
import { acrossAccounts, type Database } from '../../store/database.ts';
import { findCellOf, home as homeName } from '../store.ts';
import { handOver } from './hand-over.ts';
import { lockMove } from './locks.ts';
import type { MoveDependencies } from './moving.ts';
import { type Sessions, withSession } from './sessions.ts';
import { hasArrived, leave, readNumbers, switchCell } from './settle.ts';
import { requireFreeNumbers } from './source.ts';
import { beginMove, findMove, type Move, takenOver } from './store.ts';
import { movedTables } from './tables.ts';

export interface Moved {
  readonly id: string;
  readonly cell: string;
  /** How long the account's requests waited, in milliseconds; null if the handover was in an earlier call. */
  readonly held_ms: number | null;
}

/**
 * Moves an account to another cell while it takes requests (docs/decisions, "An account moves while it takes payments"). If the
 * process ends at any point, servers give the account back or complete the move (`repair.ts`), and this can be called again.
 * @throws OperatorError `account_not_found`, `already_there`, `move_under_way`, `move_taken_over`, `numbers_taken`
 */
export async function moveAccount(deps: MoveDependencies, accountId: string, to: string): Promise<Moved> {
  const lock = await deps.home.session();
  let isLost = false;
  lock.onLost(() => {
    isLost = true;
  });
  try {
    await lockMove(lock, deps.clock, 'home', accountId);
    const move = await requireMove(deps, accountId, to);
    const [source, target] = [await deps.open(move.source), await deps.open(move.target)];
    return await withSessions({ source, target }, (sessions) => moveOn(deps, move, sessions));
  } catch (error) {
    throw isLost && !(error instanceof OperatorError) ? takenOver(accountId) : error;
  } finally {
    lock.release();
  }
}

async function requireMove(deps: MoveDependencies, accountId: string, to: string): Promise<Move> {
  const { home, clock } = deps;
  const known = await findMove(home, accountId);
  const from = known?.source ?? (await findCellOf(home, accountId)) ?? homeName;
  if (known === undefined) {
    if ((await findAccount(await deps.open(from), accountId)) === undefined) {
      throw new OperatorError('account_not_found', `There is no account ${accountId}.`);
    }
    if (from === to) throw new OperatorError('already_there', `${accountId} is in ${to} already.`);
    const account = await readNumbers(acrossAccounts(await deps.open(from)), accountId);
    if (account !== undefined) await requireFreeNumbers(acrossAccounts(await deps.open(to)), account);
    await beginMove(home, { account_id: accountId, source: from, target: to }, clock.now());
  }
  const move = await findMove(home, accountId);
  if (move === undefined || move.target !== to) {
    throw new OperatorError('move_under_way', `${accountId} is on its way to ${move?.target ?? 'nowhere'}.`);
  }
  return move;
}

function withSessions<T>(
  { source, target }: { readonly source: Database; readonly target: Database },
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  return withSession(source, (leaving) =>
    withSession(source, (snapshot) =>
      withSession(target, (coming) => work({ source: leaving, snapshot, target: coming })),
    ),
  );
}

async function moveOn(deps: MoveDependencies, begun: Move, sessions: Sessions): Promise<Moved> {
  const { account_id: accountId, target: cell } = begun;
  const { source, target } = sessions;
  // An earlier call may still be running. The locks wait for its end.
  await lockMove(target, deps.clock, 'target', accountId);
  await lockMove(source, deps.clock, 'source', accountId);
  let heldMs: number | null = null;
  let move = begun;
  if (move.state !== 'moved' && !(await hasArrived(target, move))) {
    const account = await readNumbers(source, accountId);
    if (account === undefined) throw new Error(`${accountId} is not where it should be`);
    const moving = { deps, move, account, tables: await movedTables(source), ...sessions };
    ({ move, heldMs } = await handOver(moving));
  }
  if (move.state !== 'moved') move = await switchCell(deps, move, target);
  await deps.onStep?.('moved');
  await leave(deps, move, sessions);
  return { id: accountId, cell, held_ms: heldMs === null ? null : Math.round(heldMs) };
}
