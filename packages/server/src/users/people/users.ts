import { DashboardError, type Role } from '@till/contract/dashboard';
import { type AccountDependencies, OperatorError } from '../../accounts/accounts.ts';
import { presentTenantsOf } from '../../accounts/sql.ts';
import { newId } from '../../lib/ids.ts';
import { holdsNoPlace } from '../../lib/waiting/suspend.ts';
import {
  listOf,
  nullable,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
  without,
} from '../../store/columns.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Passwords } from './passwords.ts';

export { type Role, roles } from '@till/contract/dashboard';

export const insertedColumns = {
  id: text,
  email: text,
  email_folded: text,
  password_hash: text,
  created_at: time,
} as const;
const userColumns = {
  ...without(insertedColumns, 'email_folded'),
  password_changed_at: nullable(time),
} as const;

/** Somebody who may sign in. */
export type UserRow = RowOf<typeof userColumns>;

const columns = listOf(userColumns);

/** Two addresses that only differ in case are the same person's. */
export const foldEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/** The person with this address, however it is written. */
export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const [row] = await db.query<UserRow>({
    name: 'find_user_by_email',
    text: `select ${columns} from users where email_folded = $1`,
    values: [foldEmail(email)],
    scope: 'nobody',
  });
  return row;
}

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  const [row] = await db.query<UserRow>({
    text: `select ${columns} from users where id = $1`,
    values: [id],
    scope: 'nobody',
  });
  return row;
}

/** Makes a person. Where somebody else has just made the same one, that one stays. @returns whose password counts */
export async function insertUser(
  db: Queryable,
  user: { readonly id: string; readonly email: string; readonly passwordHash: string; readonly at: Date },
): Promise<'inserted' | 'taken'> {
  const rows = await db.query({
    text: `insert into users (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})
           on conflict (email_folded) do nothing returning id`,
    values: valuesOf(insertedColumns, {
      id: user.id,
      email: user.email.trim(),
      email_folded: foldEmail(user.email),
      password_hash: user.passwordHash,
      created_at: user.at,
    }),
    scope: 'nobody',
  });
  return rows.length === 1 ? 'inserted' : 'taken';
}

export const membershipColumns = {
  account_id: text,
  user_id: text,
  role: oneOf<Role>(),
  created_at: time,
} as const;
const intoMemberships = `insert into memberships (${listOf(membershipColumns)}) values (${parametersOf(membershipColumns)})`;

interface Membership {
  readonly accountId: string;
  readonly userId: string;
  readonly role: Role;
  readonly at: Date;
}

const ofMembership = ({ accountId, userId, role, at }: Membership) => ({
  values: valuesOf(membershipColumns, { account_id: accountId, user_id: userId, role, created_at: at }),
  scope: { accountId },
});

/** Makes a person a member of an account. @returns false where they are one already */
export async function insertMembership(db: Queryable, membership: Membership): Promise<boolean> {
  const rows = await db.query({
    text: `${intoMemberships} on conflict (account_id, user_id) do nothing returning user_id`,
    ...ofMembership(membership),
  });
  return rows.length === 1;
}

/** Makes a person an owner of an account, also one who is a member already. */
export async function makeOwner(db: Queryable, membership: Omit<Membership, 'role'>): Promise<void> {
  await db.query({
    text: `${intoMemberships} on conflict (account_id, user_id) do update set role = excluded.role`,
    ...ofMembership({ ...membership, role: 'owner' }),
  });
}

/**
 * Gives a person access to an account's dashboard, at the command line. Somebody who works for another account already
 * joins this one, with the password that they have.
 * @throws OperatorError `account_not_found`, `invalid_email`, `weak_password`, `email_taken`
 */
export async function createUser(
  deps: AccountDependencies & { readonly db: Database; readonly passwords: Passwords },
  options: { accountId: string; email: string; password: string; role: Role },
): Promise<{ id: string; email: string; role: Role }> {
  const [tenant] = await presentTenantsOf(deps.db, [options.accountId]);
  if (tenant === undefined) {
    throw new OperatorError('account_not_found', `There is no account ${options.accountId}.`);
  }
  const { accountId } = tenant;
  const email = options.email.trim();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) || email.length > 254) {
    throw new OperatorError('invalid_email', `${email.slice(0, 100)} is not an e-mail address.`);
  }
  const passwordHash = await hashAtCommandLine(deps.passwords, options.password);
  const known = await findUserByEmail(deps.db, email);
  if (
    known !== undefined &&
    !(await deps.passwords.matches(known.password_hash, options.password, holdsNoPlace))
  ) {
    throw new OperatorError('email_taken', 'A user with this e-mail address exists with another password.');
  }
  const now = deps.clock.now();
  const id = known?.id ?? newId('usr', now, deps.randomBytes);
  const { role } = options;
  await deps.db.transaction(async (tx) => {
    if (known === undefined && (await insertUser(tx, { id, email, passwordHash, at: now })) === 'taken') {
      throw new OperatorError('email_taken', 'A user with this e-mail address was made just now.');
    }
    const joined = await insertMembership(tx, { accountId, userId: id, role, at: now });
    if (!joined) throw new OperatorError('email_taken', 'This user is a member of the account already.');
    await writeAudit(
      { ...deps, db: tx },
      {
        ...tenant,
        actor: { type: 'operator' },
        action: 'member.added',
        objectId: id,
        before: null,
        after: { email, role },
        ip: null,
      },
    );
  });
  return { id, email, role };
}

async function hashAtCommandLine(passwords: Passwords, password: string): Promise<string> {
  try {
    return await passwords.hash(password, holdsNoPlace);
  } catch (error) {
    throw error instanceof DashboardError ? new OperatorError(error.code, error.message) : error;
  }
}
