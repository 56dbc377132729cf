import { DashboardError } from '@till/contract/dashboard';
import type { Queryable } from '../../store/database.ts';
import { writePersonalAudit } from '../audit/audit.ts';
import type { PasswordDependencies, PeopleDependencies, Within } from '../people/dependencies.ts';
import { findUser, findUserByEmail, type UserRow } from '../people/users.ts';
import { noteFailedSignIn } from './failed-sign-ins.ts';
import {
  type ClientInfo,
  endOtherSessions,
  endSessionOf,
  noteConfirmation,
  requireLiving,
  type Session,
  startSession,
} from './sessions.ts';
import { type Attempt, beginAttempt } from './throttle.ts';
import { requireSecondFactor } from './totp.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** A code of the authenticator, or a recovery code. */
  readonly code?: string | undefined;
}

/**
 * Verifies a person's credentials. An unknown address costs as much work as a wrong password, and gets the same answer.
 * @throws DashboardError `too_many_attempts`, `invalid_credentials`, `code_required`, `invalid_code`
 */
export async function checkCredentials(
  deps: PasswordDependencies,
  { email, password, code }: Credentials,
  ip: string,
): Promise<UserRow> {
  const attempt = await beginAttempt(deps, email, ip);
  const user = await findUserByEmail(deps.db, email);
  const same = await unlessBusy(attempt, () =>
    deps.passwords.matches(user?.password_hash, password, deps.suspend),
  );
  if (user === undefined || !same) {
    await noteFailedSignIn(deps, attempt, user, { ip, reason: 'password' });
    throw wrongCredentials();
  }
  try {
    await requireSecondFactor(deps, user.id, code);
  } catch (error) {
    const refusal = error instanceof DashboardError ? error.code : null;
    if (refusal === 'code_required') await attempt.undone();
    if (refusal === 'invalid_code') await noteFailedSignIn(deps, attempt, user, { ip, reason: 'code' });
    throw error;
  }
  await attempt.succeeded();
  return user;
}

/** Does not count an attempt that was refused only because too many others wait: it was no guess. */
async function unlessBusy<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DashboardError) await attempt.undone();
    throw error;
  }
}

export interface SignedIn {
  readonly session: Session;
  /** For the browser's cookie. */
  readonly token: string;
}

/**
 * Signs a person in, always with a new session. The session that the browser had before ends.
 * @param formerToken the token that the browser sent
 * @throws DashboardError as `checkCredentials`
 */
export async function signIn(
  deps: PasswordDependencies,
  credentials: Credentials,
  client: ClientInfo,
  formerToken: string | null,
): Promise<SignedIn> {
  const user = await checkCredentials(deps, credentials, client.ip);
  return deps.db.transaction(async (tx) => {
    await requireSamePassword(tx, user);
    return beginSession({ ...deps, db: tx }, user, client, formerToken);
  });
}

/**
 * Requires that the password has not changed since it was checked. A change ends all sessions, so that none may begin with
 * the former one.
 */
export async function requireSamePassword(
  tx: Queryable,
  user: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<void> {
  const rows = await tx.query({
    text: 'select id from users where id = $1 and password_hash = $2 for share',
    values: [user.id, user.password_hash],
    scope: 'nobody',
  });
  if (rows.length === 0) throw wrongCredentials();
}

const wrongCredentials = () =>
  new DashboardError('invalid_credentials', 'The e-mail address or the password is wrong.');

/**
 * Creates a session for a person whose credentials were checked, within the caller's transaction.
 * @param former as in `startSession`
 */
export async function beginSession(
  deps: Within<PeopleDependencies>,
  user: { readonly id: string; readonly email: string },
  client: ClientInfo,
  formerToken: string | null,
  former: Session | null = null,
): Promise<SignedIn> {
  if (former !== null) await requireLiving(deps.db, former);
  if (formerToken !== null) await endSessionOf(deps.db, formerToken);
  const started = await startSession(deps, user, client, former);
  await writePersonalAudit(deps, user, {
    action: 'session.created',
    ip: client.ip,
    objectId: started.session.id,
  });
  return started;
}

/**
 * Checks the password of the signed-in person again before something is revealed or changed.
 * @throws DashboardError as `checkCredentials`
 */
export async function confirmSession(
  deps: PasswordDependencies,
  session: Session,
  { password, code }: Omit<Credentials, 'email'>,
  client: ClientInfo,
): Promise<Session> {
  await checkCredentials(deps, { email: session.email, password, code }, client.ip);
  return deps.db.transaction(async (tx) => {
    const confirmed = await noteConfirmation(tx, session, deps.clock.now());
    await writePersonalAudit(
      { ...deps, db: tx },
      { id: session.userId, email: session.email },
      { action: 'session.confirmed', ip: client.ip, objectId: session.id },
    );
    return confirmed;
  });
}

/**
 * Changes the password of the signed-in person. Their other sessions end, and this one continues under a new id. Its
 * confirmation is not prolonged, since no code is required.
 * @throws DashboardError `too_many_attempts`, `invalid_credentials`, `weak_password`, `not_signed_in`
 */
export async function changePassword(
  deps: PasswordDependencies,
  session: Session,
  options: { readonly currentPassword: string; readonly newPassword: string },
  client: ClientInfo,
): Promise<SignedIn> {
  const attempt = await beginAttempt(deps, session.email, client.ip);
  const user = await findUser(deps.db, session.userId);
  const same = await unlessBusy(attempt, () =>
    deps.passwords.matches(user?.password_hash, options.currentPassword, deps.suspend),
  );
  if (user === undefined || !same) {
    await noteFailedSignIn(deps, attempt, user, { ip: client.ip, reason: 'password' });
    throw new DashboardError('invalid_credentials', 'The present password is wrong.', {
      param: 'current_password',
    });
  }
  // No code was required, so earlier failures still count.
  await attempt.undone();
  const passwordHash = await deps.passwords.hash(options.newPassword, deps.suspend);
  return deps.db.transaction(async (tx) => {
    const changed = await tx.query({
      text: `update users set password_hash = $2, password_changed_at = $3
             where id = $1 and password_hash = $4 returning id`,
      values: [user.id, passwordHash, deps.clock.now(), user.password_hash],
      scope: 'nobody',
    });
    if (changed.length === 0) throw new DashboardError('conflict', 'The password was changed just now.');
    await requireLiving(tx, session);
    const started = await startSession({ ...deps, db: tx }, user, client, session);
    const ended = await endOtherSessions(tx, user.id, started.session.id);
    await writePersonalAudit({ ...deps, db: tx }, user, {
      action: 'password.changed',
      ip: client.ip,
      after: { sessions_ended: ended - 1 },
    });
    return started;
  });
}
