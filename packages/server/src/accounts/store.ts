import type { Provider } from '@till/contract';
import { shiftDeliveries } from '../events/shift-deliveries.ts';
import { Batcher } from '../store/batcher.ts';
import {
  bigint,
  bool,
  listOf,
  oneOf,
  parametersOf,
  type RowOf,
  tenantColumns,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Database, Queryable } from '../store/database.ts';
import { parameterRows } from '../store/sql.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

export type Environment = 'sandbox' | 'live';
export type Activation = 'not_activated' | 'active' | 'suspended' | 'restricted' | 'closed';
export type ThreeDSecureSetting = 'off' | 'enabled' | 'always';
/** Which fields take the card on the hosted page: our own, or the processor's in its iframes. */
export type CardFieldsMode = 'first_party' | 'processor';

export const ownColumns = {
  account_id: text,
  name: text,
  processor: oneOf<Provider>(),
  environment: oneOf<Environment>(),
  activation: oneOf<Activation>(),
  store_payment_method_default: bool,
  time_zone: text,
  clock_offset_ms: bigint,
  created_at: time,
} as const;
const accountColumns = {
  ...ownColumns,
  test_tenant: tenantColumns.tenant,
  live_tenant: tenantColumns.tenant,
  connection_status: oneOf<'connected' | 'disconnected'>(),
  three_d_secure: oneOf<ThreeDSecureSetting>(),
  /** Applies to live payments; `default` follows the connection. */
  card_fields: oneOf<CardFieldsMode | 'default'>(),
} as const;

/** An account with its tenants and its connection. */
export type AccountRow = RowOf<typeof accountColumns>;

const columns = listOf(accountColumns, 'a', {
  test_tenant: 't.tenant',
  live_tenant: 'l.tenant',
  connection_status: 'c.status',
  three_d_secure: 'c.three_d_secure',
  card_fields: `coalesce(c.card_fields, 'default')`,
});
const joined = `join connections c using (account_id)
  join tenants t on t.account_id = a.account_id and not t.livemode
  join tenants l on l.account_id = a.account_id and l.livemode`;

type Tenants = Pick<AccountRow, 'test_tenant' | 'live_tenant'>;

/** The data of an account that never changes. */
export type AccountIdentity = Pick<AccountRow, 'account_id' | 'processor' | keyof Tenants>;

/** The tenant of an account in one mode. */
export const tenantOf = (account: AccountIdentity, livemode: boolean): Tenant => ({
  tenant: livemode ? account.live_tenant : account.test_tenant,
  accountId: account.account_id,
  livemode,
});

/** The tenants of an account in test and in live mode. */
export const modesOf = (account: AccountIdentity): readonly [Tenant, Tenant] => [
  tenantOf(account, false),
  tenantOf(account, true),
];

/** The tenant of an account in its current environment. */
export const currentTenant = (account: AccountRow): Tenant =>
  tenantOf(account, account.environment === 'live');

/**
 * Inserts an account with a tenant for each mode.
 * @param numbers the numbers of the tenants, test mode first, if they were assigned elsewhere; the next ones if absent
 */
export async function insertAccount(
  db: Queryable,
  account: Omit<AccountRow, keyof Tenants>,
  numbers?: readonly [TenantId, TenantId],
): Promise<AccountRow> {
  const [test, live] = numbers ?? [null, null];
  const [tenants] = await db.query<Tenants>({
    text: `with account as (
        insert into accounts (${listOf(ownColumns)}) values (${parametersOf(ownColumns, 5)}) returning account_id),
      modes as (
        insert into tenants (${numbers === undefined ? '' : 'tenant, '}account_id, livemode) overriding system value
        select ${numbers === undefined ? '' : 'm.tenant, '}account_id, livemode
        from account cross join (values (false, $3::int), (true, $4::int)) as m (livemode, tenant)
        returning tenant, livemode),
      connection as (
        insert into connections (account_id, status, three_d_secure) select account_id, $1, $2 from account)
      select t.tenant as test_tenant, l.tenant as live_tenant
      from modes t join modes l on not t.livemode and l.livemode`,
    values: [account.connection_status, account.three_d_secure, test, live, ...valuesOf(ownColumns, account)],
    scope: { accountId: account.account_id },
  });
  if (tenants === undefined) throw new Error(`${account.account_id} has no tenants`);
  return { ...account, ...tenants };
}

export async function findAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow>({
    name: 'find_account',
    text: `select ${columns} from accounts a ${joined} where a.account_id = $1`,
    values: [accountId],
    scope: { accountId },
  });
  return row;
}

