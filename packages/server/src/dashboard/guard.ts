import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '@till/contract';
import { DashboardError, type DashboardOperation, mayCall } from '@till/contract/dashboard';
import { modesOf } from '../accounts/accounts.ts';
import { type AccountContext, backgroundContext } from '../accounts/context.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import { parseUrl } from '../lib/web/url.ts';
import type { Workspace } from '../users/people/workspaces.ts';
import { confirmedUntil, csrfTokenOf, type Session } from '../users/sign-in/sessions.ts';
import type { Staff } from './call.ts';

/** Rejects a NUL character, which the database refuses in every text, and malformed UTF-16. @throws ApiError `not_found` */
export function requireText(params: Readonly<Record<string, string>>): void {
  if (Object.values(params).some((value) => value.includes('\0') || !value.isWellFormed())) {
    throw new ApiError('not_found', 'There is nothing at this address.');
  }
}

/**
 * Refuses a change that a page of another site sends. If no base URL is configured, the request's own `Host` counts, since
 * a developer may type `localhost` or `127.0.0.1`.
 * @param baseUrl null if not configured
 * @throws DashboardError `csrf_failed`
 */
export function requireOwnOrigin(
  headers: { readonly origin?: string | undefined; readonly host?: string | undefined },
  baseUrl: string | null,
): void {
  const origin = headers.origin === undefined ? undefined : parseUrl(headers.origin);
  const own =
    baseUrl === null
      ? headers.host !== undefined && origin?.host === headers.host
      : origin?.origin === parseUrl(baseUrl)?.origin;
  if (origin === undefined || !own) {
    const where = baseUrl === null ? '' : ` at ${baseUrl}/dashboard`;
    throw new DashboardError('csrf_failed', `This request does not come from the dashboard${where}.`);
  }
}

/** @throws DashboardError `csrf_failed` */
export function requireCsrfToken(token: string, presented: string | string[] | undefined): void {
  const expected = Buffer.from(csrfTokenOf(token));
  const given = Buffer.from(typeof presented === 'string' ? presented : '');
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new DashboardError('csrf_failed', 'The request carries no valid x-csrf-token. Reload the page.');
  }
}

/** @throws DashboardError `confirmation_required` */
export function requireConfirmation(session: Session, now: Date): void {
  if (confirmedUntil(session) > now) return;
  throw new DashboardError('confirmation_required', 'Enter your password again to go on.');
}

export const notSignedIn = () => new DashboardError('not_signed_in', 'Sign in to go on.');

/** The error for a change whose account has changed its environment since the request was made. */
export const environmentChanged = () =>
  new DashboardError('conflict', 'The account is in the other environment by now. Look at it again.');

/** The error for an account that does not exist or that the person is not a member of. */
export const unknownAccount = () => new ApiError('not_found', 'There is no such account.');

/**
 * The person who sent the request, and the account that it is about.
 * @param now real time
 * @param suspend suspends the request while it waits
 * @throws DashboardError `forbidden` if the person's role does not allow the operation
 */
export function enterAccount(
  operation: DashboardOperation,
  session: Session,
  { account, role }: Workspace,
  now: Date,
  suspend: Suspend,
): { readonly staff: Staff; readonly context: AccountContext } {
  const livemode = account.environment === 'live';
  if (!mayCall(operation, role, livemode)) {
    throw new DashboardError('forbidden', `Your role in this account, ${role}, does not allow this.`);
  }
  const context = { ...backgroundContext(account, livemode, now, suspend), keyId: session.userId };
  return {
    staff: {
      tenant: context.tenant,
      accountId: context.accountId,
      livemode,
      modes: modesOf(account),
      userId: session.userId,
      email: session.email,
      role,
      sessionId: session.id,
    },
    context,
  };
}
