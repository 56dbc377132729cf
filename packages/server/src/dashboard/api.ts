import { ApiError, ServiceError } from '@till/contract';
import { type DashboardOperation, mayCall, type Role } from '@till/contract/dashboard';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountContext } from '../accounts/context.ts';
import { suspendOf } from '../http/admit.ts';
import { errorText } from '../http/app.ts';
import { clientOf, InputReader } from '../http/input.ts';
import { answerOnce, type IdempotencyLookup, idempotencyKey, type Replay } from '../http/keyed.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { importanceOf } from '../http/route-table.ts';
import type { Serializers } from '../http/serialize.ts';
import { uploadScope } from '../http/upload.ts';
import type { Claim } from '../idempotency/claims.ts';
import { type Clock, nextTurn } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import type { Session } from '../users/sessions.ts';
import type { Workspace } from '../users/workspaces.ts';
import { type AuditTrail, type AuditWriter, auditTrail } from './audit-trail.ts';
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

export interface DashboardApiParts {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly serializers: Serializers;
  readonly clock: Clock;
  readonly idempotency: IdempotencyLookup<AccountContext, Claim>;
  /** By session; without one by address. */
  readonly rateLimiter: RateLimiter;
  /** By address alone, before a session is looked for: wide enough for an office behind one address. */
  readonly addressLimiter: RateLimiter;
  /** Public address. */
  readonly baseUrl: () => string;
  /** The address as configured; null: none is. */
  readonly configuredUrl: string | null;
  /** The session of a token while it lives; notes that it was used. */
  readonly findSession: (token: string) => Promise<Session | undefined>;
  /** An account as its member sees it; undefined for everybody else. */
  readonly findWorkspace: (userId: string, accountId: string) => Promise<Workspace | undefined>;
  readonly audit: AuditWriter;
  readonly onReplay: () => void;
}

interface Entered {
  /** Whether the whole request had arrived before the session was looked up. */
  readonly isCurrent: boolean;
  readonly session: Session | null;
  readonly token: string | null;
  readonly acting: { readonly staff: Staff; readonly context: AccountContext } | null;
  readonly idempotencyKey: string | null;
}

type Acting = NonNullable<Entered['acting']>;
type Handled = Exclude<DashboardAnswer, { lostClaim: true }> | Replay;

const prefix = '/dashboard/api';
const accountPath = /^\/accounts\/:account(?=\/|$)/;

/**
 * Mounts the dashboard's operations below `/dashboard/api` and keeps the order of checks: origin, rate limit of the
 * address, session, its rate limit, CSRF token, membership (404), role (403), confirmation, idempotency key, body, replay,
 * `before`, fields.
 */
export class DashboardApi {
  readonly #parts: DashboardApiParts;
  readonly #entered = new WeakMap<FastifyRequest, Entered>();
  readonly #operations: DashboardOperation[] = [];

