import { OperatorError } from '../../accounts/accounts.ts';
import { findAccount } from '../../accounts/store.ts';
import { keyHashesOf } from '../../api-keys/api-keys.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Connection, Database } from '../../store/database.ts';
import { findCellOf, home as homeName, insertCellKeys, setCellOfAccount } from '../store.ts';
import { handOver } from './hand-over.ts';
import type { MoveDependencies } from './moving.ts';
import { dropTriggers, removeRows, setDeparture } from './source.ts';
import { beginMove, endMove, findMove, type Move, stepMove } from './store.ts';
import { type MovedAccount, type MovedTable, movedTables } from './tables.ts';

/** Under which one process at a time moves an account: in the home database, and in the one that it comes to. */
const movingLocks = { home: 7_110_431, target: 7_110_432 } as const;
/** How long a request may be on its way that was begun before its account was moved. */
const longestRequestMs = 600_000;

type Session = Awaited<ReturnType<Database['session']>>;

export interface Moved {
  readonly id: string;
  readonly cell: string;
  /** For how long its requests waited, in milliseconds; null where that was in an earlier call. */
  readonly held_ms: number | null;
}

/** Takes the lock, for as long as the connection is open. @throws OperatorError `move_under_way` */
async function lockMove(session: Session, lock: keyof typeof movingLocks, accountId: string): Promise<void> {
  const [row] = await session.query<{ locked: boolean }>({
    text: 'select pg_try_advisory_lock($1, hashtext($2)) as locked',
    values: [movingLocks[lock], accountId],
  });
  if (row?.locked !== true) {
    throw new OperatorError('move_under_way', `Another process is moving ${accountId}.`);
  }
}

/**
 * Moves an account to another cell while it takes requests (docs/decisions, "An account moves while it takes payments"). Where
 * this ends at any point it is called again, and goes on or begins anew.
 * @throws OperatorError `account_not_found`, `already_there`, `move_under_way`
 */
export async function moveAccount(deps: MoveDependencies, accountId: string, to: string): Promise<Moved> {
  const lock = await deps.home.session();
  try {
    await lockMove(lock, 'home', accountId);
    const move = await requireMove(deps, accountId, to);
    const [source, target] = [await deps.open(move.source), await deps.open(move.target)];
    return await withSessions({ source, target }, (sessions) => moveOn(deps, move, sessions));
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
    await beginMove(home, { account_id: accountId, source: from, target: to }, clock.now());
  }
  const move = await findMove(home, accountId);
  if (move === undefined || move.target !== to) {
    throw new OperatorError('move_under_way', `${accountId} is on its way to ${move?.target ?? 'nowhere'}.`);
  }
  return move;
}

interface Sessions {
  readonly source: Session;
  readonly snapshot: Session;
  readonly target: Session;
}

async function withSessions<T>(
  databases: { readonly source: Database; readonly target: Database },
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  const opened: Session[] = [];
  const session = async (db: Database) => {
    const one = await db.session();
    opened.push(one);
    await one.query({ text: 'set statement_timeout = 0' });
    return one;
  };
  try {
    const [source, snapshot] = [await session(databases.source), await session(databases.source)];
    return await work({ source, snapshot, target: await session(databases.target) });
  } finally {
    for (const one of opened) one.release();
  }
}

async function moveOn(deps: MoveDependencies, begun: Move, sessions: Sessions): Promise<Moved> {
  const { account_id: accountId, target: cell } = begun;
  // What an earlier call may still be doing there ends first.
  await lockMove(sessions.target, 'target', accountId);
  const account = await requireNumbers(
    begun.state === 'copying' ? sessions.source : sessions.target,
    accountId,
  );
  const tables = await movedTables(sessions.source);
  let heldMs: number | null = null;
  let move = begun;
  if (move.state !== 'moved' && !(await hasArrived(sessions.target, move))) {
    const moving = {
      deps,
      move,
      account: account ?? (await requireSource(sessions, accountId)),
      tables,
      ...sessions,
    };
    ({ move, heldMs } = await handOver(moving));
  }
  if (move.state !== 'moved') move = await switchCell(deps, move, sessions.target);
  await deps.onStep?.('moved');
  await leave(deps, move, { sessions, tables });
  return { id: accountId, cell, held_ms: heldMs === null ? null : Math.round(heldMs) };
}

async function requireNumbers(db: Connection, accountId: string): Promise<MovedAccount | undefined> {
  const rows = await db.query<{ tenant: number }>({
    text: 'select tenant from tenants where account_id = $1 order by livemode',
    values: [accountId],
  });
  const [test, live] = rows.map(({ tenant }) => tenant);
  return test === undefined || live === undefined ? undefined : { accountId, tenants: [test, live] };
}

async function requireSource({ source }: Sessions, accountId: string): Promise<MovedAccount> {
  const account = await requireNumbers(source, accountId);
  if (account === undefined) throw new Error(`${accountId} is not where it should be`);
  return account;
}

/** Whether the rows were committed where the account goes: then there is no way back. */
async function hasArrived(target: Connection, { account_id: accountId, attempt }: Move): Promise<boolean> {
  const rows = await target.query({
    text: 'select 1 from arrivals where account_id = $1 and attempt = $2',
    values: [accountId, attempt],
  });
  return rows.length > 0;
}

/** From here on requests go to the other cell. */
async function switchCell(deps: MoveDependencies, move: Move, target: Connection): Promise<Move> {
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
async function leave(
  deps: MoveDependencies,
  move: Move,
  { sessions, tables }: { readonly sessions: Sessions; readonly tables: readonly MovedTable[] },
): Promise<void> {
  const { account_id: accountId, source: cell } = move;
  const { source, target } = sessions;
  await setDeparture(source, accountId, 'gone', deps.clock.now());
  const account = await requireNumbers(target, accountId);
  if (account === undefined) throw new Error(`${accountId} has not arrived`);
  // At home what is in the outboxes is forwarded, and what was copied already with it.
  const outboxes = cell === homeName ? ['audit_log', 'mails'] : [];
  await removeRows(
    source,
    account,
    tables.filter(({ name }) => !outboxes.includes(name)),
  );
  await deps.onStep?.('removed');
  await target.query({ text: 'delete from arrivals where account_id = $1', values: [accountId] });
  await endMove(deps.home, accountId);
  await dropOldTriggers(deps.clock, source);
}

/** Of accounts that left so long ago that nothing of theirs can come any more. */
async function dropOldTriggers(clock: Clock, source: Connection): Promise<void> {
  const before = new Date(clock.now().getTime() - longestRequestMs);
  const old = await source.query<{ accountId: string }>({
    text: `select account_id as "accountId" from departures where state = 'gone' and at < $1`,
    values: [before],
  });
  for (const account of old) await dropTriggers(source, clock, account);
}
