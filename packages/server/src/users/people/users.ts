import type { Role } from '@till/contract/dashboard';
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
import type { Queryable } from '../../store/database.ts';

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

/** A user who may sign in. */
export type UserRow = RowOf<typeof userColumns>;

const columns = listOf(userColumns);

/** Two addresses that differ only in case belong to the same person. */
export const foldEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/** Finds the user with this address, regardless of case and Unicode form. */
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

/**
 * Inserts a user. If a concurrent request has just inserted the same address, that user stays.
 * @returns whether this one was inserted
 */
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

/** Makes a person a member of an account. @returns false if they already are one */
export async function insertMembership(db: Queryable, membership: Membership): Promise<boolean> {
  const rows = await db.query({
    text: `${intoMemberships} on conflict (account_id, user_id) do nothing returning user_id`,
    ...ofMembership(membership),
  });
  return rows.length === 1;
}

/** Makes a person an owner of an account, even if they already are a member. */
export async function makeOwner(db: Queryable, membership: Omit<Membership, 'role'>): Promise<void> {
  await db.query({
    text: `${intoMemberships} on conflict (account_id, user_id) do update set role = excluded.role`,
    ...ofMembership({ ...membership, role: 'owner' }),
  });
}
