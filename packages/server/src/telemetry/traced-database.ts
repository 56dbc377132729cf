import { inChild } from '../lib/tracing/span.ts';
import type { Database, Queryable } from '../store/database.ts';

/** A statement without a name is shown by its first word, which is one of SQL's. */
const commandOf = (text: string) => /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'SQL';

const traced = ({ query }: Queryable): Queryable['query'] => {
  return (statement) => {
    const name = statement.name ?? commandOf(statement.text);
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name } as const;
    return inChild({ name, kind: 'client', attributes }, () => query<never>(statement));
  };
};

/** Makes each statement a span of the request or job that it runs for, without its text and values. */
export const traceStatements = (db: Database): Database => ({
  ...db,
  query: traced(db),
  transaction: (work) =>
    inChild({ name: 'transaction', kind: 'internal', attributes: {} }, () =>
      db.transaction((tx) => work({ query: traced(tx) })),
    ),
});
