/** An account in one mode, or in both: as a context names it, or as a row does. */
export type ScopedTenant =
  | { readonly accountId: string; readonly livemode: boolean | null }
  | { readonly account_id: string; readonly livemode?: boolean | undefined };

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
}

export interface ScopedStatement extends Statement {
  /** Whose rows it may touch. */
  readonly scope: Scope;
}

/** What a connection is told of the scope of its statements. */
export interface ScopeSettings {
  readonly role: 'none' | typeof tenantRole;
  /** Accounts whose test and live rows may be touched, as an array's text; empty text where nobody was named. */
  readonly test: string;
  readonly live: string;
}

/** Owns nothing, so that the policies of the tables hold for it. */
export const tenantRole = 'till_tenant';

/** Null where any setting does. */
export function settingsOf(scope: Scope): ScopeSettings | null {
  if (scope === 'anybody') return null;
  if (scope === 'everybody') return { role: 'none', test: '', live: '' };
  const tenants = scope === 'nobody' ? [] : 'livemode' in scope || 'account_id' in scope ? [scope] : scope;
  if (tenants.length === 0) return { role: tenantRole, test: '', live: '' };
  const listed = (livemode: boolean) => {
    const accounts = tenants.filter((tenant) => (tenant.livemode ?? null) !== !livemode).map(idOf);
    return `{${[...new Set(accounts)].filter((id) => account.test(id)).join(',')}}`;
  };
  return { role: tenantRole, test: listed(false), live: listed(true) };
}

/** Safe within the text of an array. An address may name anything: what cannot be an account has no rows. */
const account = /^acct_[0-9A-Za-z_-]+$/;

const idOf = (tenant: ScopedTenant): string => ('accountId' in tenant ? tenant.accountId : tenant.account_id);
