import type { TenantId } from './tenant.ts';

/** Whose rows: an account in one mode, which also shows what the account has in both, or these rows of an account alone. */
export type ScopedTenant = { readonly tenant: TenantId } | { readonly accountId: string };

/**
 * Whose rows a statement may touch, whatever its conditions say (docs/decisions, "The database knows whose rows"): those of
 * one account or of several; `everybody`, for what looks after all accounts or finds out whose something is; `nobody`, for
 * tables without an account's rows; `anybody`, for what names no table.
 */
export type Scope = 'everybody' | 'nobody' | 'anybody' | ScopedTenant | readonly ScopedTenant[];

/** Runs one statement. `name` makes it a prepared statement, kept by each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /**
   * Its one plan does for all values: it finds rows by whole keys alone. PostgreSQL compares plans by costs from when tables
   * were small, and would plan it anew for each batch once they are large.
   */
  readonly generic?: boolean;
  /**
   * Its rows are found one by one, and come in order, by indexes alone. Where PostgreSQL expects few rows it would as soon
   * read all that an account has in another index, and sort or hash them.
   */
  readonly byIndex?: boolean;
}

export interface ScopedStatement extends Statement {
  /** Whose rows it may touch. */
  readonly scope: Scope;
}

/** What a connection is set to for the scope of its statements. */
export interface ScopeSettings {
  readonly role: 'none' | typeof tenantRole;
  /** The tenants and the accounts whose rows may be touched, as the text of an array. */
  readonly tenants: string;
  readonly accounts: string;
}

/** Owns nothing, so that the policies of the tables hold for it. */
export const tenantRole = 'till_tenant';

/** What looks after all accounts is held to no rows. */
export const everybody: ScopeSettings = { role: 'none', tenants: '', accounts: '' };

/** Null where any setting does. */
export function settingsOf(scope: Scope): ScopeSettings | null {
  if (scope === 'anybody') return null;
  if (scope === 'everybody') return everybody;
  const scoped = scope === 'nobody' ? [] : 'tenant' in scope || 'accountId' in scope ? [scope] : scope;
  const tenants = scoped.flatMap((one) => ('tenant' in one ? one.tenant : []));
  const accounts = scoped.flatMap((one) =>
    'tenant' in one || !account.test(one.accountId) ? [] : one.accountId,
  );
  // The empty text is no array: a statement that names none is refused, rather than shown nothing.
  return {
    role: tenantRole,
    tenants: tenants.length === 0 ? '' : arrayOf(tenants),
    accounts: scoped.length === 0 ? '' : arrayOf(accounts),
  };
}

const arrayOf = (values: readonly (string | number)[]): string => `{${[...new Set(values)].join(',')}}`;

/** Safe within the text of an array. An address may name anything: what cannot be an account has no rows. */
const account = /^acct_[0-9A-Za-z_-]+$/;
