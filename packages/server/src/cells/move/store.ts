import { OperatorError } from '../../accounts/accounts.ts';
import type { Queryable } from '../../store/database.ts';
import { holdersOf, moveLocks } from './locks.ts';

export interface Move {
  readonly account_id: string;
  readonly source: string;
  readonly target: string;
  readonly state: 'copying' | 'committing' | 'moved';
  readonly attempt: number;
  /** Distinguishes the move from earlier and later moves of the account. */
  readonly begun_at: Date;
  /** Whether the account's requests wait. */
  readonly is_held: boolean;
  /** How often a server took the move over from a stalled process. */
  readonly taken: number;
}

const columns = 'account_id, source, target, state, attempt, begun_at';

export async function findMove(db: Queryable, accountId: string): Promise<Move | undefined> {
  const [row] = await db.query<Move>({
    text: `select ${columns}, is_held, taken from account_moves where account_id = $1`,
    values: [accountId],
    scope: 'nobody',
  });
  return row;
}

/** Records a move, unless the account has one already. */
export async function beginMove(
  db: Queryable,
  move: Pick<Move, 'account_id' | 'source' | 'target'>,
  now: Date,
): Promise<void> {
  await db.query({
    text: `insert into account_moves (${columns}) values ($1, $2, $3, 'copying', 0, $4)
           on conflict (account_id) do nothing`,
    values: [move.account_id, move.source, move.target, now],
    scope: 'nobody',
  });
}

/**
 * Advances a move, if it is still in the given state.
 * @throws OperatorError `move_taken_over` if another process has advanced it
 */
export async function stepMove(
  db: Queryable,
  from: Pick<Move, 'account_id' | 'state' | 'attempt' | 'begun_at'>,
  to: Pick<Move, 'state' | 'attempt'> & { readonly isHeld: boolean },
): Promise<void> {
  const rows = await db.query({
    text: `update account_moves set state = $5, attempt = $6, is_held = $7
           where account_id = $1 and state = $2 and attempt = $3 and begun_at = $4 returning account_id`,
    values: [from.account_id, from.state, from.attempt, from.begun_at, to.state, to.attempt, to.isHeld],
    scope: 'nobody',
  });
  if (rows.length === 0) throw takenOver(from.account_id);
}

export const takenOver = (accountId: string) =>
  new OperatorError(
    'move_taken_over',
    `The move of ${accountId} stood still, so a server has ended it. Look where it is with till accounts list, and call this again.`,
  );

/** Takes a move over from a stalled process. @returns false if that process advanced it, or another server was first */
export async function takeMove(db: Queryable, move: Move): Promise<boolean> {
  const rows = await db.query({
    text: `update account_moves set taken = taken + 1 where account_id = $1 and begun_at = $2 and state = $3
             and attempt = $4 and taken = $5 and is_held returning account_id`,
    values: [move.account_id, move.begun_at, move.state, move.attempt, move.taken],
    scope: 'nobody',
  });
  return rows.length > 0;
}

/** Lists moves. @param isHeld whether to list those whose requests wait, or the others */
export async function listMoves(
  db: Queryable,
  isHeld: boolean,
): Promise<readonly (Move & { readonly is_locked: boolean })[]> {
  return db.query<Move & { readonly is_locked: boolean }>({
    name: 'list_moves',
    text: `select ${columns}, is_held, taken,
             exists (select from (${holdersOf('m.account_id', moveLocks.home)}) holders) as is_locked
           from account_moves m where m.is_held = $1 order by m.begun_at`,
    values: [isHeld],
    scope: 'nobody',
  });
}

/** Whether any account is being moved. */
export async function hasMoves(db: Queryable): Promise<boolean> {
  return (await db.query({ text: 'select from account_moves limit 1', scope: 'nobody' })).length > 0;
}

export async function endMove(db: Queryable, move: Pick<Move, 'account_id' | 'begun_at'>): Promise<void> {
  await db.query({
    text: 'delete from account_moves where account_id = $1 and begun_at = $2',
    values: [move.account_id, move.begun_at],
    scope: 'nobody',
  });
}
