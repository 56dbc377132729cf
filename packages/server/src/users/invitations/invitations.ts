import { ApiError } from '@till/contract';
import { DashboardError, type Role } from '@till/contract/dashboard';
import { joinKnownAccount } from '../../accounts/sql.ts';
import { newId, randomBase62 } from '../../lib/ids.ts';
import { sha256 } from '../../lib/keys.ts';
import { isMailbox } from '../../mail/address.ts';
import { queueMailTo } from '../../mail/queue-mail.ts';
import {
  bool,
  bytes,
  listOf,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { TenantId } from '../../store/tenant.ts';
import type { PeopleDependencies } from '../people/dependencies.ts';
import { type ActingMember, requireInviter } from '../people/members.ts';
import { foldEmail } from '../people/users.ts';
import { invitationMail } from './invitation-mail.ts';

const dayMs = 24 * 3_600_000;
const validMs = 7 * dayMs;
const tokenLength = 43;
/**
 * How many invitations an account may mail within 24 hours, in all and to one address. Mails to strangers are limited
 * in general.
 */
const maxMails = { ofAccount: 200, toOneAddress: 5 } as const;

const invitationColumns = {
  account_id: text,
  id: text,
  email: text,
  role: oneOf<Role>(),
  invited_by: text,
  created_at: time,
  expires_at: time,
} as const;
export const insertedColumns = {
  ...invitationColumns,
  email_folded: text,
  token_sha256: bytes,
  /** Whether a mail with the link was queued: not if the address is no mailbox. */
  mailed: bool,
} as const;

/** An invitation. `invited_by` is an e-mail address. */
export type InvitationRow = RowOf<typeof invitationColumns>;

const columns = listOf(invitationColumns, 'i', { invited_by: 'u.email' });

/** The invitations of an account that were neither accepted nor withdrawn, including expired ones, newest first. */
export async function listInvitations(db: Queryable, accountId: string): Promise<InvitationRow[]> {
  return db.query<InvitationRow>({
    text: `select ${columns} from invitations i join users u on u.id = i.invited_by
           where i.account_id = $1 and i.ended_at is null order by i.id desc`,
    values: [accountId],
    scope: { accountId },
  });
}

/**
 * Invites a person. An earlier invitation to the same address ends; the actor must be allowed to withdraw it.
 * @returns the invitation's URL, which is shown only once, and whether a mail with it is on its way
 * @throws DashboardError `forbidden`, `already_member`; ApiError `rate_limited` if too many were mailed
 */
export async function inviteMember(
  deps: PeopleDependencies,
  actor: ActingMember,
  options: {
    readonly email: string;
    readonly role: Role;
    readonly accountName: string;
    /** IANA name of the account's time zone. */
    readonly timeZone: string;
  },
): Promise<{ invitation: InvitationRow; url: string; mailed: boolean }> {
  const now = deps.clock.now();
  const email = options.email.trim();
  const token = randomBase62(tokenLength, deps.randomBytes);
  const url = `${deps.publicAddress()}/dashboard/invite/${token}`;
  const invitation: InvitationRow = {
    account_id: actor.accountId,
    id: newId('inv', now, deps.randomBytes),
    email,
    role: options.role,
    invited_by: actor.email,
    created_at: now,
    expires_at: new Date(now.getTime() + validMs),
  };
  const mailed = isMailbox(email);
  await deps.db.transaction(async (tx) => {
    await requireInviter(tx, actor, options.role);
    await requireNotMember(tx, actor.accountId, email);
    if (mailed) await requireFewMails(tx, actor.accountId, email, now);
    const former = await endFormer(tx, actor, email, now);
    await insertInvitation(tx, { ...invitation, invited_by: actor.userId, mailed }, token);
    if (mailed) {
      const { accountName, timeZone } = options;
      const message = invitationMail({ ...invitation, accountName, timeZone, url });
      await queueMailTo({ ...deps.mail, db: tx }, actor.accountId, email, message);
    }
    await actor.audit(
      {
        objectId: invitation.id,
        before: former,
        after: { email, role: options.role },
      },
      tx,
    );
  });
  return { invitation, url, mailed: mailed && deps.mail.sends };
}

/**
 * Prevents a member from making Till write to strangers as often as they like. The account's members are locked, so that of
 * two concurrent invitations the second counts the first.
 * @throws ApiError `rate_limited`
 */
async function requireFewMails(tx: Queryable, accountId: string, email: string, now: Date): Promise<void> {
  const [row] = await tx.query<{ all: number; same: number; first: Date | null; first_same: Date | null }>({
    text: `select count(*)::int as all, min(created_at) as first,
             count(*) filter (where email_folded = $2)::int as same,
             min(created_at) filter (where email_folded = $2) as first_same
           from invitations where account_id = $1 and created_at > $3 and mailed`,
    values: [accountId, foldEmail(email), new Date(now.getTime() - dayMs)],
    scope: { accountId },
  });
  const { all = 0, same = 0, first = null, first_same: firstSame = null } = row ?? {};
  const isAddressFull = same >= maxMails.toOneAddress;
  if (!isAddressFull && all < maxMails.ofAccount) return;
  const limit = isAddressFull
    ? `One address gets at most ${maxMails.toOneAddress} invitations`
    : `An account mails at most ${maxMails.ofAccount} invitations`;
  const free = ((isAddressFull ? firstSame : first) ?? now).getTime() + dayMs;
  throw new ApiError('rate_limited', `${limit} within 24 hours.`, {
    retryAfterSeconds: Math.ceil((free - now.getTime()) / 1000),
  });
}

/**
 * Ends the open invitation to an address, which a new one replaces.
 * @returns the former invitation for the audit entry
 * @throws DashboardError `forbidden` if the actor may not withdraw it
 */
async function endFormer(
  tx: Queryable,
  actor: ActingMember,
  email: string,
  now: Date,
): Promise<Pick<InvitationRow, 'email' | 'role'> | null> {
  const [former] = await tx.query<Pick<InvitationRow, 'email' | 'role' | 'expires_at'>>({
    text: `update invitations set ended_at = $3
           where account_id = $1 and email_folded = $2 and ended_at is null returning email, role, expires_at`,
    values: [actor.accountId, foldEmail(email), now],
    scope: { accountId: actor.accountId },
  });
  if (former === undefined || former.expires_at <= now) return null;
  await requireInviter(tx, actor, former.role);
  return { email: former.email, role: former.role };
}

/** @param row the invitation, with the id of the user who made it as `invited_by` */
async function insertInvitation(
  tx: Queryable,
  row: InvitationRow & { readonly mailed: boolean },
  token: string,
): Promise<void> {
  await tx.query({
    text: `insert into invitations (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns)})`,
    values: valuesOf(insertedColumns, {
      ...row,
      email_folded: foldEmail(row.email),
      token_sha256: sha256(token),
    }),
    scope: { accountId: row.account_id },
  });
}

async function requireNotMember(tx: Queryable, accountId: string, email: string): Promise<void> {
  const rows = await tx.query({
    text: `select m.user_id from memberships m join users u on u.id = m.user_id
           where m.account_id = $1 and u.email_folded = $2`,
    values: [accountId, foldEmail(email)],
    scope: { accountId },
  });
  if (rows.length === 0) return;
  throw new DashboardError('already_member', 'This person is a member of the account already.', {
    param: 'email',
  });
}

const unknownInvitation = () => new ApiError('not_found', 'There is no such invitation.');

/** Withdraws an invitation. @throws ApiError `not_found`; DashboardError `forbidden` */
export async function withdrawInvitation(
  deps: PeopleDependencies,
  actor: ActingMember,
  invitationId: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const [row] = await tx.query<{ email: string; role: Role }>({
      text: 'select email, role from invitations where account_id = $1 and id = $2 and ended_at is null',
      values: [actor.accountId, invitationId],
      scope: { accountId: actor.accountId },
    });
    if (row === undefined) throw unknownInvitation();
    await requireInviter(tx, actor, row.role);
    const ended = await tx.query({
      text: `update invitations set ended_at = $3 where account_id = $1 and id = $2 and ended_at is null
             returning id`,
      values: [actor.accountId, invitationId, deps.clock.now()],
      scope: { accountId: actor.accountId },
    });
    // It was accepted meanwhile.
    if (ended.length === 0) throw unknownInvitation();
    await actor.audit(
      {
        objectId: invitationId,
        before: row,
        after: null,
      },
      tx,
    );
  });
}

