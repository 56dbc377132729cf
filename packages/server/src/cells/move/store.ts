import type { Queryable } from '../../store/database.ts';

export interface Move {
  readonly account_id: string;
  readonly source: string;
  readonly target: string;
  readonly state: 'copying' | 'committing' | 'moved';
  readonly attempt: number;
}

const columns = 'account_id, source, target, state, attempt';

export async function findMove(db: Queryable, accountId: string): Promise<Move | undefined> {
  const [row] = await db.query<Move>({
    text: `select ${columns} from account_moves where account_id = $1`,
    values: [accountId],
    scope: 'nobody',
  });
  return row;
}

/** Notes that an account is to move, unless that is noted already. */
export async function beginMove(
  db: Queryable,
  move: Pick<Move, 'account_id' | 'source' | 'target'>,
  now: Date,
): Promise<void> {
  await db.query({
    text: `insert into account_moves (${columns}, begun_at) values ($1, $2, $3, 'copying', 0, $4)
           on conflict (account_id) do nothing`,
    values: [move.account_id, move.source, move.target, now],
    scope: 'nobody',
  });
}

/**
 * Takes a step, unless the move is no longer where it was: then somebody else has gone on with it.
 * @throws Error where that is so
 */
export async function stepMove(
  db: Queryable,
  from: Pick<Move, 'account_id' | 'state' | 'attempt'>,
  to: Pick<Move, 'state' | 'attempt'> & { readonly isHeld: boolean },
): Promise<void> {
  const rows = await db.query({
    text: `update account_moves set state = $4, attempt = $5, is_held = $6
           where account_id = $1 and state = $2 and attempt = $3 returning account_id`,
    values: [from.account_id, from.state, from.attempt, to.state, to.attempt, to.isHeld],
    scope: 'nobody',
  });
  if (rows.length === 0) throw new Error('the move was taken up elsewhere');
}

export async function endMove(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    text: 'delete from account_moves where account_id = $1',
    values: [accountId],
    scope: 'nobody',
  });
}
