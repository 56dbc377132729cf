import { findAccount } from '../../accounts/store.ts';
import { keyHashesOf } from '../../api-keys/api-keys.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Connection, Database } from '../../store/database.ts';
import { home as homeName, insertCellKeys, setCellOfAccount } from '../store.ts';
import { directoryRefreshMs, type MoveDependencies } from './moving.ts';
import { withSession } from './sessions.ts';
import {
  dropIdleTriggers,
  endDeparture,
  hasIdleTriggers,
  oldDepartures,
  removeRows,
  setDeparture,
} from './source.ts';
import { endMove, type Move, stepMove } from './store.ts';
import { type MovedAccount, type MovedTable, movedTables } from './tables.ts';

/** How long a request that began before the move of its account may still be running. */
const maxRequestMs = 600_000;

/** Tables of home with rows about accounts in other cells, written by users' changes and not yet forwarded (copies.ts). */
const outboxes: readonly string[] = ['audit_log', 'mails'];

/** The tables from which rows are removed in a database that an account is not in. */
const removedFrom = (cell: string, tables: readonly MovedTable[]) =>
  cell === homeName ? tables.filter(({ name }) => !outboxes.includes(name)) : tables;

/** The account's tenant numbers in this database; undefined if the account is not there. */
export async function readNumbers(db: Connection, accountId: string): Promise<MovedAccount | undefined> {
  const rows = await db.query<{ tenant: number }>({
    text: 'select tenant from tenants where account_id = $1 order by livemode',
    values: [accountId],
  });
  const [test, live] = rows.map(({ tenant }) => tenant);
  return test === undefined || live === undefined ? undefined : { accountId, tenants: [test, live] };
}

/** Whether the rows are committed in the target. Then the move can only be completed. */
export async function hasArrived(
  target: Connection,
  { account_id: accountId, attempt }: Move,
): Promise<boolean> {
  const rows = await target.query({
    text: 'select 1 from arrivals where account_id = $1 and attempt = $2',
    values: [accountId, attempt],
  });
  return rows.length > 0;
}

/** Switches the directory, so that requests go to the target. */
export async function switchCell(deps: MoveDependencies, move: Move, target: Connection): Promise<Move> {
  const { account_id: accountId } = move;
  const db = await deps.open(move.target);
  const account = await findAccount(db, accountId);
  if (account === undefined) throw new Error(`${accountId} has not arrived`);
  const hashes = await keyHashesOf(target, accountId);
  const moved = { ...move, state: 'moved' } as const;
  await deps.home.transaction(async (tx) => {
    await stepMove(tx, move, { ...moved, isHeld: false });
    await setCellOfAccount(tx, account, move.target);
    await insertCellKeys(tx, accountId, hashes);
  });
  return moved;
}

/** Removes the account's rows from the source. The fence stays, since requests that began before the move may still write. */
export async function leave(
  deps: MoveDependencies,
  move: Move,
  { source, target }: { readonly source: Connection; readonly target: Connection },
): Promise<void> {
  const { account_id: accountId, source: cell } = move;
  await setDeparture(source, accountId, 'gone', deps.clock.now());
  const account = await readNumbers(target, accountId);
  if (account === undefined) throw new Error(`${accountId} has not arrived`);
  // After this delay every process knows that the account is elsewhere, so that missing rows are not taken for deleted ones.
  await deps.clock.delay(directoryRefreshMs);
  await removeRows(source, account, removedFrom(cell, await movedTables(source)));
  await deps.onStep?.('removed');
  await target.query({ text: 'delete from arrivals where account_id = $1', values: [accountId] });
  // If the account has come back, the target still has the fence of its earlier departure.
  await endDeparture(target, accountId);
  await endMove(deps.home, move);
}

/**
 * Removes the fences of accounts that left so long ago that no request of theirs can still be running, and drops the triggers of
 * these and of other ended moves.
 */
export async function dropOldFences(db: Database, clock: Clock): Promise<void> {
  const old = await oldDepartures(db, new Date(clock.now().getTime() - maxRequestMs));
  if (old.length === 0 && !(await hasIdleTriggers(db))) return;
  await withSession(db, async (session) => {
    for (const accountId of old) await endDeparture(session, accountId);
    await dropIdleTriggers(session);
  });
}

/**
 * Gives an account back to the source: removes the fence and lets its requests continue. Its writes are still noted.
 * @param source with the lock of the move, so that no other process can set the fence again
 * @returns the move with a new attempt number, so that a former process cannot continue it
 */
export async function giveBack(
  { home, clock }: Pick<MoveDependencies, 'home' | 'clock'>,
  source: Connection,
  move: Move,
): Promise<Move> {
  const anew = { ...move, state: 'copying', attempt: move.attempt + 1 } as const;
  // The step comes first, so that a process that stalled before its step to `committing` can no longer take it.
  await stepMove(home, move, { ...anew, isHeld: true });
  await setDeparture(source, move.account_id, 'copying', clock.now());
  await stepMove(home, anew, { ...anew, isHeld: false });
  return anew;
}

/** Ends a move whose account stays in the source, and removes its rows from the target. */
export async function giveUp(
  deps: MoveDependencies,
  move: Move,
  { source, target }: { readonly source: Connection; readonly target: Connection },
): Promise<void> {
  const { account_id: accountId, target: cell } = move;
  const account = await readNumbers(source, accountId);
  if (account === undefined) throw new Error(`${accountId} is not where it should be`);
  await removeRows(target, account, removedFrom(cell, await movedTables(source)));
  await endDeparture(source, accountId);
  await endMove(deps.home, move);
}
