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

/** How long a request may be on its way that was begun before its account was moved. */
const maxRequestMs = 600_000;

/** At home what people did about an account elsewhere, and is on its way there. */
const outboxes: readonly string[] = ['audit_log', 'mails'];

/** Rows that are removed from a database that an account is not in. */
const removedFrom = (cell: string, tables: readonly MovedTable[]) =>
  cell === homeName ? tables.filter(({ name }) => !outboxes.includes(name)) : tables;

/** The account's numbers where its rows are; undefined where they are not. */
export async function readNumbers(db: Connection, accountId: string): Promise<MovedAccount | undefined> {
  const rows = await db.query<{ tenant: number }>({
    text: 'select tenant from tenants where account_id = $1 order by livemode',
    values: [accountId],
  });
  const [test, live] = rows.map(({ tenant }) => tenant);
  return test === undefined || live === undefined ? undefined : { accountId, tenants: [test, live] };
}

/** Whether the rows were committed where the account goes: then there is no way back. */
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

/** From here on requests go to the other cell. */
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

/** Removes what the account left behind. The fence stays: requests that began before may still come. */
export async function leave(
  deps: MoveDependencies,
  move: Move,
  { source, target }: { readonly source: Connection; readonly target: Connection },
): Promise<void> {
  const { account_id: accountId, source: cell } = move;
  await setDeparture(source, accountId, 'gone', deps.clock.now());
  const account = await readNumbers(target, accountId);
  if (account === undefined) throw new Error(`${accountId} has not arrived`);
  // Who still reads these rows knows by then that what is missing is elsewhere.
  await deps.clock.delay(directoryRefreshMs);
  await removeRows(source, account, removedFrom(cell, await movedTables(source)));
  await deps.onStep?.('removed');
  await target.query({ text: 'delete from arrivals where account_id = $1', values: [accountId] });
  // Of when it left there, if it comes back.
  await endDeparture(target, accountId);
  await endMove(deps.home, move);
}

/**
 * Ends the fences of accounts that left a database so long ago that nothing of theirs can come any more, and drops the triggers
 * of those and of other moves that have ended.
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
 * Gives an account back to where it is: its requests go on, and fence and notes end.
 * @param source under its lock, so that no other process has it fenced again
 * @returns the move, which cannot go on from where it was
 */
export async function letGo(
  { home, clock }: Pick<MoveDependencies, 'home' | 'clock'>,
  source: Connection,
  move: Move,
): Promise<Move> {
  const anew = { ...move, state: 'copying', attempt: move.attempt + 1 } as const;
  // First: a process that slept before the step to `committing` cannot take it any more.
  await stepMove(home, move, { ...anew, isHeld: true });
  await setDeparture(source, move.account_id, 'copying', clock.now());
  await stepMove(home, anew, { ...anew, isHeld: false });
  return anew;
}

/** Ends a move whose account stays where it is, and removes what had come to the other database. */
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
