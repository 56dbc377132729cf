import type { SessionInfo, SignedIn, Workspace } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { listWorkspaces, type WorkspaceRow } from '../../users/people/workspaces.ts';
import {
  confirmedUntil,
  csrfTokenOf,
  expiresAt,
  type Session,
  type SessionListRow,
} from '../../users/sign-in/sessions.ts';
import { totpState } from '../../users/sign-in/totp.ts';
import type { SessionDependencies } from './dependencies.ts';

const presentWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.account_id,
  name: row.name,
  environment: row.environment,
  activation: row.activation,
  processor: row.processor,
  time_zone: row.time_zone,
  role: row.role,
});

/** The signed-in person as the browser sees them. */
export async function presentSignedIn(
  { people: { db, clock } }: SessionDependencies,
  session: Session,
  token: string,
): Promise<SignedIn> {
  const [accounts, { enabledAt }] = await Promise.all([
    listWorkspaces(db, session.userId),
    totpState(db, session.userId),
  ]);
  const confirmed = confirmedUntil(session);
  return {
    user: { id: session.userId, email: session.email, totp_enabled: enabledAt !== null },
    csrf_token: csrfTokenOf(token),
    confirmed_until: confirmed > clock.now() ? isoSeconds(confirmed) : null,
    expires_at: isoSeconds(expiresAt(session)),
    accounts: accounts.map(presentWorkspace),
  };
}

export const presentSession = (row: SessionListRow, currentId: string): SessionInfo => ({
  id: row.id,
  current: row.id === currentId,
  ip: row.ip,
  user_agent: row.user_agent,
  created_at: isoSeconds(row.created_at),
  last_seen_at: isoSeconds(row.last_seen_at),
  expires_at: isoSeconds(expiresAt({ createdAt: row.created_at })),
});
