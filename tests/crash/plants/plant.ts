import type { Provider } from '@till/contract';
import type { Transport } from '../../../packages/server/src/processors/wire/transport.ts';
import type { Database } from '../../../packages/server/src/store/database.ts';
import type { ScopedStatement } from '../../../packages/server/src/store/scope.ts';
import type { WebhookTransport } from '../../../packages/server/src/webhooks/delivery/transport.ts';
import { commitName } from '../commit-name.ts';

/** A fault planted into a server, in front of its failpoints, to prove that the counters find it. */
export interface Plant {
  readonly database: (db: Database) => Database;
  readonly wrapProcessorTransport: (processor: Provider, usual: Transport) => Transport;
  readonly wrapReceiverTransport: (usual: WebhookTransport) => WebhookTransport;
  /** Called after the run: the reasons why the fault was not in effect; empty if it was. */
  readonly missing: () => readonly string[];
}

export const noPlant: Plant = {
  database: (db) => db,
  wrapProcessorTransport: (_processor, usual) => usual,
  wrapReceiverTransport: (usual) => usual,
  missing: () => [],
};

type Run = <Row>(statement: ScopedStatement) => Promise<Row[]>;

/** Wraps a database so that statements run differently, including those within transactions. */
export const overStatements =
  (change: (run: Run) => Run): Plant['database'] =>
  (db) => ({
    ...db,
    query: change((statement) => db.query(statement)),
    transaction: (work) =>
      db.transaction((tx) => work({ query: change((statement) => tx.query(statement)) })),
  });

/** Replacements in the text of a named statement. */
export interface Rewriting {
  readonly statement: string;
  readonly changes: readonly (readonly [text: string, instead: string])[];
  /** Whether the statement may remain unused. */
  readonly mayRest?: boolean;
}

/**
 * Changes the text of statements. A statement that is not run, or that does not have the text to be replaced, is reported as
 * missing: a fault that a refactoring has made ineffective must not pass as found.
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

/** Runs another statement instead of a named one. */
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
