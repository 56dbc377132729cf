import type { DashboardOperation } from '@till/contract/dashboard';
import type { AccountContext } from '../accounts/context.ts';
import { suspendOf } from '../http/admission/admit.ts';
import { idempotencyKey } from '../http/api/answer-once.ts';
import type { Entry, Guards } from '../http/api/pipeline.ts';
import { type RateLimiter, requireAllowed } from '../http/rate-limit/rate-limit.ts';
import { type Clock, nextIteration } from '../lib/clock.ts';
import { networkOf } from '../lib/web/network.ts';
import type { Workspace } from '../users/people/workspaces.ts';
import type { Session } from '../users/sign-in/sessions.ts';
import type { Staff } from './call.ts';
import { presentedToken } from './cookie.ts';
import {
  enterAccount,
  environmentChanged,
  notSignedIn,
  requireConfirmation,
  requireCsrfToken,
  requireOwnOrigin,
  requireText,
  unknownAccount,
} from './guard.ts';
import { changedCookie, type ReplicaReads } from './replica-reads.ts';

/** The dependencies of the checks that run before a request's body is read. */
export interface GuardDependencies {
  readonly clock: Clock;
  /** Limits requests per session, or per address if there is no session. */
  readonly rateLimiter: RateLimiter;
  /** Limits requests per address before the session is looked up. Wide enough for an office behind one address. */
  readonly addressLimiter: RateLimiter;
  readonly baseUrl: () => string;
  /** The configured base URL; null if none is configured. */
  readonly configuredUrl: string | null;
  /** Finds the live session of a token, and records that it was used. */
  readonly findSession: (token: string) => Promise<Session | undefined>;
  /** An account as its member sees it; undefined for anyone else. */
  readonly findWorkspace: (userId: string, accountId: string) => Promise<Workspace | undefined>;
  /** The replica for lists that may be some seconds old. */
  readonly elsewhere?: ReplicaReads | undefined;
}

/** Matches the paths of operations that belong to an account. */
export const accountPath = /^\/accounts\/:account(?=\/|$)/;

export type Acting = { readonly staff: Staff; readonly context: AccountContext };

/** What the guards find out about a request. */
export interface DashboardEntry extends Entry {
  readonly operation: DashboardOperation;
  token: string | null;
  session: Session | null;
  /** The account that the path names, as a member sees it; null for operations that belong to no account. */
  workspace: Workspace | null;
  acting: Acting | null;
  /** The mode of that account when the request arrived. */
  livemode: boolean | null;
}

/** The state of a request that no guard has seen yet. */
export const nothingKnown = {
  isCurrent: false,
  idempotencyKey: null,
  token: null,
  session: null,
  workspace: null,
  acting: null,
  livemode: null,
};

/**
 * The checks that run before a request's body is read. Body, idempotent replay, `before` and field validation follow
 * (`mountOperation`).
 */
export const guards: Guards<DashboardEntry, GuardDependencies> = {
  onArrival: [
    pathText,
    ownOrigin,
    rateOfAddress,
    sessionOfCookie,
    rateOfSession,
    idempotencyKeyHeader,
    signedIn,
    csrfToken,
    cookieOfChange,
    membership,
    roleInAccount,
    confirmation,
    environment,
  ],
  onLateBody: [sessionOfCookie, signedIn, csrfToken, membership, roleInAccount, confirmation, environment],
};

/** @throws ApiError `not_found` */
function pathText({ request }: DashboardEntry): void {
  requireText(request.params as Record<string, string>);
}

/** @throws DashboardError `csrf_failed` */
function ownOrigin({ operation, request }: DashboardEntry, { configuredUrl }: GuardDependencies): void {
  if (operation.method !== 'GET') requireOwnOrigin(request.headers, configuredUrl);
}

const addressOf = ({ request }: Entry) => `ip ${networkOf(request.ip)}`;

