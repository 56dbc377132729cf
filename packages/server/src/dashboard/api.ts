import { type DashboardOperation, mayCall, type Role } from '@till/contract/dashboard';
import { withoutCardNumber } from '@till/contract/typed-card-number';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AccountContext } from '../accounts/context.ts';
import { suspendOf } from '../http/admission/admit.ts';
import type { Answered, IdempotencyLookup } from '../http/api/answer-once.ts';
import { guardRunner, mountOperation, type OperationRoute } from '../http/api/pipeline.ts';
import { type SendDependencies, sendAnswer } from '../http/api/send-answer.ts';
import { compressForPage } from '../http/server/compress.ts';
import type { Claim } from '../idempotency/claims.ts';
import { type AuditWriter, audited, auditTrail } from './audit-trail.ts';
import type { DashboardAnswer, SessionCall, StaffCall } from './call.ts';
import { sessionCookie } from './cookie.ts';
import { sendFile } from './download.ts';
import {
  type Acting,
  accountPath,
  actingOf,
  type DashboardEntry,
  type GuardDependencies,
  guards,
  nothingKnown,
} from './entry.ts';
import { reading } from './reading.ts';
import { ageHeader, mayReadReplica, replicaAge } from './replica-reads.ts';

export type { Client, DashboardAnswer, SessionCall, Staff, StaffCall } from './call.ts';

export interface DashboardApiDependencies extends SendDependencies, GuardDependencies {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly idempotency: IdempotencyLookup<AccountContext, Claim>;
  readonly audit: AuditWriter;
}

const prefix = '/dashboard/api';

/** Mounts the dashboard's operations below `/dashboard/api`. */
export class DashboardApi {
  readonly #deps: DashboardApiDependencies;
  readonly #ask: DashboardRoute<DashboardOperation>['ask'];
  readonly #operations: DashboardOperation[] = [];
  /** Handlers that read from a replica, by operation id; only for operations that may be answered from one. */
  readonly #elsewhere = new Map<string, Handler>();
  #mountsElsewhere = false;

  constructor(deps: DashboardApiDependencies) {
    this.#deps = deps;
    this.#ask = guardRunner(guards, deps);
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
   * @param before runs before the body's fields are checked, for example to answer 404 if the path names no resource
   */
  mount<O extends DashboardOperation>(
    operation: O,
    handler: (call: StaffCall<O>) => Promise<DashboardAnswer>,
    before: (acting: Acting, params: Readonly<Record<string, string>>) => void | Promise<void> = () => {},
  ): void {
    if (!accountPath.test(operation.path)) throw new Error(`${operation.id} names no account in its path`);
    if (this.#mountsElsewhere) {
      if (mayReadReplica(operation)) this.#elsewhere.set(operation.id, handler as Handler);
      return;
    }
    this.#route(operation, {
      before: (entry) => before(actingOf(entry), entry.request.params as Record<string, string>),
      work: (entry, call) => {
        const { staff, context } = actingOf(entry);
        const trail = auditTrail(this.#deps.audit, operation, { ...call, staff });
        const answer = this.#readsElsewhere(operation, entry) ?? handler;
        return audited(trail, () =>
          answer({
            ...call,
            query: withoutTypedCard(call.query),
            staff,
            context,
            audit: trail.write,
            entry: trail.entry,
            audited: trail.audited,
            covered: trail.covered,
          }),
        );
      },
    });
  }

  /**
   * @param mount mounts all operations again with dependencies that read from a replica. Only operations that may lag keep
   *   these handlers
   */
  mountReplica(mount: () => void): void {
    this.#mountsElsewhere = true;
    mount();
    this.#mountsElsewhere = false;
  }

  /**
   * The handler that reads from a replica, if one is recent enough. It also sets the header that gives the answer's
   * maximum age.
   */
  #readsElsewhere({ id }: DashboardOperation, { request, reply }: DashboardEntry): Handler | undefined {
    const handler = this.#elsewhere.get(id);
    const age = handler && replicaAge(this.#deps.elsewhere, request.headers.cookie);
    if (age === undefined) return undefined;
    reply.header(ageHeader, age);
    return handler;
  }

  /** Mounts an operation that belongs to no account and takes no idempotency key. Its handler writes the audit entries itself. */
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
    const encode = operation.method === 'GET' ? { encode: compressForPage } : {};
    return sendAnswer({ ...this.#deps, ...encode }, operation, entry, answer);
  }
}

/** The query as audit entries and files may hold it: a card number that somebody searches for is reduced to four digits. */
function withoutTypedCard<Query>(query: Query): Query {
  const { q } = (query ?? {}) as { readonly q?: unknown };
  return typeof q === 'string' ? { ...query, q: withoutCardNumber(q).text } : query;
}

// biome-ignore lint/suspicious/noExplicitAny: kept by the operation that it belongs to
type Handler = (call: StaffCall<any>) => Promise<DashboardAnswer>; // oxlint-disable-line typescript/no-explicit-any

type DashboardRoute<O extends DashboardOperation> = OperationRoute<
  O,
  DashboardEntry,
  AccountContext,
  Claim,
  DashboardAnswer
>;
