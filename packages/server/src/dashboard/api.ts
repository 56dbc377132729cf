import { type DashboardOperation, mayCall, type Role } from '@till/contract/dashboard';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AccountContext } from '../accounts/context.ts';
import { suspendOf } from '../http/admission/admit.ts';
import { type Answered, type IdempotencyLookup, idempotencyKey } from '../http/api/answer-once.ts';
import {
  askWith,
  type Entry,
  type Guards,
  mountOperation,
  type OperationRoute,
} from '../http/api/pipeline.ts';
import { type SendDependencies, sendAnswer } from '../http/api/send-answer.ts';
import { type RateLimiter, requireAllowed } from '../http/rate-limit/rate-limit.ts';
import type { Claim } from '../idempotency/claims.ts';
import { type Clock, nextIteration } from '../lib/clock.ts';
import { networkOf } from '../lib/web/network.ts';
import type { Workspace } from '../users/people/workspaces.ts';
import type { Session } from '../users/sign-in/sessions.ts';
import { type AuditWriter, audited, auditTrail } from './audit-trail.ts';
import type { DashboardAnswer, SessionCall, Staff, StaffCall } from './call.ts';
import { presentedToken, sessionCookie } from './cookie.ts';
import { sendFile } from './download.ts';
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
import { reading } from './reading.ts';

export type { Client, DashboardAnswer, SessionCall, Staff, StaffCall } from './call.ts';

export interface DashboardApiDependencies extends SendDependencies {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly clock: Clock;
  readonly idempotency: IdempotencyLookup<AccountContext, Claim>;
  /** By session; without one by address. */
  readonly rateLimiter: RateLimiter;
  /** By address alone, before a session is looked for: wide enough for an office behind one address. */
  readonly addressLimiter: RateLimiter;
  /** The address as configured; null: none is. */
  readonly configuredUrl: string | null;
  /** The session of a token while it lives; notes that it was used. */
  readonly findSession: (token: string) => Promise<Session | undefined>;
  /** An account as its member sees it; undefined for everybody else. */
  readonly findWorkspace: (userId: string, accountId: string) => Promise<Workspace | undefined>;
  readonly audit: AuditWriter;
}

type Acting = { readonly staff: Staff; readonly context: AccountContext };

/** What the guards find out about a request. */
interface DashboardEntry extends Entry {
  readonly operation: DashboardOperation;
  token: string | null;
  session: Session | null;
  /** The account that the path names, as a member sees it; null outside of all accounts. */
  workspace: Workspace | null;
  acting: Acting | null;
  /** Of the account that the path names, when the request arrived. */
  livemode: boolean | null;
}

const prefix = '/dashboard/api';
const accountPath = /^\/accounts\/:account(?=\/|$)/;

