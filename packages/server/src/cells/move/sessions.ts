import type { Connection, Database } from '../../store/database.ts';

/** Connections that a move works on, each with no limit of time. */
export interface Sessions {
  readonly source: Connection;
  readonly snapshot: Connection;
  readonly target: Connection;
}

/** A connection of its own for work without a limit of time, ended after it. */
export async function withSession<T>(db: Database, work: (session: Connection) => Promise<T>): Promise<T> {
  const session = await db.session();
  try {
    await session.query({ text: 'set statement_timeout = 0' });
    return await work(session);
  } finally {
    session.release();
  }
}
