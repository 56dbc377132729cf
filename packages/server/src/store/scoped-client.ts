import type pg from 'pg';
import type { ScopedStatement, Statement } from './scope.ts';
import { type ScopeSettings, settingsOf } from './scope.ts';

type Send = <Row>(client: pg.ClientBase, statement: Statement) => Promise<Row[]>;

const setScope = {
  name: 'set_scope',
  text: `select set_config('role', $1, false), set_config('till.tenants', $2, false),
    set_config('till.accounts', $3, false)`,
};

const isSame = (one: ScopeSettings, other: ScopeSettings | undefined) =>
  one.role === other?.role && one.tenants === other.tenants && one.accounts === other.accounts;

/** Sets on connections whose rows their next statement may touch, where it is not set so already. */
export class ScopedClients {
  readonly #send: Send;
  readonly #set = new WeakMap<pg.ClientBase, ScopeSettings>();

  constructor(send: Send) {
    this.#send = send;
  }

  /** Runs a statement in its scope. */
  async query<Row>(client: pg.ClientBase, statement: ScopedStatement): Promise<Row[]> {
    const wanted = settingsOf(statement.scope);
    if (wanted === null || isSame(wanted, this.#set.get(client))) return this.#send<Row>(client, statement);
    // Both travel together, and nobody else's statement comes between them.
    const set = this.#apply(client, wanted);
    const [rows] = await Promise.all([this.#send<Row>(client, statement), set]);
    return rows;
  }

  /** After a rollback nobody knows what is set on a connection. */
  forget(client: pg.ClientBase): void {
    this.#set.delete(client);
  }

  async #apply(client: pg.ClientBase, settings: ScopeSettings): Promise<void> {
    this.#set.set(client, settings);
    try {
      const { role, tenants, accounts } = settings;
      await this.#send(client, { ...setScope, values: [role, tenants, accounts] });
    } catch (error) {
      this.#set.delete(client);
      throw error;
    }
  }
}

const setPlanMode = (isGeneric: boolean): Statement => ({
  name: isGeneric ? 'plan_once' : 'plan_by_cost',
  text: `select set_config('plan_cache_mode', '${isGeneric ? 'force_generic_plan' : 'auto'}', false)`,
});

/** Sets on connections whether their next statement is planned once for all values, where it is not set so already. */
export class PlanModes {
  readonly #send: Send;
  readonly #isGeneric = new WeakMap<pg.ClientBase, boolean>();

  constructor(send: Send) {
    this.#send = send;
  }

  /** Call it right before the statement is sent: both travel together. @returns undefined where nothing is to be set */
  prepare(client: pg.ClientBase, statement: Statement): Promise<unknown> | undefined {
    const isGeneric = statement.generic === true;
    if (isGeneric === this.#isGeneric.get(client)) return undefined;
    this.#isGeneric.set(client, isGeneric);
    return this.#send(client, setPlanMode(isGeneric)).catch((error: unknown) => {
      this.forget(client);
      throw error;
    });
  }

  /** After a rollback nobody knows what is set on a connection. */
  forget(client: pg.ClientBase): void {
    this.#isGeneric.delete(client);
  }
}