/** Looks up the current state of accounts; concurrent calls share one statement. */
export function accountFinder(db: Queryable): (accountId: string) => Promise<AccountRow | undefined> {
  const lookup = new Batcher(async (ids: readonly string[]) => {
    const rows = await db.query<AccountRow>({
      name: 'find_accounts',
      text: `select ${columns} from ${parameterRows('text')} as wanted (account_id)
             join accounts a using (account_id) ${joined}`,
      values: [[...new Set(ids)]],
      scope: [...new Set(ids)].map((accountId) => ({ accountId })),
    });
    const found = new Map(rows.map((row) => [row.account_id, row]));
    return ids.map((id) => found.get(id));
  });
  return (accountId) => lookup.submit(accountId);
}

const maxKnown = 10_000;

/** Looks up the immutable data of accounts, and caches it. @param find looks up the current state of one account */
function identityFinder(
  find: (accountId: string) => Promise<AccountRow | undefined>,
): (accountId: string) => Promise<AccountIdentity | undefined> {
  const known = new Map<string, AccountIdentity>();
  return async (accountId) => {
    const found = known.get(accountId) ?? (await find(accountId));
    if (found === undefined) return undefined;
    if (known.size >= maxKnown) known.clear();
    const { account_id, processor, test_tenant, live_tenant } = found;
    known.set(accountId, { account_id, processor, test_tenant, live_tenant });
    return found;
  };
}

/** Both finders, with shared statements. */
export function accountFinders(db: Queryable) {
  const find = accountFinder(db);
  return { findAccount: find, identify: identityFinder(find) };
}

export async function listAccounts(db: Queryable): Promise<AccountRow[]> {
  return db.query<AccountRow>({
    text: `select ${columns} from accounts a ${joined} order by a.account_id`,
    scope: 'everybody',
  });
}

/** Whether a database has any account. */
export async function hasAccounts(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>({
    text: 'select exists (select from accounts) as found',
    scope: 'everybody',
  });
  return row?.found === true;
}

/** The greatest tenant number in this database; 0 if there is none. */
export async function lastTenantNumber(db: Queryable): Promise<number> {
  const [row] = await db.query<{ last: number }>({
    text: 'select coalesce(max(tenant), 0) as last from tenants',
    scope: 'everybody',
  });
  return row?.last ?? 0;
}

/** Waits for accounts that are being opened in this database; further ones wait until the transaction has ended. */
export async function lockAccounts(tx: Queryable): Promise<void> {
  await tx.query({ text: 'lock table accounts in share mode', scope: 'everybody' });
}

export type AccountChanges = {
  readonly [Name in
    | 'name'
    | 'environment'
    | 'activation'
    | 'store_payment_method_default'
    | 'time_zone'
    | 'connection_status'
    | 'three_d_secure'
    | 'card_fields']?: AccountRow[Name] | undefined;
};

/** Changes the given members and leaves the rest. @returns false for an unknown account */
export async function changeAccount(
  db: Queryable,
  accountId: string,
  changes: AccountChanges,
): Promise<boolean> {
  const rows = await db.query({
    text: `with account as (
        update accounts set environment = coalesce($2, environment), activation = coalesce($3, activation),
          store_payment_method_default = coalesce($4, store_payment_method_default), name = coalesce($7, name),
          time_zone = coalesce($9, time_zone)
        where account_id = $1 returning account_id)
      update connections c set status = coalesce($5, c.status), three_d_secure = coalesce($6, c.three_d_secure),
        card_fields = case $8 when 'default' then null else coalesce($8, c.card_fields) end
      from account where c.account_id = account.account_id returning c.account_id`,
    values: [
      accountId,
      changes.environment ?? null,
      changes.activation ?? null,
      changes.store_payment_method_default ?? null,
      changes.connection_status ?? null,
      changes.three_d_secure ?? null,
      changes.name ?? null,
      changes.card_fields ?? null,
      changes.time_zone ?? null,
    ],
    scope: { accountId },
  });
  return rows.length === 1;
}

/**
 * Moves a sandbox clock forward, and the next delivery attempts of the account's test webhooks with it.
 * @param move in milliseconds; `now` is real time @param inside writes more in the same transaction, given the new offset
 * @returns the clock's new offset; undefined for an unknown account, or if it would be more than `max` ahead
 */
export function advanceClock(
  db: Pick<Database, 'transaction'>,
  accountId: string,
  { by, max, now }: { readonly by: number; readonly max: number; readonly now: Date },
  inside: (tx: Queryable, offsetMs: number) => Promise<void> = async () => {},
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ clock_offset_ms: number }>({
      text: `update accounts set clock_offset_ms = clock_offset_ms + $2::bigint
             where account_id = $1 and clock_offset_ms + $2::bigint <= $3 returning clock_offset_ms`,
      values: [accountId, by, max],
      scope: { accountId },
    });
    if (row === undefined) return undefined;
    await shiftDeliveries(tx, accountId, { by, now });
    await inside(tx, row.clock_offset_ms);
    return row.clock_offset_ms;
  });
}
