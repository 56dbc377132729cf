import { DashboardError } from '@till/contract/dashboard';
import { type AccountDependencies, OperatorError } from '../../accounts/accounts.ts';
import { currentTenantsOf, namedAccounts, openAccounts } from '../../accounts/sql.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomBase62 } from '../../lib/ids.ts';
import { sha256 } from '../../lib/keys.ts';
import { bytes, listOf, parametersOf, texts, time, valuesOf } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

export const linkColumns = {
  token_sha256: bytes,
  account_ids: texts,
  created_at: time,
  expires_at: time,
} as const;
const validMs = 24 * 3_600_000;
const tokenLength = 43;

/**
 * Creates a link for the first login, by which one person becomes an owner of accounts. It works once, for 24 hours.
 * @returns the page's path with the token, which is not stored anywhere
 */
export async function createSetupLink(
  { db, clock, randomBytes }: AccountDependencies,
  accountIds: readonly string[],
): Promise<{ path: string; expiresAt: Date }> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + validMs);
  const token = randomBase62(tokenLength, randomBytes);
  await db.query({
    text: `insert into setup_links (${listOf(linkColumns)}) values (${parametersOf(linkColumns)})`,
    values: valuesOf(linkColumns, {
      token_sha256: sha256(token),
      account_ids: accountIds,
      created_at: now,
      expires_at: expiresAt,
    }),
    scope: 'nobody',
  });
  return { path: `/dashboard/setup/${token}`, expiresAt };
}

/**
 * The accounts that an operator's link is for: the named ones or, if none are named, every account without an owner.
 * @throws OperatorError `account_not_found`, `no_account`
 */
export async function accountsToSetUp(
  deps: AccountDependencies,
  named: readonly string[],
): Promise<string[]> {
  if (named.length > 0) return requireKnown(deps.db, [...new Set(named)]);
  const rows = await deps.db.query<{ account_id: string }>({
    text: `${openAccounts}
             and not exists (select from memberships m where m.account_id = a.account_id and m.role = 'owner')
           order by a.account_id`,
    scope: 'nobody',
  });
  if (rows.length === 0) {
    throw new OperatorError('no_account', 'Every account has an owner. Name the accounts with --account.');
  }
  return rows.map((row) => row.account_id);
}

/** @throws OperatorError `account_not_found` */
async function requireKnown(db: Queryable, accountIds: string[]): Promise<string[]> {
  const known = (await currentTenantsOf(db, accountIds)).map(({ accountId }) => accountId);
  const unknown = accountIds.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new OperatorError('account_not_found', `There is no account ${unknown}.`);
  return accountIds;
}

export interface SetupLink {
  readonly expires_at: Date;
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
}

/** @throws DashboardError `link_not_valid` if the link is unknown, used or expired */
export async function requireSetupLink(
  { db, clock }: { readonly db: Queryable; readonly clock: Clock },
  token: string,
): Promise<SetupLink> {
  const [row] = await db.query<SetupLink>({
    text: `select s.expires_at, ${namedAccounts('s.account_ids')} as accounts
           from setup_links s where s.token_sha256 = $1 and s.used_at is null and s.expires_at > $2`,
    values: [sha256(token), clock.now()],
    scope: 'nobody',
  });
  if (row === undefined) throw notValid();
  return row;
}

/**
 * Uses a link. All other links for any of its accounts end too: a person who finds one in an old terminal must not become a
 * second owner.
 * @returns the link's accounts, each in its current environment
 * @throws DashboardError `link_not_valid` if it was used meanwhile
 */
export async function spendSetupLink(tx: Queryable, token: string, now: Date): Promise<Tenant[]> {
  // The links are locked in a fixed order, so that two people with two links for one account cannot deadlock.
  const ended = await tx.query<{ account_ids: string[]; is_this: boolean }>({
    text: `with wanted as (
             select account_ids from setup_links where token_sha256 = $1 and used_at is null and expires_at > $2),
           open as (
             select s.token_sha256 from setup_links s join wanted w on s.account_ids && w.account_ids
             where s.used_at is null order by s.token_sha256 for update of s)
           update setup_links s set used_at = $2 from open o where s.token_sha256 = o.token_sha256
           returning s.account_ids, s.token_sha256 = $1 as is_this`,
    values: [sha256(token), now],
    scope: 'nobody',
  });
  const used = ended.find(({ is_this: isThis }) => isThis);
  if (used === undefined) throw notValid();
  return currentTenantsOf(tx, used.account_ids);
}

/** Ends every link for an account that got an owner in another way. */
export async function endSetupLinks(tx: Queryable, accountId: string, now: Date): Promise<void> {
  await tx.query({
    // Locks in the same order as `spendSetupLink`.
    text: `with open as (
             select token_sha256 from setup_links where used_at is null and account_ids @> array[$1::text]
             order by token_sha256 for update)
           update setup_links s set used_at = $2 from open o where s.token_sha256 = o.token_sha256`,
    values: [accountId, now],
    scope: 'nobody',
  });
}

const notValid = () =>
  new DashboardError(
    'link_not_valid',
    'This link is not valid any more. Make a new one with: ./till users setup-link',
  );
