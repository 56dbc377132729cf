import { DashboardError } from '@till/contract/dashboard';
import { Secret, TOTP } from 'otpauth';
import type { RandomBytes } from '../../lib/ids.ts';
import { sha256 } from '../../lib/keys.ts';
import {
  bytes,
  listOf,
  nullable,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import { masterKeyOf } from '../../vault/master-keys.ts';
import { userTotpPlace } from '../../vault/places.ts';
import { nonceLength, openBytes, sealBytes } from '../../vault/seal.ts';
import type { PeopleDependencies, Within } from '../people/dependencies.ts';

const issuer = 'Till';
const periodSeconds = 30;
/** The codes of the previous and the next step are accepted too, since clocks differ. */
const window = 1;
const secretLength = 20;
const recoveryCodeCount = 10;
/** 32 letters and digits that are not easily confused with each other, so that 5 bits select one. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const recoveryGroups = 4;
const groupLength = 4;

export type TotpDependencies = Pick<PeopleDependencies, 'db' | 'clock' | 'randomBytes' | 'masterKeys'>;

const sealedColumns = { secret: bytes, master_key_id: text } as const;
export const beginColumns = { user_id: text, ...sealedColumns, created_at: time } as const;
export const totpColumns = { ...sealedColumns, created_at: time, enabled_at: nullable(time) } as const;
type TotpRow = RowOf<typeof totpColumns>;

const totpOf = (key: Uint8Array, email: string) =>
  new TOTP({
    issuer,
    label: email,
    period: periodSeconds,
    secret: new Secret({ buffer: Uint8Array.from(key).buffer }),
  });

async function findTotp(db: Queryable, userId: string): Promise<TotpRow | undefined> {
  const [row] = await db.query<TotpRow>({
    text: `select ${listOf(totpColumns)} from user_totp where user_id = $1`,
    values: [userId],
    scope: 'nobody',
  });
  return row;
}

export interface TotpState {
  /** Null if sign-in requires no code. */
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
}

/** Whether a person uses an authenticator, and how many recovery codes they have left. */
export async function totpState(db: Queryable, userId: string): Promise<TotpState> {
  const [row] = await db.query<{ enabled_at: Date | null; codes: number }>({
    text: `select (select enabled_at from user_totp where user_id = $1) as enabled_at,
             (select count(*) from recovery_codes where user_id = $1 and used_at is null) as codes`,
    values: [userId],
    scope: 'nobody',
  });
  return { enabledAt: row?.enabled_at ?? null, recoveryCodesLeft: row?.codes ?? 0 };
}

/**
 * Creates a secret for a person's authenticator. Sign-in does not require a code before `activateTotp`.
 * @returns the secret as text and as an `otpauth://` URL, shown only now
 * @throws DashboardError `conflict` if an authenticator is in use
 */