  constructor(parts: DashboardApiParts) {
    this.#parts = parts;
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
    this.#route(operation, async (input, request, { acting, idempotencyKey: key }) => {
      const { staff, context } = acting as Acting;
      const params = request.params as Record<string, string>;
      const raw = operation.body || key !== null ? input.raw(request) : {};
      const keyed = { caller: context, request, key, raw };
      return answerOnce(this.#parts.idempotency, keyed, async (found) => {
        // What was begun is carried on: refused now, nobody would hear what the processor did.
        if (found?.kind !== 'resume') await before({ staff, context }, params);
        const client = clientOf(request);
        const trail = auditTrail(this.#parts.audit, operation, { staff, params, client });
        const call = {
          staff,
          context,
          params,
          query: input.query(request),
          body: input.body(raw),
          client,
          claim: found?.claim ?? null,
          resumes: found?.kind === 'resume' ? found.resourceId : null,
          upload: async () => {
            const upload = await input.upload(request);
            await this.#checkAgain(operation, request);
            return upload;
          },
          audit: trail.write,
          act: trail.act,
        } as StaffCall<O>;
        return audited(trail, () => handler(call));
      });
    });
  }

  /** Mounts an operation that belongs to no account; its handler writes the audit entries. */
  mountSession<O extends DashboardOperation>(
    operation: O,
    handler: (call: SessionCall<O>) => Promise<Exclude<DashboardAnswer, { lostClaim: true }>>,
  ): void {
    if (accountPath.test(operation.path)) throw new Error(`${operation.id} belongs to an account`);
    this.#route(operation, async (input, request, { session, token }) =>
      handler({
        session,
        token,
        params: request.params as Record<string, string>,
        query: input.query(request),
        body: input.body(operation.body ? input.raw(request) : {}),
        client: clientOf(request),
        suspend: suspendOf(request),
      } as SessionCall<O>),
    );
  }

  #route(
    operation: DashboardOperation,
    work: (input: InputReader, request: FastifyRequest, entered: Entered) => Promise<Handled>,
  ): void {
    const input = new InputReader(this.#parts.ajv, operation);
    this.#operations.push(operation);
    const add = (app: FastifyInstance) =>
      app.route({
        method: operation.method,
        url: `${prefix}${operation.path}`,
        config: { importance: importanceOf(operation) },
        onRequest: (request) => this.#enter(operation, request),
        // A file is read by the handler, which then has everything checked again.
        preHandler: operation.upload === undefined ? (request) => this.#checkAgain(operation, request) : [],
        handler: async (request, reply) => {
          const answer = async () => {
            const found = await work(input, request, this.#entered.get(request) as Entered);
            return this.#send(operation, request, reply, found);
          };
          return operation.method === 'GET' ? reading(answer) : answer();
        },
      });
    if (operation.upload === undefined) add(this.#parts.app);
    else uploadScope(this.#parts.app, add);
  }

  async #enter(operation: DashboardOperation, request: FastifyRequest): Promise<void> {
    const { baseUrl, configuredUrl } = this.#parts;
    requireText(request.params as Record<string, string>);
    const changes = operation.method !== 'GET';
    if (changes) requireOwnOrigin(request.headers, configuredUrl);
    const token = presentedToken(request.headers.cookie, baseUrl());
    const address = `ip ${networkOf(request.ip)}`;
    await limit(this.#parts.addressLimiter, address);
    // A body that came with the headers is complete one turn of the event loop later.
    if (!request.raw.complete) await nextTurn();
    const isCurrent = request.raw.complete;
    const session = await this.#sessionOf(token);
    request.authenticated = session !== null;
    await limit(this.#parts.rateLimiter, session?.id ?? address);
    const key = idempotencyKey(operation.idempotency ?? 'unused', request);
    const acting = await this.#authorize(operation, request, { session, token });
    this.#entered.set(request, { isCurrent, session, token, acting, idempotencyKey: key });
  }

  async #sessionOf(token: string | null): Promise<Session | null> {
    return (token === null ? undefined : await this.#parts.findSession(token)) ?? null;
  }

  /** Who acts in which account; null outside of all accounts. */
  async #authorize(
    operation: DashboardOperation,
    request: FastifyRequest,
    { session, token }: Pick<Entered, 'session' | 'token'>,
  ): Promise<Acting | null> {
    if (operation.roles === 'anyone') return null;
    if (session === null || token === null) throw notSignedIn();
    if (operation.method !== 'GET') requireCsrfToken(token, request.headers['x-csrf-token']);
    const acting = accountPath.test(operation.path)
      ? await this.#enterAccount(operation, session, request)
      : null;
    if (operation.confirmation === true) requireConfirmation(session, this.#parts.clock.now());
    return acting;
  }

  /**
   * Authorizes anew where the body was still to come when the session was looked up: a client may hold it back for as long
   * as it wants to (decisions, "Limits and refusals").
   * @throws DashboardError `conflict` where the account is in the other environment by now
   */
  async #checkAgain(operation: DashboardOperation, request: FastifyRequest): Promise<void> {
    const before = this.#entered.get(request) as Entered;
    if (before.isCurrent) return;
    const { token } = before;
    const session = await this.#sessionOf(token);
    const acting = await this.#authorize(operation, request, { session, token });
    if (acting?.staff.livemode !== before.acting?.staff.livemode) throw environmentChanged();
    this.#entered.set(request, { ...before, session, acting });
  }

  async #enterAccount(
    operation: DashboardOperation,
    session: Session,
    request: FastifyRequest,
  ): Promise<Acting> {
    const { account: accountId = '' } = request.params as Record<string, string>;
    const workspace = await this.#parts.findWorkspace(session.userId, accountId);
    if (workspace === undefined) throw unknownAccount();
    request.logFields.account = accountId;
    request.logFields.livemode = workspace.account.environment === 'live';
    return enterAccount(operation, session, workspace, this.#parts.clock.now(), suspendOf(request));
  }

  async #send(
    operation: DashboardOperation,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Handled,
  ): Promise<FastifyReply> {
    if ('replay' in answer) {
      this.#parts.onReplay();
      return reply.header('idempotent-replayed', 'true').code(answer.replay.status).send(answer.replay.body);
    }
    if ('refusal' in answer) {
      const text = errorText(answer.refusal, this.#parts.baseUrl(), request.id);
      await answer.keep(text);
      request.logFields.code = answer.refusal.code;
      return reply.code(answer.refusal.status).send(text);
    }
    if ('file' in answer) return sendFile(reply, answer.file);
    if ('text' in answer) return reply.code(answer.status).send(answer.text);
    if (answer.cookie !== undefined) {
      const token = answer.cookie === 'clear' ? null : answer.cookie.token;
      reply.header('set-cookie', sessionCookie(token, this.#parts.baseUrl()));
    }
    return reply
      .code(answer.status)
      .send(this.#parts.serializers.write(operation, answer.status, answer.body));
  }
}

/** @throws ApiError `rate_limited` */
async function limit(limiter: RateLimiter, key: string): Promise<void> {
  if (!limiter.enabled) return;
  const { allowed, retryAfterSeconds } = await limiter.take(key);
  if (allowed) return;
  throw new ApiError('rate_limited', 'Too many requests. Slow down and retry.', { retryAfterSeconds });
}

/** Who asked for something of which nobody knows whether it happened stands in the log too. */
async function audited(trail: AuditTrail, work: () => Promise<DashboardAnswer>): Promise<DashboardAnswer> {
  try {
    const answer = await work();
    if (!('lostClaim' in answer || 'refusal' in answer)) await trail.finish();
    return answer;
  } catch (error) {
    if (error instanceof ServiceError && error.status >= 500) await trail.inDoubt(error.code);
    throw error;
  }
}
