import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** SQL that joins the account of a row as `a`. @param of alias of a row with `account_id` */
export const joinAccount = (of: string): string => `join accounts a on a.account_id = ${of}.account_id`;

/** SQL that joins the settings of an account for its processor as `c`. @param of alias of a row with `account_id` */
export const joinConnection = (of: string): string => `join connections c on c.account_id = ${of}.account_id`;

/** SQL that joins the home cell's data about an account in any cell as `a`. @param of alias of a row with `account_id` */
export const joinKnownAccount = (of: string): string =>
  `join known_accounts a on a.account_id = ${of}.account_id`;

/** Like `joinKnownAccount`, with the tenant of the current environment as `t`. @param of alias of a row with `account_id` */
export const joinCurrentTenant = (of: string): string => `${joinKnownAccount(of)}
  join known_tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')`;

/** SQL for the names of accounts in any cell, as JSON. @param ids SQL for an array of account ids */
export const namedAccounts = (ids: string): string => `(
  select coalesce(json_agg(json_build_object('id', a.account_id, 'name', a.name) order by a.account_id), '[]')
  from known_accounts a where a.account_id = any(${ids}))`;

/** SQL for an account's time. @param now parameter with the real time */
export const accountTime = (account: string, livemode: string, now = '$1'): string => `(${now}::timestamptz
  + case when ${livemode} then interval '0' else ${account}.clock_offset_ms * interval '1 millisecond' end)`;

/** SQL for the account time of a tenant at a moment. @param tenant SQL for its number @param moment SQL for the real time */
export const timeOfTenant = (tenant: string, moment: string): string => `(
  select ${accountTime('a', 't.livemode', moment)} from tenants t ${joinAccount('t')} where t.tenant = ${tenant})`;

/** SQL for the tenants `o`, each with its account time `t.account_now`. @param now parameter with the real time */
export const tenantsWithTime = (now: string): string => `tenants o join accounts a using (account_id)
  cross join lateral (select ${accountTime('a', 'o.livemode', now)} as account_now) t`;

/**
 * SQL for whether the account's sandbox clock was moved ahead. Ids contain real time and `created_at` account time; if the two
 * differ, a range of ids is no range of time.
 * @param account SQL for the account's id
 */
const hasMovedClock = (account: string): string =>
  `exists (select from accounts where account_id = ${account} and clock_offset_ms > 0)`;

/**
 * SQL for whether the clock of a tenant was moved ahead; a live tenant always has real time.
 * @param tenant SQL for its number
 */
export const hasMovedTime = (tenant: string): string =>
  `exists (select from tenants t where t.tenant = ${tenant} and not t.livemode and ${hasMovedClock('t.account_id')})`;

/** Suffixes that sort before and after every id of a prefix. */
const ends = { first: '', last: '_zzzzzzzzzzzzzzzzzzzzzzzzz' } as const;

/**
 * SQL for one end of a range of ids that contains all rows of a range of time, with `$1` as the account. The rows must still be
 * compared with the range of time. If the clock was moved, the range contains all ids.
 * @param bound SQL for the id at that end
 */
export const idBound = (prefix: string, bound: string, end: keyof typeof ends): string =>
  `case when ${hasMovedClock('$1')} then '${prefix}${ends[end]}' else ${bound} end`;

/**
 * Locks the account until the transaction ends, so that no other transaction with this lock changes it, its keys or its files
 * between reading and writing. Rows that reference the account may be written meanwhile.
 * @param tx a transaction
 */
export async function lockAccount(tx: Queryable, accountId: string): Promise<void> {
  await tx.query({
    name: 'lock_account',
    text: 'select from accounts where account_id = $1 for no key update',
    values: [accountId],
    scope: { accountId },
  });
}

/** SQL for the accounts of all cells that are not closed. More conditions on `a` may be appended. */
export const openAccounts = `select a.account_id from known_accounts a where a.activation <> 'closed'`;

/** The tenants of accounts in any cell, each in its current environment. */
export function currentTenantsOf(db: Queryable, accountIds: readonly string[]): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from known_accounts a
           join known_tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')
           where a.account_id = any($1::text[]) order by a.account_id`,
    values: [accountIds],
    scope: 'nobody',
  });
}
