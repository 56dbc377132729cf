import type { Queryable, Statement } from './database.ts';

/** An account in one mode, or in both. */
export interface ScopedTenant {
  readonly accountId: string;
  readonly livemode: boolean | null;
}

/**
 * Whose rows a statement may touch, whatever its conditions say (docs/decisions, "The database knows whose rows"):
 * these accounts; `everybody`, for what looks after all accounts or finds out whose something is; `anybody`, for what
 * touches no row of an account.
 */
export type Scope = 'everybody' | 'anybody' | readonly ScopedTenant[];

/** Safe within the text of an array. */
const account = /^acct_[0-9A-Za-z_-]+$/;
const isAccount = (value: unknown): value is string => typeof value === 'string' && account.test(value);

/**
 * The scope of a statement: what it says itself, else the accounts that its first two values are. Every statement on an
 * account's rows begins with account and mode (`account_id = $1 and livemode = $2`), or with a list of each. One that
 * names nobody may touch nobody's rows.
 */
export function scopeOf({ scope, values = [] }: Statement): Scope {
  if (scope !== undefined) return scope;
  const [first, second] = values;
  const modeOf = (value: unknown) => (typeof value === 'boolean' ? value : null);
  if (isAccount(first)) return [{ accountId: first, livemode: modeOf(second) }];
  if (!Array.isArray(first) || !first.every(isAccount)) return [];
  const modes: readonly unknown[] = Array.isArray(second) ? second : [];
  return first.map((accountId, index) => ({ accountId, livemode: modeOf(modes[index]) }));
}

/** The scope of a statement that takes rows, of whichever accounts. */
export const scopeOfRows = (
  rows: readonly { readonly account_id: string; readonly livemode?: boolean | undefined }[],
): readonly ScopedTenant[] =>
  rows.map((row) => ({ accountId: row.account_id, livemode: row.livemode ?? null }));

/** What looks after the tables themselves, and so after the rows of everybody. */
export const acrossAccounts = (db: Queryable): Queryable => ({
  query: (statement) => db.query({ ...statement, scope: 'everybody' }),
});

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
  if (scope.length === 0) return { role: tenantRole, test: '', live: '' };
  const listed = (livemode: boolean) => {
    const accounts = scope.filter((tenant) => tenant.livemode !== !livemode);
    return `{${[...new Set(accounts.map(({ accountId }) => accountId))].join(',')}}`;
  };
  return { role: tenantRole, test: listed(false), live: listed(true) };
}
