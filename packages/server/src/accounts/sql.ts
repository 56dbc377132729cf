import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** SQL that joins the account of a row, as `a`. @param of the row, with `account_id` */
export const joinAccount = (of: string): string => `join accounts a on a.account_id = ${of}.account_id`;

/** SQL that joins the choices of an account for its processor, as `c`. @param of a row with `account_id` */
export const joinConnection = (of: string): string => `join connections c on c.account_id = ${of}.account_id`;

/** SQL that joins what is known at home of an account, whichever cell it is in, as `a`. @param of a row with `account_id` */
export const joinKnownAccount = (of: string): string =>
  `join known_accounts a on a.account_id = ${of}.account_id`;

/** As `joinKnownAccount`, with the tenant of the present environment as `t`. @param of a row with `account_id` */
export const joinPresentTenant = (of: string): string => `${joinKnownAccount(of)}
  join known_tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')`;

/** SQL of the names of some accounts, whichever cells they are in, as JSON. @param ids SQL of an array */
export const namedAccounts = (ids: string): string => `(
  select coalesce(json_agg(json_build_object('id', a.account_id, 'name', a.name) order by a.account_id), '[]')
  from known_accounts a where a.account_id = any(${ids}))`;

/** SQL of an account's time. @param now parameter of the real time */
export const accountTime = (account: string, livemode: string, now = '$1'): string => `(${now}::timestamptz
  + case when ${livemode} then interval '0' else ${account}.clock_offset_ms * interval '1 millisecond' end)`;

/** SQL of what the clock of a tenant's account shows at a moment. @param tenant SQL of its number @param moment SQL of real time */
export const timeOfTenant = (tenant: string, moment: string): string => `(
  select ${accountTime('a', 't.livemode', moment)} from tenants t ${joinAccount('t')} where t.tenant = ${tenant})`;

/** SQL of the tenants `o`, each with the time of its account, `t.account_now`. @param now parameter of the real time */
export const tenantsWithTime = (now: string): string => `tenants o join accounts a using (account_id)
  cross join lateral (select ${accountTime('a', 'o.livemode', now)} as account_now) t`;

/**
 * SQL for whether the account's sandbox clock was moved ahead. Ids carry real time and `created_at` account time; where the
 * two are apart a range of ids is no range of time.
 * @param account SQL for the account's id
 */
const hasMovedClock = (account: string): string =>
  `exists (select from accounts where account_id = ${account} and clock_offset_ms > 0)`;

/**
 * SQL for whether the clock of a tenant was moved ahead: live mode has real time.
 * @param tenant SQL for its number
 */
export const hasMovedTime = (tenant: string): string =>
  `exists (select from tenants t where t.tenant = ${tenant} and not t.livemode and ${hasMovedClock('t.account_id')})`;

/** Before and after every id of a prefix. */
const ends = { first: '', last: '_zzzzzzzzzzzzzzzzzzzzzzzzz' } as const;

/**
 * SQL for the end of a range of ids that holds everything of a range of time, with `$1` as the account; the rows still have
 * to be compared with the range. Where the clock was moved it holds all ids.
 * @param bound SQL for the id at that end
 */
export const idBound = (prefix: string, bound: string, end: keyof typeof ends): string =>
  `case when ${hasMovedClock('$1')} then '${prefix}${ends[end]}' else ${bound} end`;

/**
 * Holds the account until the transaction ends, so that what is read of it, its keys and its files is what is changed.
 * Rows that refer to it may be written meanwhile.
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

/** The accounts of all cells that are not closed, as SQL that conditions on `a` may follow. */
export const openAccounts = `select a.account_id from known_accounts a where a.activation <> 'closed'`;

/** Some accounts, whichever cells they are in, each in its present environment. */
export function presentTenantsOf(db: Queryable, accountIds: readonly string[]): Promise<Tenant[]> {
  return db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from known_accounts a
           join known_tenants t on t.account_id = a.account_id and t.livemode = (a.environment = 'live')
           where a.account_id = any($1::text[]) order by a.account_id`,
    values: [accountIds],
    scope: 'nobody',
  });
}
