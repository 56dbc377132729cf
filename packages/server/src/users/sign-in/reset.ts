import { OperatorError } from '../../accounts/accounts.ts';
import { randomBase62 } from '../../lib/ids.ts';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import type { Database } from '../../store/database.ts';
import { type AuditDependencies, writePersonalAudit } from '../audit/audit.ts';
import type { Passwords } from '../people/passwords.ts';
import { findUserByEmail } from '../people/users.ts';
import { endOtherSessions } from './sessions.ts';
import { disableTotp, totpState } from './totp.ts';

const passwordLength = 20;

export interface ResetOptions {
  readonly email: string;
  /** Disables the authenticator and deletes its recovery codes as well. */
  readonly authenticator: boolean;
}

/**
 * Gives a person who cannot sign in a new password, from the command line. All their sessions end.
 * @returns the new password, which is shown only now
 * @throws OperatorError `user_not_found`
 */
export async function resetSignIn(
  deps: AuditDependencies & { readonly db: Database; readonly passwords: Passwords },
  { email, authenticator }: ResetOptions,
): Promise<{ email: string; password: string; authenticator_ended: boolean }> {
  const user = await findUserByEmail(deps.db, email);
  if (user === undefined) {
    throw new OperatorError('user_not_found', `Nobody has the e-mail address ${email}.`);
  }
  const password = randomBase62(passwordLength, deps.randomBytes);
  const passwordHash = await deps.passwords.hash(password, suspendNothing);
  const ended = await deps.db.transaction(async (tx) => {
    await tx.query({
      text: 'update users set password_hash = $2, password_changed_at = $3 where id = $1',
      values: [user.id, passwordHash, deps.clock.now()],
      scope: 'nobody',
    });
    const ends = authenticator && (await totpState(tx, user.id)).enabledAt !== null;
    if (ends) await disableTotp(tx, user.id);
    const after = { sessions_ended: await endOtherSessions(tx, user.id, ''), authenticator_ended: ends };
    await writePersonalAudit({ ...deps, db: tx }, user, { action: 'password.reset', ip: null, after });
    return ends;
  });
  return { email: user.email, password, authenticator_ended: ended };
}
