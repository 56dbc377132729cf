import type { Connection, Database } from '../../store/database.ts';

/** The connections of a move, without a statement timeout. */
export interface Sessions {
  readonly source: Connection;
  readonly snapshot: Connection;
  readonly target: Connection;
}

/** Runs work on a separate connection without a statement timeout, and closes the connection after it. */
export async function withSession<T>(db: Database, work: (session: Connection) => Promise<T>): Promise<T> {
  const session = await db.session();
  try {
    await session.query({ text: 'set statement_timeout = 0' });
    return await work(session);
  } finally {
    session.release();
  }
}
