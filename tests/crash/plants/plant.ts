import type { Provider } from '@till/contract';
import type { Transport } from '../../../packages/server/src/processors/wire/transport.ts';
import type { Database } from '../../../packages/server/src/store/database.ts';
import type { ScopedStatement } from '../../../packages/server/src/store/scope.ts';
import type { WebhookTransport } from '../../../packages/server/src/webhooks/delivery/transport.ts';
import { commitName } from '../commit-name.ts';

/** A fault put into a server on purpose, in front of its failpoints: what counts faults has to find it. */
export interface Plant {
  readonly database: (db: Database) => Database;
  readonly toProcessor: (processor: Provider, usual: Transport) => Transport;
  readonly toReceivers: (usual: WebhookTransport) => WebhookTransport;
  /** Why the fault is not in the server, in words, after it has run; nothing where it is. */
  readonly missing: () => readonly string[];
}

export const noPlant: Plant = {
  database: (db) => db,
  toProcessor: (_processor, usual) => usual,
  toReceivers: (usual) => usual,
  missing: () => [],
};

type Run = <Row>(statement: ScopedStatement) => Promise<Row[]>;

/** A database that runs statements in another way, also those inside of transactions. */
export const overStatements =
  (change: (run: Run) => Run): Plant['database'] =>
  (db) => ({
    ...db,
    query: change((statement) => db.query(statement)),
    transaction: (work) =>
      db.transaction((tx) => work({ query: change((statement) => tx.query(statement)) })),
  });

/** What is taken out of a named statement, and what stands there instead. */
export interface Rewriting {
  readonly statement: string;
  readonly changes: readonly (readonly [text: string, instead: string])[];
  /** Whether it need not be run. */
  readonly mayRest?: boolean;
}

/**
 * Changes the text of statements. One that is not run, or that has not the text that is to be changed, is missing: a fault
 * that a rebuilding has taken away must not pass for one that was found.
 */
export function rewriting(rewritings: readonly Rewriting[]): Plant {
  const known = new Map(rewritings.map((one) => [one.statement, one.changes]));
  const expected = rewritings.filter(({ mayRest }) => mayRest !== true);
  const left = new Map(expected.map(({ statement }) => [statement, `${statement} was never run`]));
  const rewrite = (statement: ScopedStatement): ScopedStatement => {
    const name = commitName(statement.name ?? '');
    const changes = known.get(name);
    if (changes === undefined) return statement;
    const absent = changes.find(([text]) => !statement.text.includes(text));
    if (absent !== undefined) {
      left.set(name, `${name} has no "${absent[0]}"`);
      return statement;
    }
    left.delete(name);
    const text = changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), statement.text);
    return { ...statement, text };
  };
  return {
    ...noPlant,
    database: overStatements((run) => (statement) => run(rewrite(statement))),
    missing: () => [...left.values()],
  };
}

/** Runs another statement in place of a named one. */
export function inPlaceOf(name: string, instead: (statement: ScopedStatement) => ScopedStatement): Plant {
  let isPlanted = false;
  return {
    ...noPlant,
    database: overStatements((run) => (statement) => {
      if (statement.name !== name) return run(statement);
      isPlanted = true;
      return run(instead(statement));
    }),
    missing: () => (isPlanted ? [] : [`${name} was never run`]),
  };
}