export interface OpenInvitation extends InvitationRow {
  readonly account_name: string;
  /** The tenant of the account's current environment. */
  readonly tenant: TenantId;
  readonly livemode: boolean;
}

/**
 * Finds an invitation by the token of its link.
 * @throws DashboardError `link_not_valid` if it is unknown, used, withdrawn or expired
 */
export async function requireInvitation(
  { db, clock }: { readonly db: Queryable; readonly clock: PeopleDependencies['clock'] },
  token: string,
): Promise<OpenInvitation> {
  const [row] = await db.query<OpenInvitation>({
    // The account is known only once the token is found.
    scope: 'everybody',
    text: `select ${columns}, a.name as account_name, t.tenant, t.livemode
           from invitations i join users u on u.id = i.invited_by ${joinKnownAccount('i')}
           join known_tenants t on t.account_id = i.account_id and t.livemode = (a.environment = 'live')
           where i.token_sha256 = $1 and i.ended_at is null and i.expires_at > $2`,
    values: [sha256(token), clock.now()],
  });
  if (row === undefined) {
    throw new DashboardError('link_not_valid', 'This invitation is not valid any more. Ask for a new one.');
  }
  return row;
}

/**
 * Ends an invitation because it is being accepted.
 * @throws DashboardError `link_not_valid` if a concurrent request ended it first
 */
export async function spendInvitation(tx: Queryable, invitation: InvitationRow, now: Date): Promise<void> {
  const rows = await tx.query({
    text: `update invitations set ended_at = $3 where account_id = $1 and id = $2 and ended_at is null returning id`,
    values: [invitation.account_id, invitation.id, now],
    scope: { accountId: invitation.account_id },
  });
  if (rows.length === 0) throw new DashboardError('link_not_valid', 'This invitation was used already.');
}
