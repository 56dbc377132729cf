import type pg from 'pg';
import type { Statement } from './database.ts';
import { type ScopeSettings, scopeOf, settingsOf } from './scope.ts';

type Send = <Row>(client: pg.ClientBase, statement: Statement) => Promise<Row[]>;

const setScope = {
  name: 'set_scope',
  text: `select set_config('role', $1, false), set_config('till.test', $2, false), set_config('till.live', $3, false)`,
};

const isSame = (one: ScopeSettings, other: ScopeSettings | undefined) =>
  one.role === other?.role && one.test === other.test && one.live === other.live;

/** Tells connections whose rows their next statement may touch; only where they were not told so already. */
export class ScopedClients {
  readonly #send: Send;
  readonly #told = new WeakMap<pg.ClientBase, ScopeSettings>();

  constructor(send: Send) {
    this.#send = send;
  }

  /** Runs a statement in its scope. */
  async query<Row>(client: pg.ClientBase, statement: Statement): Promise<Row[]> {
    const wanted = settingsOf(scopeOf(statement));
    if (wanted === null || isSame(wanted, this.#told.get(client))) return this.#send<Row>(client, statement);
    // Both travel together, and nobody else's statement comes between them.
    const told = this.#tell(client, wanted);
    const [rows] = await Promise.all([this.#send<Row>(client, statement), told]);
    return rows;
  }

  /** After a rollback nobody knows what a connection was told last. */
  forget(client: pg.ClientBase): void {
    this.#told.delete(client);
  }

  async #tell(client: pg.ClientBase, settings: ScopeSettings): Promise<void> {
    this.#told.set(client, settings);
    try {
      const { role, test, live } = settings;
      await this.#send(client, { ...setScope, values: [role, test, live] });
    } catch (error) {
      this.#told.delete(client);
      throw error;
    }
  }
}
