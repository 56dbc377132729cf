import { inChild } from '../lib/tracing/span.ts';
import type { Database, Queryable } from '../store/database.ts';

/** The first word of a statement, such as `SELECT`. It names the span of a statement that has no name. */
const commandOf = (text: string) => /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'SQL';

const traced = ({ query }: Queryable): Queryable['query'] => {
  return (statement) => {
    const name = statement.name ?? commandOf(statement.text);
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name } as const;
    return inChild({ name, kind: 'client', attributes }, () => query<never>(statement));
  };
};

/** Records each statement as a span of its request or job, without the statement's text and values. */
export const traceStatements = (db: Database): Database => ({
  ...db,
  query: traced(db),
  transaction: (work) =>
    inChild({ name: 'transaction', kind: 'internal', attributes: {} }, () =>
      db.transaction((tx) => work({ query: traced(tx) })),
    ),
});
