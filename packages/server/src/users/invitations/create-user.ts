import { DashboardError, type Role } from '@till/contract/dashboard';
import { type AccountDependencies, OperatorError } from '../../accounts/accounts.ts';
import { currentTenantsOf } from '../../accounts/sql.ts';
import { newId } from '../../lib/ids.ts';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import type { Database } from '../../store/database.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Passwords } from '../people/passwords.ts';
import { findUserByEmail, insertMembership, insertUser } from '../people/users.ts';
import { endSetupLinks } from './setup-links.ts';

/**
 * Gives a person access to an account's dashboard, from the command line. A user of another account joins this one too, and
 * must be given with the password that they already have.
 * @throws OperatorError `account_not_found`, `invalid_email`, `weak_password`, `email_taken`
 */
export async function createUser(
  deps: AccountDependencies & { readonly db: Database; readonly passwords: Passwords },
  options: { accountId: string; email: string; password: string; role: Role },
): Promise<{ id: string; email: string; role: Role }> {
  const [tenant] = await currentTenantsOf(deps.db, [options.accountId]);
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
    !(await deps.passwords.matches(known.password_hash, options.password, suspendNothing))
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
    if (role === 'owner') await endSetupLinks(tx, accountId, now);
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
    return await passwords.hash(password, suspendNothing);
  } catch (error) {
    throw error instanceof DashboardError ? new OperatorError(error.code, error.message) : error;
  }
}