export async function beginTotp(
  deps: Within<TotpDependencies>,
  user: { readonly id: string; readonly email: string },
): Promise<{ secret: string; uri: string }> {
  const { current } = deps.masterKeys;
  const secret = Buffer.from(deps.randomBytes(secretLength).subarray(0, secretLength));
  const nonce = deps.randomBytes(nonceLength).subarray(0, nonceLength);
  const rows = await deps.db.query({
    text: `insert into user_totp as t (${listOf(beginColumns)}) values (${parametersOf(beginColumns)})
           on conflict (user_id) do update set secret = excluded.secret, master_key_id = excluded.master_key_id,
             created_at = excluded.created_at, last_step = 0
           where t.enabled_at is null returning user_id`,
    values: valuesOf(beginColumns, {
      user_id: user.id,
      secret: sealBytes(current.wrappingKey, userTotpPlace(user.id), secret, nonce),
      master_key_id: current.id,
      created_at: deps.clock.now(),
    }),
    scope: 'nobody',
  });
  if (rows.length === 0) {
    throw new DashboardError('conflict', 'An authenticator is in use already. Turn it off first.');
  }
  const totp = totpOf(secret, user.email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** Whether this is an unused code of the authenticator. If so, marks it as used. */
async function takeTotpCode(
  { db, clock, masterKeys }: Within<TotpDependencies>,
  userId: string,
  row: TotpRow,
  code: string,
): Promise<boolean> {
  const { wrappingKey } = masterKeyOf(masterKeys, row.master_key_id);
  const totp = totpOf(openBytes(wrappingKey, userTotpPlace(userId), row.secret), '');
  const timestamp = clock.now().getTime();
  const delta = totp.validate({ token: code, timestamp, window });
  if (delta === null) return false;
  const step = totp.counter({ timestamp }) + delta;
  const taken = await db.query({
    // The code belongs to the secret that was read. A new secret may have been created meanwhile.
    text: `update user_totp set last_step = $2 where user_id = $1 and last_step < $2 and created_at = $3
           returning user_id`,
    values: [userId, step, row.created_at],
    scope: 'nobody',
  });
  return taken.length === 1;
}

/**
 * Makes sign-in require a code from now on.
 * @returns the recovery codes, shown only now
 * @throws DashboardError `conflict` if `beginTotp` was not called; `invalid_code`
 */
export async function activateTotp(
  deps: Within<TotpDependencies>,
  userId: string,
  code: string,
): Promise<string[]> {
  const row = await findTotp(deps.db, userId);
  if (row === undefined || row.enabled_at !== null) {
    throw new DashboardError('conflict', 'There is no authenticator to be turned on. Begin again.');
  }
  if (!(await takeTotpCode(deps, userId, row, plain(code)))) throw invalidCode();
  await deps.db.query({
    text: 'update user_totp set enabled_at = $2 where user_id = $1 and enabled_at is null',
    values: [userId, deps.clock.now()],
    scope: 'nobody',
  });
  return renewRecoveryCodes(deps, userId);
}

/** Makes sign-in require no code any more. @throws DashboardError `conflict` if none is required */
export async function disableTotp(db: Queryable, userId: string): Promise<void> {
  await requireTotp(db, userId);
  await db.query({ text: 'delete from user_totp where user_id = $1', values: [userId], scope: 'nobody' });
  await db.query({
    text: 'delete from recovery_codes where user_id = $1',
    values: [userId],
    scope: 'nobody',
  });
}

/** @throws DashboardError `conflict` if no authenticator is in use */
export async function requireTotp(db: Queryable, userId: string): Promise<void> {
  const row = await findTotp(db, userId);
  if (row?.enabled_at == null) throw new DashboardError('conflict', 'No authenticator is in use.');
}

/** Replaces a person's recovery codes. @param deps with a transaction as `db` @returns the codes, shown only now */
export async function renewRecoveryCodes(
  { db, randomBytes }: { readonly db: Queryable; readonly randomBytes: RandomBytes },
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => newRecoveryCode(randomBytes));
  // The lock serializes concurrent requests: the second one replaces the codes of the first.
  await db.query({
    text: 'select from user_totp where user_id = $1 for update',
    values: [userId],
    scope: 'nobody',
  });
  await db.query({
    text: 'delete from recovery_codes where user_id = $1',
    values: [userId],
    scope: 'nobody',
  });
  await db.query({
    text: 'insert into recovery_codes (user_id, code_sha256) select $1, unnest($2::bytea[])',
    values: [userId, codes.map((code) => sha256(plain(code)))],
    scope: 'nobody',
  });
  return codes;
}

/** 80 random bits in groups: too many for the code to be guessed from its hash. */
function newRecoveryCode(randomBytes: RandomBytes): string {
  const length = recoveryGroups * groupLength;
  const letters = Array.from(randomBytes(length).subarray(0, length), (byte) => alphabet.charAt(byte % 32));
  return Array.from({ length: recoveryGroups }, (_none, group) =>
    letters.slice(group * groupLength, (group + 1) * groupLength).join(''),
  ).join('-');
}

const plain = (code: string) => code.toLowerCase().replaceAll(/[\s-]/g, '');
const invalidCode = () =>
  new DashboardError('invalid_code', 'This code is not right, or was used already.', { param: 'code' });

/**
 * Checks the second factor of a person who uses one: a code of the authenticator or a recovery code. Each code works once.
 * @throws DashboardError `code_required`, `invalid_code`
 */
export async function requireSecondFactor(
  deps: TotpDependencies,
  userId: string,
  code: string | undefined,
): Promise<void> {
  const row = await findTotp(deps.db, userId);
  if (row?.enabled_at == null) return;
  const given = plain(code ?? '');
  if (given === '') {
    throw new DashboardError('code_required', 'Enter the code of your authenticator, or a recovery code.', {
      param: 'code',
    });
  }
  const isTotp = /^\d{6}$/.test(given);
  const good = isTotp ? takeTotpCode(deps, userId, row, given) : takeRecoveryCode(deps, userId, given);
  if (!(await good)) throw invalidCode();
}

async function takeRecoveryCode(
  { db, clock }: TotpDependencies,
  userId: string,
  code: string,
): Promise<boolean> {
  const rows = await db.query({
    text: `update recovery_codes set used_at = $3 where user_id = $1 and code_sha256 = $2 and used_at is null
           returning user_id`,
    values: [userId, sha256(code), clock.now()],
    scope: 'nobody',
  });
  return rows.length === 1;
}