/** What is checked of a request before its body. Body, replay, `before` and fields follow (`mountOperation`). */
const guards: Guards<DashboardEntry, DashboardApiDependencies> = {
  onArrival: [
    pathText,
    ownOrigin,
    rateOfAddress,
    sessionOfCookie,
    rateOfSession,
    idempotencyKeyHeader,
    signedIn,
    csrfToken,
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
function ownOrigin(
  { operation, request }: DashboardEntry,
  { configuredUrl }: DashboardApiDependencies,
): void {
  if (operation.method !== 'GET') requireOwnOrigin(request.headers, configuredUrl);
}

const addressOf = ({ request }: Entry) => `ip ${networkOf(request.ip)}`;

/** @throws ApiError `rate_limited` */
function rateOfAddress(entry: DashboardEntry, { addressLimiter }: DashboardApiDependencies): Promise<void> {
  return limit(addressLimiter, addressOf(entry));
}

/** @throws ApiError `rate_limited` */
function rateOfSession(entry: DashboardEntry, { rateLimiter }: DashboardApiDependencies): Promise<void> {
  return limit(rateLimiter, entry.session?.id ?? addressOf(entry));
}

async function limit(limiter: RateLimiter, key: string): Promise<void> {
  if (limiter.enabled) requireAllowed(await limiter.take(key), 'Too many requests. Slow down and retry.');
}

async function sessionOfCookie(
  entry: DashboardEntry,
  { baseUrl, findSession }: DashboardApiDependencies,
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

/** @throws ApiError `not_found` where the person is no member of the account that the path names */
async function membership(entry: DashboardEntry, { findWorkspace }: DashboardApiDependencies): Promise<void> {
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
function roleInAccount(entry: DashboardEntry, { clock }: DashboardApiDependencies): void {
  const { operation, request, workspace } = entry;
  if (entry.session === null || workspace === null) return;
  entry.acting = enterAccount(operation, entry.session, workspace, clock.now(), suspendOf(request));
}

/** @throws DashboardError `confirmation_required` */
function confirmation(entry: DashboardEntry, { clock }: DashboardApiDependencies): void {
  if (entry.operation.confirmation !== true || entry.session === null) return;
  requireConfirmation(entry.session, clock.now());
}

/** @throws DashboardError `conflict` where the account has left the environment in which the request arrived */
function environment(entry: DashboardEntry): void {
  const livemode = entry.acting?.staff.livemode ?? null;
  entry.livemode ??= livemode;
  if (entry.livemode !== livemode) throw environmentChanged();
}

/** Mounts the dashboard's operations below `/dashboard/api`. */
export class DashboardApi {
  readonly #deps: DashboardApiDependencies;
  readonly #ask: DashboardRoute<DashboardOperation>['ask'];
  readonly #operations: DashboardOperation[] = [];

  constructor(deps: DashboardApiDependencies) {
    this.#deps = deps;
    this.#ask = askWith(guards, deps);
  }

  /** Ids of the mounted operations that a role may call in an account of this mode. */
  allowedOperations(role: Role, livemode: boolean): string[] {
    return this.#operations
      .filter(({ path }) => accountPath.test(path))
      .filter((operation) => mayCall(operation, role, livemode))
      .map(({ id }) => id);
  }

  /**
   * Mounts an operation whose path begins with `/accounts/:account`.
   * @param before what is checked before the body's fields, such as that the path names something
   */
  mount<O extends DashboardOperation>(
    operation: O,
    handler: (call: StaffCall<O>) => Promise<DashboardAnswer>,
    before: (acting: Acting, params: Readonly<Record<string, string>>) => void | Promise<void> = () => {},
  ): void {
    if (!accountPath.test(operation.path)) throw new Error(`${operation.id} names no account in its path`);
    this.#route(operation, {
      before: (entry) => before(actingOf(entry), entry.request.params as Record<string, string>),
      work: (entry, call) => {
        const { staff, context } = actingOf(entry);
        const trail = auditTrail(this.#deps.audit, operation, { ...call, staff });
        return audited(trail, () =>
          handler({
            ...call,
            staff,
            context,
            audit: trail.write,
            audited: trail.audited,
            covered: trail.covered,
          }),
        );
      },
    });
  }

  /** Mounts an operation that belongs to no account and takes no idempotency key; its handler writes the audit entries. */
  mountSession<O extends DashboardOperation>(
    operation: O,
    handler: (call: SessionCall<O>) => Promise<Exclude<DashboardAnswer, { keyTaken: true }>>,
  ): void {
    if (accountPath.test(operation.path)) throw new Error(`${operation.id} belongs to an account`);
    this.#route(operation, {
      before: () => {},
      work: ({ session, token, request }, call) =>
        handler({ ...call, session, token, suspend: suspendOf(request) } as SessionCall<O>),
    });
  }

  #route<O extends DashboardOperation>(
    operation: O,
    steps: Pick<DashboardRoute<O>, 'before' | 'work'>,
  ): void {
    this.#operations.push(operation);
    mountOperation<O, DashboardEntry, AccountContext, Claim, DashboardAnswer>(this.#deps, {
      operation,
      url: `${prefix}${operation.path}`,
      enter: (request, reply) => ({ operation, request, reply, ...nothingKnown }),
      ask: this.#ask,
      keyOwner: (entry) => ({ caller: actingOf(entry).context }),
      ...steps,
      send: (entry, answer) => this.#send(operation, entry, answer),
      ...(operation.method === 'GET' ? { around: reading } : {}),
    });
  }

  async #send(
    operation: DashboardOperation,
    entry: DashboardEntry,
    answer: Answered<DashboardAnswer>,
  ): Promise<FastifyReply> {
    if ('file' in answer) return sendFile(entry.reply, answer.file);
    if ('cookie' in answer && answer.cookie !== undefined) {
      const token = answer.cookie === 'clear' ? null : answer.cookie.token;
      entry.reply.header('set-cookie', sessionCookie(token, this.#deps.baseUrl()));
    }
    return sendAnswer(this.#deps, operation, entry, answer);
  }
}

type DashboardRoute<O extends DashboardOperation> = OperationRoute<
  O,
  DashboardEntry,
  AccountContext,
  Claim,
  DashboardAnswer
>;

const nothingKnown = {
  isCurrent: false,
  idempotencyKey: null,
  token: null,
  session: null,
  workspace: null,
  acting: null,
  livemode: null,
};

/** Who entries. The guards let nobody into an account who is no member of it. */
function actingOf({ acting }: DashboardEntry): Acting {
  if (acting === null) throw new Error('the request has no member of this account');
  return acting;
}
