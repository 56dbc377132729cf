import { hash, verify } from '@node-rs/argon2';
import { type AccountParts, OperatorError, requireAccount } from '../accounts/accounts.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';

export const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** argon2id with 19 MiB and two passes, the OWASP minimum. */
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const foldEmail = (email: string) => email.trim().normalize('NFC').toLowerCase();

/**
 * Gives a person access to an account's dashboard. Somebody who works for another account already joins this one, with
 * the password that they have.
 * @throws OperatorError `account_not_found`, `invalid_email`, `weak_password`, `email_taken`
 */
export async function createUser(
  parts: AccountParts & { db: Database },
  wish: { accountId: string; email: string; password: string; role: Role },
): Promise<{ id: string; email: string; role: Role }> {
  const account = await requireAccount(parts, wish.accountId);
  const email = wish.email.trim();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) || email.length > 254) {
    throw new OperatorError('invalid_email', `${email.slice(0, 100)} is not an e-mail address.`);
  }
  if (wish.password.length < 8 || wish.password.length > 1000) {
    throw new OperatorError('weak_password', 'A password has 8 to 1000 characters.');
  }
  const now = parts.clock.now();
  const [known] = await parts.db.query<{ id: string; password_hash: string }>({
    text: 'select id, password_hash from users where email_folded = $1',
    values: [foldEmail(email)],
  });
  if (known !== undefined && !(await verify(known.password_hash, wish.password))) {
    throw new OperatorError('email_taken', 'A user with this e-mail address exists with another password.');
  }
  const id = known?.id ?? newId('usr', now, parts.randomBytes);
  const passwordHash = known?.password_hash ?? (await hash(wish.password, argon2));
  await parts.db.transaction(async (tx) => {
    await tx.query({
      text: `insert into users (id, email, email_folded, password_hash, created_at) values ($1, $2, $3, $4, $5)
             on conflict (id) do nothing`,
      values: [id, email, foldEmail(email), passwordHash, now],
    });
    const joined = await tx.query({
      text: `insert into memberships (account_id, user_id, role, created_at) values ($1, $2, $3, $4)
             on conflict (account_id, user_id) do nothing returning user_id`,
      values: [account.account_id, id, wish.role, now],
    });
    if (joined.length === 0) {
      throw new OperatorError('email_taken', 'This user is a member of the account already.');
    }
  });
  return { id, email, role: wish.role };
}
