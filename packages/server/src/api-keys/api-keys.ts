import type { KeyRestriction } from '@till/contract/dashboard';
import { type AccountDependencies, OperatorError, requireAccount } from '../accounts/accounts.ts';
import { joinAccount, lockAccount } from '../accounts/sql.ts';
import { currentTenant } from '../accounts/store.ts';
import { newId, randomBase62 } from '../lib/ids.ts';
import { sha256 } from '../lib/keys.ts';
import {
  bigint,
  bool,
  bytes,
  json,
  listOf,
  nullable,
  parametersOf,
  type RowOf,
  tenantColumns,
  text,
  texts,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Connection, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { joinUser } from '../users/people/reads.ts';
import { isOver, type RequestedRestriction, readRestriction } from './restriction.ts';

const maxKeyNameLength = 100;
/** The maximum number of active keys per account and mode (decisions, "Limits and refusals"). */
const maxActiveKeys = 100;

const keyColumns = {
  id: text,
  /** Null for keys that were created before keys had names. */
  name: nullable(text),
  /** The prefix and the last four characters of the key. */
  hint: text,
  /** The id of the user who created the key; null if the operator did so at the command line. */
  created_by: nullable(text),
  /** The ids of the users who created this key and the keys it replaces. None of them may approve requests of this key. */
  makers: texts,
  created_at: time,
  /** Null for a key without restrictions. */
  restriction: nullable(json<KeyRestriction>()),
} as const;
export const insertedColumns = {
  account_id: text,
  ...tenantColumns,
  ...keyColumns,
  secret_sha256: bytes,
  /** For a key that replaces another: the id of the first one, whose daily sum this key continues. */
  limits_of: nullable(text),
} as const;
const listedColumns = {
  ...keyColumns,
  livemode: bool,
  /** Real time, precise to the minute; null if the key was never used. */
  last_used_at: nullable(time),
  revoked_at: nullable(time),
  /** Set if the key was rolled: the time from which it is refused. */
  expires_at: nullable(time),
  /** How far the key's account time is ahead of real time. */
  clock_offset_ms: bigint,
} as const;

/** A listed key; `created_by` is an e-mail address. */
export type ApiKeyRow = RowOf<typeof listedColumns>;

/** Whether a key has ended, so that requests with it are refused. @param now real time */
export const isEnded = (
  {
    revoked_at: revoked,
    expires_at: expires,
    restriction,
    clock_offset_ms: offsetMs,
  }: Pick<ApiKeyRow, 'revoked_at' | 'expires_at' | 'restriction' | 'clock_offset_ms'>,
  now: Date,
): boolean =>
  revoked !== null ||
  (expires !== null && expires <= now) ||
  (restriction !== null && isOver(restriction, new Date(now.getTime() + offsetMs)));

/** The options of a new key. Without `createdBy`, the id of a user, the operator creates it. */
export interface KeyOptions {
  readonly name?: string | undefined;
  readonly createdBy?: string;
  /** The makers of the key that the new key replaces. */
  readonly makers?: readonly string[];
  /** The mode for which the key was requested; the account's current mode if absent. */
  readonly livemode?: boolean;
  /** If absent, the key has no restrictions. */
  readonly restriction?: RequestedRestriction | undefined;
  /** The id of the key whose daily sum the new key continues; if absent, its sum starts at zero. */
  readonly limitsOf?: string;
}

/**
 * Creates a key for the account's current environment. Only its SHA-256 is stored, so the key is shown only this once.
 * @param deps `db` must be a transaction: the account stays locked until it ends
 * @throws OperatorError `account_not_found`, `invalid_name`; `environment_changed` if the account is not in mode `livemode`;
 *   `invalid_end`, `invalid_address`, `too_many_keys`
 */
export async function createApiKey(
  deps: AccountDependencies,
  accountId: string,
  { name, createdBy, makers = [], livemode: wanted, restriction: asked, limitsOf }: KeyOptions = {},
): Promise<{ id: string; secretKey: string }> {
  if (name !== undefined && (name.trim() === '' || name.length > maxKeyNameLength)) {
    throw new OperatorError('invalid_name', `A name has 1 to ${maxKeyNameLength} characters.`);
  }
  await lockAccount(deps.db, accountId);
  const account = await requireAccount(deps, accountId);
  const tenant = currentTenant(account);
  const { livemode } = tenant;
  if (wanted !== undefined && wanted !== livemode) {
    throw new OperatorError(
      'environment_changed',
      `The account is in the ${account.environment} environment by now. Look at it again.`,
    );
  }
  const now = deps.clock.now();
  const accountNow = new Date(now.getTime() + (livemode ? 0 : account.clock_offset_ms));
  const restriction = asked === undefined ? null : readRestriction(asked, accountNow);
  await requireCapacity(deps.db, tenant, now, accountNow);
  const prefix = `${restriction === null ? 'sk' : 'rk'}_${livemode ? 'live' : 'test'}_`;
  const secretKey = `${prefix}${randomBase62(32, deps.randomBytes)}`;
  const id = newId('key', now, deps.randomBytes);
  await deps.enterKey?.(accountId, sha256(secretKey));
  await deps.db.query({
    text: `insert into api_keys (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})`,
    values: valuesOf(insertedColumns, {
      account_id: accountId,
      tenant: tenant.tenant,
      id,
      name: name?.trim() ?? null,
      hint: `${secretKey.slice(0, 8)}…${secretKey.slice(-4)}`,
      created_by: createdBy ?? null,
      makers: createdBy === undefined ? makers : [...makers.filter((one) => one !== createdBy), createdBy],
      created_at: now,
      restriction,
      secret_sha256: sha256(secretKey),
      limits_of: limitsOf ?? null,
    }),
    scope: { accountId },
  });
  return { id, secretKey };
}

/** The SHA-256 of every key of an account, including ended ones, because the account's cell decides how to answer those. */
export async function keyHashesOf(db: Connection, accountId: string): Promise<Buffer[]> {
  const rows = await db.query<{ hash: Buffer }>({
    text: 'select secret_sha256 as hash from api_keys where account_id = $1',
    values: [accountId],
  });
  return rows.map(({ hash }) => hash);
}

/** @throws OperatorError `too_many_keys` */
async function requireCapacity(tx: Queryable, tenant: Tenant, now: Date, accountNow: Date): Promise<void> {
  const [row] = await tx.query<{ active: number }>({
    name: 'count_active_keys',
    text: `select count(*)::int as active from api_keys
           where account_id = $1 and tenant = $2 and revoked_at is null and (expires_at is null or expires_at > $3)
             and coalesce((restriction ->> 'ends_at')::timestamptz > $4, true)`,
    values: [tenant.accountId, tenant.tenant, now, accountNow],
    scope: tenant,
  });
  if ((row?.active ?? 0) < maxActiveKeys) return;
  const environment = tenant.livemode ? 'live' : 'sandbox';
  throw new OperatorError(
    'too_many_keys',
    `The account has ${maxActiveKeys} API keys in the ${environment} environment, the most that it may have. Revoke one first.`,
  );
}

/**
 * Revokes a key: the very next request with it is refused by every process.
 * @param accountId the account to which the key must belong; null allows any account
 * @returns the account's id
 * @throws OperatorError `key_not_found`
 */
export async function revokeApiKey(
  deps: Pick<AccountDependencies, 'db' | 'clock'>,
  keyId: string,
  accountId: string | null = null,
): Promise<string> {
  const [row] = await deps.db.query<{ account_id: string }>({
    text: `update api_keys set revoked_at = coalesce(revoked_at, $2)
           where id = $1 and ($3::text is null or account_id = $3) returning account_id`,
    values: [keyId, deps.clock.now(), accountId],
    scope: 'everybody',
  });
  if (row === undefined) throw new OperatorError('key_not_found', `There is no API key ${keyId}.`);
  return row.account_id;
}

/** How a key is replaced. Without `createdBy`, the id of a user, the operator does it. */
export interface RollOptions {
  /** The account to which the key must belong; if absent, any account. */
  readonly accountId?: string;
  /** How long the old key remains valid; 0 ends it at once. */
  readonly expiresInSeconds: number;
  readonly createdBy?: string;
}

/**
 * Replaces a key by a new one with the same name, mode, restriction and daily sum. The old key ends at once or at a later time.
 * @param deps `db` must be a transaction
 * @throws OperatorError `key_not_found`, `key_ended`, `environment_changed`, `too_many_keys`
 */
export async function rollApiKey(
  deps: AccountDependencies,
  keyId: string,
  { accountId, expiresInSeconds, createdBy }: RollOptions,
): Promise<{ id: string; secretKey: string; accountId: string }> {
  const now = deps.clock.now();
  const ends = new Date(now.getTime() + expiresInSeconds * 1000);
  const [old] = await deps.db.query<
    Pick<ApiKeyRow, 'name' | 'makers' | 'livemode' | 'restriction'> & {
      account_id: string;
      limits_of: string;
    }
  >({
    text: `update api_keys k set revoked_at = $2, expires_at = $3
           from tenants t where k.id = $1 and t.tenant = k.tenant and ($4::text is null or k.account_id = $4)
             and revoked_at is null and expires_at is null
           returning k.account_id, k.name, k.makers, k.restriction, t.livemode, coalesce(k.limits_of, k.id) as limits_of`,
    values: [keyId, ...(expiresInSeconds === 0 ? [now, null] : [null, ends]), accountId ?? null],
    scope: 'everybody',
  });
  if (old === undefined) throw await notRollable(deps.db, keyId, accountId ?? null);
  const made = await createApiKey(deps, old.account_id, {
    ...(old.name === null ? {} : { name: old.name }),
    ...(createdBy === undefined ? {} : { createdBy }),
    makers: old.makers,
    livemode: old.livemode,
    ...(old.restriction === null ? {} : { restriction: old.restriction, limitsOf: old.limits_of }),
  }).catch((error: unknown) => {
    throw error instanceof OperatorError && error.code === 'invalid_end' ? keyEnded() : error;
  });
  return { ...made, accountId: old.account_id };
}

async function notRollable(db: Queryable, keyId: string, accountId: string | null): Promise<OperatorError> {
  const rows = await db.query({
    text: 'select 1 from api_keys where id = $1 and ($2::text is null or account_id = $2)',
    values: [keyId, accountId],
    scope: 'everybody',
  });
  return rows.length === 0 ? new OperatorError('key_not_found', `There is no API key ${keyId}.`) : keyEnded();
}

const keyEnded = () =>
  new OperatorError('key_ended', 'This key has ended, or was rolled already. Create another one instead.');

/** The account's keys of both environments, in the order of their creation. */
export async function listApiKeys(db: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>({
    text: `select ${listOf(listedColumns, 'k', {
      livemode: 't.livemode',
      created_by: 'u.email',
      clock_offset_ms: 'case when t.livemode then 0 else a.clock_offset_ms end',
    })}
           from api_keys k join tenants t using (tenant) ${joinAccount('k')} left ${joinUser('k.created_by')}
           where k.account_id = $1 order by k.id`,
    values: [accountId],
    scope: { accountId },
  });
}
