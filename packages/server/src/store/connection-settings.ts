import type pg from 'pg';
import { everybody, type ScopedStatement, type ScopeSettings, type Statement, settingsOf } from './scope.ts';

type Send = (client: pg.ClientBase, statement: Statement) => Promise<unknown>;

interface Settings extends ScopeSettings {
  readonly planMode: 'auto' | 'force_generic_plan';
  /** Whether rows may be sorted, and joined by hashes or by merging. */
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

/** What connections do for the statements of a pool. */
export interface SettingsOptions {
  /** Whether each statement is held to the rows that its scope names. Asked before each. */
  readonly isScoped: () => boolean;
  /** Whether statements may say how they are planned. */
  readonly choosesPlans: boolean;
}

/**
 * Sets on connections whose rows their next statement may touch, and how it is planned, where they are not set so already.
 */
export class ConnectionSettings {
  readonly #send: Send;
  readonly #options: SettingsOptions;
  readonly #known = new WeakMap<pg.ClientBase, Settings>();

  constructor(send: Send, options: SettingsOptions) {
    this.#send = send;
    this.#options = options;
  }

  /** Call it right before the statement is sent: both travel together. @returns undefined where nothing is to be set */
  prepare(client: pg.ClientBase, statement: ScopedStatement): Promise<unknown> | undefined {
    const known = this.#known.get(client);
    const wanted = this.#wantedBy(statement)?.(known);
    return wanted === undefined || isSame(wanted, known) ? undefined : this.#apply(client, wanted);
  }

  /** Which connections are set for a statement already. */
  suits(statement: ScopedStatement): (client: pg.ClientBase) => boolean {
    const wantedBy = this.#wantedBy(statement);
    return (client) => {
      const known = this.#known.get(client);
      return wantedBy === undefined || isSame(wantedBy(known), known);
    };
  }

  /** What a statement wants of a connection that is known to be set in a way; undefined where nothing is ever set. */
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

  /** After a rollback nobody knows what is set on a connection. */
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