/** @throws ApiError `rate_limited` */
function rateOfAddress(entry: DashboardEntry, { addressLimiter }: GuardDependencies): Promise<void> {
  return limit(addressLimiter, addressOf(entry));
}

/** @throws ApiError `rate_limited` */
function rateOfSession(entry: DashboardEntry, { rateLimiter }: GuardDependencies): Promise<void> {
  return limit(rateLimiter, entry.session?.id ?? addressOf(entry));
}

async function limit(limiter: RateLimiter, key: string): Promise<void> {
  if (limiter.enabled) requireAllowed(await limiter.take(key), 'Too many requests. Slow down and retry.');
}

async function sessionOfCookie(
  entry: DashboardEntry,
  { baseUrl, findSession }: GuardDependencies,
): Promise<void> {
  const { request } = entry;
  entry.token = presentedToken(request.headers.cookie, baseUrl());
  // A body that came with the headers is complete one iteration of the event loop later.
  if (!request.raw.complete) await nextIteration();
  entry.isCurrent = request.raw.complete;
  entry.session = (entry.token === null ? undefined : await findSession(entry.token)) ?? null;
  request.authenticated = entry.session !== null;
}

/** @throws ApiError `missing_idempotency_key`, `invalid_params` */
function idempotencyKeyHeader(entry: DashboardEntry): void {
  entry.idempotencyKey = idempotencyKey(entry.operation.idempotency ?? 'unused', entry.request);
}

/** @throws DashboardError `not_signed_in` */
function signedIn(entry: DashboardEntry): void {
  if (entry.operation.roles !== 'anyone' && entry.session === null) throw notSignedIn();
}

/** @throws DashboardError `csrf_failed` */
function csrfToken({ operation, request, token }: DashboardEntry): void {
  if (operation.roles === 'anyone' || operation.method === 'GET' || token === null) return;
  requireCsrfToken(token, request.headers['x-csrf-token']);
}

/** Set before the change is made: whatever its outcome, the browser then reads from the primary. */
function cookieOfChange({ operation, session, reply }: DashboardEntry, deps: GuardDependencies): void {
  const { elsewhere, baseUrl } = deps;
  if (operation.method === 'GET' || session === null || elsewhere === undefined) return;
  reply.header('set-cookie', changedCookie(elsewhere, baseUrl().startsWith('https:')));
}

/** @throws ApiError `not_found` if the person is not a member of the account that the path names */
async function membership(entry: DashboardEntry, { findWorkspace }: GuardDependencies): Promise<void> {
  const { operation, request } = entry;
  if (entry.session === null || !accountPath.test(operation.path)) return;
  const { account: accountId = '' } = request.params as Record<string, string>;
  const workspace = await findWorkspace(entry.session.userId, accountId);
  if (workspace === undefined) throw unknownAccount();
  entry.workspace = workspace;
  request.logFields.account = accountId;
  request.logFields.livemode = workspace.account.environment === 'live';
}

/** @throws DashboardError `forbidden` */
function roleInAccount(entry: DashboardEntry, { clock }: GuardDependencies): void {
  const { operation, request, workspace } = entry;
  if (entry.session === null || workspace === null) return;
  entry.acting = enterAccount(operation, entry.session, workspace, clock.now(), suspendOf(request));
}

/** @throws DashboardError `confirmation_required` */
function confirmation(entry: DashboardEntry, { clock }: GuardDependencies): void {
  if (entry.operation.confirmation !== true || entry.session === null) return;
  requireConfirmation(entry.session, clock.now());
}

/** @throws DashboardError `conflict` if the account has changed its environment since the request arrived */
function environment(entry: DashboardEntry): void {
  const livemode = entry.acting?.staff.livemode ?? null;
  entry.livemode ??= livemode;
  if (entry.livemode !== livemode) throw environmentChanged();
}

/** The member who sent the request. The guards admit only members to an account. */
export function actingOf({ acting }: DashboardEntry): Acting {
  if (acting === null) throw new Error('the request has no member of this account');
  return acting;
}
