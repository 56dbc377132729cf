import { createHash } from 'node:crypto';
import { DashboardError } from '@till/contract/dashboard';
import type { Clock } from '../../lib/clock.ts';
import { newId, type RandomBytes, randomBase62 } from '../../lib/ids.ts';
import { sha256 } from '../../lib/keys.ts';
import {
  bytes,
  listOf,
  nullable,
  only,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
  without,
} from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A session expires 12 hours after its last use, and at the latest 14 days after the login. */
const idleMs = 12 * hourMs;
const absoluteMs = 14 * 24 * hourMs;
/** How long a confirmation of the password is valid. */
const confirmedMs = 10 * minuteMs;
const tokenLength = 43;
const maxUserAgentLength = 500;

export interface SessionDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

export interface ClientInfo {
  readonly ip: string;
  readonly userAgent: string | null;
}

/** A signed-in person in one browser. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly confirmedAt: Date;
}

export const sessionColumns = {
  id: text,
  user_id: text,
  token_sha256: bytes,
  ip: text,
  user_agent: nullable(text),
  created_at: time,
  last_seen_at: time,
  confirmed_at: time,
} as const;
const listedColumns = only(sessionColumns, 'id', 'ip', 'user_agent', 'created_at', 'last_seen_at');
const foundColumns = { ...without(sessionColumns, 'token_sha256', 'ip', 'user_agent'), email: text } as const;

/** A session as it is listed. */
export type SessionListRow = RowOf<typeof listedColumns>;

/** Until when the password need not be entered again. */
export const confirmedUntil = ({ confirmedAt }: Session): Date =>
  new Date(confirmedAt.getTime() + confirmedMs);

/** When a session expires even if it is in use. */
export const expiresAt = ({ createdAt }: Pick<Session, 'createdAt'>): Date =>
  new Date(createdAt.getTime() + absoluteMs);

/**
 * The token that our own page must send with every change: only that page can have read it. It reveals nothing about the
 * session's token.
 */
export const csrfTokenOf = (token: string): string =>
  createHash('sha256').update(`till csrf ${token}`).digest('base64url');

/** The earliest creation and last use that a live session may have. */
function oldest(now: Date): { readonly created: Date; readonly seen: Date } {
  return { created: new Date(now.getTime() - absoluteMs), seen: new Date(now.getTime() - idleMs) };
}

/**
 * Creates a session for a person.
 * @param former the session that continues under a new id without password and code; its age and confirmation are kept
 * @returns the session and its token, which only the browser stores
 */
export async function startSession(
  { db, clock, randomBytes }: SessionDependencies,
  user: { readonly id: string; readonly email: string },
  client: ClientInfo,
  former: Session | null = null,
): Promise<{ session: Session; token: string }> {
  const now = clock.now();
  const { createdAt, confirmedAt } = former ?? { createdAt: now, confirmedAt: now };
  const token = randomBase62(tokenLength, randomBytes);
  const id = newId('ses', now, randomBytes);
  await db.query({
    text: `insert into sessions (${listOf(sessionColumns)}) values (${parametersOf(sessionColumns)})`,
    values: valuesOf(sessionColumns, {
      id,
      user_id: user.id,
      token_sha256: sha256(token),
      ip: client.ip,
      user_agent: shorten(client.userAgent),
      created_at: createdAt,
      last_seen_at: now,
      confirmed_at: confirmedAt,
    }),
    scope: 'nobody',
  });
  return {
    session: { id, userId: user.id, email: user.email, createdAt, confirmedAt },
    token,
  };
}

const shorten = (userAgent: string | null) =>
  userAgent === null ? null : userAgent.toWellFormed().replaceAll('\0', '').slice(0, maxUserAgentLength);

/** The live session of a token. Also records the time of the use, to the minute. */
export async function findSession(
  { db, clock }: Pick<SessionDependencies, 'db' | 'clock'>,
  token: string,
): Promise<Session | undefined> {
  const now = clock.now();
  const { created, seen } = oldest(now);
  const [row] = await db.query<RowOf<typeof foundColumns>>({
    name: 'find_session',
    text: `select ${listOf(foundColumns, 's', { email: 'u.email' })}
           from sessions s join users u on u.id = s.user_id
           where s.token_sha256 = $1 and s.created_at > $2 and s.last_seen_at > $3`,
    values: [sha256(token), created, seen],
    scope: 'nobody',
  });
  if (row === undefined) return undefined;
  if (now.getTime() - row.last_seen_at.getTime() >= minuteMs) {
    await db.query({
      name: 'touch_session',
      text: 'update sessions set last_seen_at = greatest(last_seen_at, $2) where id = $1',
      values: [row.id, now],
      scope: 'nobody',
    });
  }
  return {
    id: row.id,
    userId: row.user_id,
    email: row.email,
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
  };
}

/** Records that the password was entered again. @returns the session as it is now */
export async function noteConfirmation(db: Queryable, session: Session, now: Date): Promise<Session> {
  await db.query({
    text: 'update sessions set confirmed_at = $2 where id = $1',
    values: [session.id, now],
    scope: 'nobody',
  });
  return { ...session, confirmedAt: now };
}

/** The live sessions of a person, most recently used first. */
export async function listSessions(
  { db, clock }: Pick<SessionDependencies, 'db' | 'clock'>,
  userId: string,
): Promise<SessionListRow[]> {
  const { created, seen } = oldest(clock.now());
  return db.query<SessionListRow>({
    text: `select ${listOf(listedColumns)} from sessions
           where user_id = $1 and created_at > $2 and last_seen_at > $3 order by last_seen_at desc, id desc`,
    values: [userId, created, seen],
    scope: 'nobody',
  });
}

/** Ends one session of a person. @returns false if it is not theirs or has already ended */
export async function endSession(db: Queryable, userId: string, sessionId: string): Promise<boolean> {
  const rows = await db.query({
    text: 'delete from sessions where user_id = $1 and id = $2 returning id',
    values: [userId, sessionId],
    scope: 'nobody',
  });
  return rows.length > 0;
}

/**
 * Called before a session continues under a new id, so that a session that has ended meanwhile, for example by a change of
 * the password, does not come back to life.
 * @throws DashboardError `not_signed_in`
 */
export async function requireLiving(tx: Queryable, { id }: Session): Promise<void> {
  const rows = await tx.query({
    text: 'select id from sessions where id = $1 for share',
    values: [id],
    scope: 'nobody',
  });
  if (rows.length === 0) throw new DashboardError('not_signed_in', 'Sign in to go on.');
}

/** Ends the session of a token, regardless of its user, because its browser gets a new one. */
export async function endSessionOf(db: Queryable, token: string): Promise<void> {
  await db.query({
    text: 'delete from sessions where token_sha256 = $1',
    values: [sha256(token)],
    scope: 'nobody',
  });
}

/** Ends every session of a person except one. @returns how many ended */
export async function endOtherSessions(db: Queryable, userId: string, keptId: string): Promise<number> {
  const rows = await db.query({
    text: 'delete from sessions where user_id = $1 and id <> $2 returning id',
    values: [userId, keptId],
    scope: 'nobody',
  });
  return rows.length;
}

/** Deletes expired sessions. */
export async function removeOldSessions({
  db,
  clock,
}: Pick<SessionDependencies, 'db' | 'clock'>): Promise<void> {
  const { created, seen } = oldest(clock.now());
  await db.query({
    text: 'delete from sessions where created_at <= $1 or last_seen_at <= $2',
    values: [created, seen],
    scope: 'nobody',
  });
}
