import { DashboardError, type Role } from '@till/contract/dashboard';
import { newId } from '../../lib/ids.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { writeAudit } from '../audit/audit.ts';
import type { PasswordDependencies, PeopleDependencies, Within } from '../people/dependencies.ts';
import { findUserByEmail, foldEmail, insertMembership, insertUser, makeOwner } from '../people/users.ts';
import type { ClientInfo, Session } from '../sign-in/sessions.ts';
import { beginSession, checkCredentials, requireSamePassword, type SignedIn } from '../sign-in/sign-in.ts';
import { requireInvitation, spendInvitation } from './invitations.ts';
import { requireSetupLink, spendSetupLink } from './setup-links.ts';

interface Person {
  readonly id: string;
  readonly email: string;
  /** Null if the person is already a user. */
  readonly passwordHash: string | null;
  /** For an existing user: the hash of the password with which they proved their identity. */
  readonly provedBy?: string;
}

/** Checks the credentials of an existing user, or hashes the password that a new person chooses. */
async function identify(
  deps: PasswordDependencies,
  options: { readonly email: string; readonly password: string; readonly code?: string | undefined },
  ip: string,
): Promise<Person> {
  const known = await findUserByEmail(deps.db, options.email);
  if (known !== undefined) {
    const { id, email, password_hash: provedBy } = await checkCredentials(deps, options, ip);
    return { id, email, passwordHash: null, provedBy };
  }
  const passwordHash = await deps.passwords.hash(options.password, deps.suspend);
  const id = newId('usr', deps.clock.now(), deps.randomBytes);
  return { id, email: options.email.trim(), passwordHash };
}

/** Inserts a new person. The password of an existing user must still be the one that was checked. */
async function insertPerson(
  tx: Queryable,
  { id, email, passwordHash, provedBy }: Person,
  at: Date,
): Promise<void> {
  if (provedBy !== undefined) await requireSamePassword(tx, { id, password_hash: provedBy });
  if (passwordHash === null) return;
  if ((await insertUser(tx, { id, email, passwordHash, at })) === 'inserted') return;
  throw new DashboardError('conflict', 'Somebody with this e-mail address has just been added. Try again.');
}

/** Writes the audit entry that a person joined, with that person as the actor. */
async function noteJoined(
  deps: Within<PeopleDependencies>,
  person: Person,
  joined: Tenant & { readonly role: Role },
  ip: string,
): Promise<void> {
  await writeAudit(deps, {
    tenant: joined.tenant,
    accountId: joined.accountId,
    livemode: joined.livemode,
    actor: { type: 'user', userId: person.id, email: person.email },
    action: 'member.added',
    objectId: person.id,
    before: null,
    after: { email: person.email, role: joined.role },
    ip,
  });
}

/**
 * Accepts an invitation and signs the person in. Only the invited address can accept it: the person enters that user's
 * password, unless they are signed in with that address.
 * @throws DashboardError `link_not_valid`, `weak_password`, `already_member`; for an existing user also as
 *   `checkCredentials`
 */
export async function acceptInvitation(
  deps: PasswordDependencies,
  options: {
    readonly token: string;
    readonly password?: string | undefined;
    readonly code?: string | undefined;
  },
  session: Session | null,
  client: ClientInfo,
  formerToken: string | null,
): Promise<SignedIn> {
  const invitation = await requireInvitation(deps, options.token);
  const isSignedIn = session !== null && foldEmail(session.email) === foldEmail(invitation.email);
  const person = isSignedIn
    ? { id: session.userId, email: session.email, passwordHash: null }
    : await identify(
        deps,
        { email: invitation.email, password: options.password ?? '', code: options.code },
        client.ip,
      );
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    await spendInvitation(tx, invitation, now);
    await insertPerson(tx, person, now);
    const { account_id: accountId, tenant, livemode, role } = invitation;
    if (!(await insertMembership(tx, { accountId, userId: person.id, role, at: now }))) {
      throw new DashboardError('already_member', 'You are a member of this account already.');
    }
    await noteJoined({ ...deps, db: tx }, person, { tenant, accountId, livemode, role }, client.ip);
    return beginSession({ ...deps, db: tx }, person, client, formerToken, isSignedIn ? session : null);
  });
}

/**
 * The first login: the holder of the link becomes an owner of its accounts and is signed in.
 * @throws DashboardError `link_not_valid`, `weak_password`; for an existing user also as `checkCredentials`
 */
export async function completeSetup(
  deps: PasswordDependencies,
  options: {
    readonly token: string;
    readonly email: string;
    readonly password: string;
    readonly code?: string | undefined;
  },
  client: ClientInfo,
  formerToken: string | null,
): Promise<SignedIn> {
  await requireSetupLink(deps, options.token);
  const person = await identify(deps, options, client.ip);
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    const accounts = await spendSetupLink(tx, options.token, now);
    await insertPerson(tx, person, now);
    for (const tenant of accounts) {
      await makeOwner(tx, { accountId: tenant.accountId, userId: person.id, at: now });
      await noteJoined({ ...deps, db: tx }, person, { ...tenant, role: 'owner' }, client.ip);
    }
    return beginSession({ ...deps, db: tx }, person, client, formerToken);
  });
}
