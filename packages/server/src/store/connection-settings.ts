import type pg from 'pg';
import { everybody, type ScopedStatement, type ScopeSettings, type Statement, settingsOf } from './scope.ts';

type Send = (client: pg.ClientBase, statement: Statement) => Promise<unknown>;

interface Settings extends ScopeSettings {
  readonly planMode: 'auto' | 'force_generic_plan';
  /** Whether the planner may use sorts, hash joins and merge joins. */
  readonly sorts: 'on' | 'off';
}

const sortSettings = ['enable_sort', 'enable_incremental_sort', 'enable_hashjoin', 'enable_mergejoin'];

const applySettings = {
  name: 'apply_settings',
  text: `select set_config('role', $1, false), set_config('till.tenants', $2, false),
    set_config('till.accounts', $3, false), set_config('plan_cache_mode', $4, false),
    ${sortSettings.map((name) => `set_config('${name}', $5, false)`).join(', ')}`,
};

const isSame = (one: Settings, other: Settings | undefined) =>
  one.role === other?.role &&
  one.tenants === other.tenants &&
  one.accounts === other.accounts &&
  one.planMode === other.planMode &&
  one.sorts === other.sorts;

/** Which settings the connections of a pool need for its statements. */
export interface SettingsOptions {
  /** Whether each statement is restricted to the rows that its scope names. Called before each statement. */
  readonly isScoped: () => boolean;
  /** Whether statements may choose how they are planned. */
  readonly choosesPlans: boolean;
}

/**
 * Sets on a connection whose rows the next statement may touch and how it is planned, unless the connection is set so already.
 */
export class ConnectionSettings {
  readonly #send: Send;
  readonly #options: SettingsOptions;
  readonly #known = new WeakMap<pg.ClientBase, Settings>();

  constructor(send: Send, options: SettingsOptions) {
    this.#send = send;
    this.#options = options;
  }

  /** Call it right before sending the statement: both are sent together. @returns undefined if there is nothing to set */
  prepare(client: pg.ClientBase, statement: ScopedStatement): Promise<unknown> | undefined {
    const known = this.#known.get(client);
    const wanted = this.#wantedBy(statement)?.(known);
    return wanted === undefined || isSame(wanted, known) ? undefined : this.#apply(client, wanted);
  }

  /** Returns a predicate for the connections that already have the settings a statement needs. */
  suits(statement: ScopedStatement): (client: pg.ClientBase) => boolean {
    const wantedBy = this.#wantedBy(statement);
    return (client) => {
      const known = this.#known.get(client);
      return wantedBy === undefined || isSame(wantedBy(known), known);
    };
  }

  /** Returns a function from a connection's known settings to those a statement needs; undefined if this pool sets nothing. */
  #wantedBy({
    scope,
    generic,
    byIndex,
  }: ScopedStatement): ((known: Settings | undefined) => Settings) | undefined {
    const { isScoped, choosesPlans } = this.#options;
    const keepsScope = !isScoped();
    if (keepsScope && !choosesPlans) return undefined;
    const ofScope = keepsScope ? null : settingsOf(scope);
    const planMode = choosesPlans && generic === true ? 'force_generic_plan' : 'auto';
    const sorts = choosesPlans && byIndex === true ? 'off' : 'on';
    return (known) => {
      const { role, tenants, accounts } = ofScope ?? known ?? everybody;
      return { role, tenants, accounts, planMode, sorts };
    };
  }

  /** Call it after a rollback, which may have reverted the settings of the connection. */
  forget(client: pg.ClientBase): void {
    this.#known.delete(client);
  }

  async #apply(client: pg.ClientBase, settings: Settings): Promise<void> {
    this.#known.set(client, settings);
    const { role, tenants, accounts, planMode, sorts } = settings;
    try {
      await this.#send(client, { values: [role, tenants, accounts, planMode, sorts], ...applySettings });
    } catch (error) {
      this.forget(client);
      throw error;
    }
  }
}
