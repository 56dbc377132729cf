import type { TenantId } from './tenant.ts';

/**
 * Whose rows a statement may touch. `tenant`: the rows of an account in one mode, and the rows that the account has for both
 * modes. `accountId`: only the rows that the account has for both modes.
 */
export type ScopedTenant = { readonly tenant: TenantId } | { readonly accountId: string };

/**
 * Whose rows a statement may touch, whatever its conditions say (docs/decisions, "The database knows whose rows"): the rows of
 * one account or of several; `everybody`, for code that serves all accounts or looks up which account owns something; `nobody`,
 * for tables without account rows; `anybody`, for statements that name no table.
 */
export type Scope = 'everybody' | 'nobody' | 'anybody' | ScopedTenant | readonly ScopedTenant[];

/** One SQL statement. With a `name` each connection prepares it once and keeps the prepared statement. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /**
   * The statement always uses its generic plan, because it finds rows by complete keys only. PostgreSQL would compare it with
   * costs from when the tables were small, and replan the statement for each batch once they are large.
   */
  readonly generic?: boolean;
  /**
   * The statement finds and orders its rows by indexes only. If PostgreSQL expects few rows, it may otherwise read all rows of an
   * account through another index, and sort or hash them.
   */
  readonly byIndex?: boolean;
}

export interface ScopedStatement extends Statement {
  /** Whose rows the statement may touch. */
  readonly scope: Scope;
}

/** The settings of a connection that enforce the scope of its statements. */
export interface ScopeSettings {
  readonly role: 'none' | typeof tenantRole;
  /** The tenants and the accounts whose rows may be touched, each as the text of a PostgreSQL array. */
  readonly tenants: string;
  readonly accounts: string;
}

/** A role that owns no table, so that the row-level security policies apply to it. */
export const tenantRole = 'till_tenant';

/** Code that serves all accounts is not restricted to any rows. */
export const everybody: ScopeSettings = { role: 'none', tenants: '', accounts: '' };

/** The settings for a scope; null if any settings will do. */
export function settingsOf(scope: Scope): ScopeSettings | null {
  if (scope === 'anybody') return null;
  if (scope === 'everybody') return everybody;
  const scoped = scope === 'nobody' ? [] : 'tenant' in scope || 'accountId' in scope ? [scope] : scope;
  const tenants = scoped.flatMap((one) => ('tenant' in one ? one.tenant : []));
  const accounts = scoped.flatMap((one) =>
    'tenant' in one || !account.test(one.accountId) ? [] : one.accountId,
  );
  // The empty text is no valid array: a statement with an empty scope fails instead of finding no rows.
  return {
    role: tenantRole,
    tenants: tenants.length === 0 ? '' : arrayOf(tenants),
    accounts: scoped.length === 0 ? '' : arrayOf(accounts),
  };
}

const arrayOf = (values: readonly (string | number)[]): string => `{${[...new Set(values)].join(',')}}`;

/** Account ids that are safe within the text of an array. A URL may contain any text; one that cannot be an id has no rows. */
const account = /^acct_[0-9A-Za-z_-]+$/;
