import { ApiError, type BodyOf, type Operation, type QueryOf } from '@till/contract';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { LookedUpRecord } from '../../lib/idempotency-record.ts';
import { cardNumberIn, holdsNumber } from '../../lib/text/digits.ts';
import { importanceOf } from '../admission/route-table.ts';
import type { JsonObject } from '../input/body.ts';
import { type Client, clientOf, InputReader, type InputRules } from '../input/input.ts';
import { type Upload, uploadScope } from '../input/upload.ts';
import { type Answered, answerOnce, type IdempotencyLookup, scopeOf, type Work } from './answer-once.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the guards of the request's route found out; null before the first of them. */
    entry: Entry | null;
  }
}

/** What of an operation its route needs, be it the merchant's or the dashboard's. */
export type RoutedOperation = InputRules & Pick<Operation, 'method' | 'movesMoney'>;

/** A request on its way through the guards of its route. Each API adds what its own guards find out. */
export interface Entry {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether the whole request had arrived when it was looked up who asks. */
  isCurrent: boolean;
  idempotencyKey: string | null;
}

/** A check that refuses a request by throwing, or notes in the entry what it found. */
export type Guard<E, Dependencies> = (entry: E, dependencies: Dependencies) => void | Promise<void>;

/** What is checked of a request before its body is read. */
export interface Guards<E, Dependencies> {
  /** Asked in this order once the head of a request is there. */
  readonly onArrival: readonly Guard<E, Dependencies>[];
  /**
   * Asked in this order where the body came after them: a client may hold it back for as long as it wants to (decisions,
   * "Limits and refusals"). What arrived as a whole costs no second look-up.
   */
  readonly onLateBody: readonly Guard<E, Dependencies>[];
}

/** A request of which everything is checked. */
export interface CheckedCall<O, Claim> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly client: Client;
  /** The claim on the request's idempotency key; null where none was sent. */
  readonly claim: Claim | null;
  /** The resource of an earlier attempt under the same key that never got its answer. */
  readonly resumes: string | null;
  /** Reads the file of an operation that takes one. @throws ApiError `missing_field`, `body_too_large`, `invalid_params` */
  readonly upload: () => Promise<Upload>;
}

export interface KeyOwner<Caller> {
  readonly caller: Caller;
  readonly lookedUp?: LookedUpRecord | null | undefined;
}

/** An operation's way from the request to the answer, in the order in which it is gone. */
export interface OperationRoute<O extends RoutedOperation, E extends Entry, Caller, Claim, A extends object> {
  readonly operation: O;
  readonly url: string;
  /** Given where `/openapi.json` shows the operation. */
  readonly schema?: FastifySchema;
  readonly enter: (request: FastifyRequest, reply: FastifyReply) => E;
  /** Asks the guards of the API. */
  readonly ask: (when: keyof Guards<E, unknown>, entry: E) => Promise<void>;
  /** Whose the request's idempotency key is, and what was found under it already. Asked where there is one. */
  readonly keyOwner: (entry: E) => KeyOwner<Caller>;
  /** Checks what comes before the body's fields, such as that the path names something. */
  readonly before: (entry: E) => void | Promise<void>;
  /**
   * Checks that the path names something. For work that reads it first of all: asked only where a field is refused, since
   * 404 comes before that.
   */
  readonly named?: (entry: E) => Promise<unknown>;
  /** @param ignored paths of the fields that were sent and mean nothing here */
  readonly work: (entry: E, call: CheckedCall<O, Claim>, ignored: () => string[]) => Promise<A>;
  readonly send: (entry: E, answer: Answered<A>) => Promise<FastifyReply>;
  /** Runs everything after the guards, e.g. to put its errors into words. */
  readonly around?: <T>(answering: () => Promise<T>) => Promise<T>;
}

export interface PipelineDependencies<Caller, Claim> {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly idempotency: IdempotencyLookup<Caller, Claim>;
}

/** Mounts an operation of either API. */
export function mountOperation<O extends RoutedOperation, E extends Entry, Caller, Claim, A extends object>(
  deps: PipelineDependencies<Caller, Claim>,
  route: OperationRoute<O, E, Caller, Claim, A>,
): void {
  const { operation, url, schema, enter, ask, send, around = (run) => run() } = route;
  const entryOf = ({ entry }: FastifyRequest) => entry as E;
  const recheck = async (entry: E) => {
    if (!entry.isCurrent) await ask('onLateBody', entry);
  };
  const answer = answering(deps, route, recheck);
  const mount = (scope: FastifyInstance) =>
    scope.route({
      method: operation.method,
      url,
      config: { isDocumented: schema !== undefined, importance: importanceOf(operation) },
      ...(schema === undefined ? {} : { schema }),
      onRequest: async (request, reply) => {
        const entry = enter(request, reply);
        request.entry = entry;
        await ask('onArrival', entry);
      },
      // A file is read by the work, which then has them asked again.
      preHandler: operation.upload === undefined ? (request) => recheck(entryOf(request)) : [],
      handler: (request) => {
        const entry = entryOf(request);
        return around(async () => send(entry, await answer(entry)));
      },
    });
  if (operation.upload === undefined) mount(deps.app);
  else uploadScope(deps.app, mount);
}

/** Asks the guards of a list one after the other, until one refuses. */
export const askWith =
  <E, Dependencies>(guards: Guards<E, Dependencies>, dependencies: Dependencies) =>
  async (when: keyof Guards<E, Dependencies>, entry: E): Promise<void> => {
    for (const guard of guards[when]) await guard(entry, dependencies);
  };

/** Body, replay, what comes before the fields, fields and work of an operation (decisions, "Order of checks"). */
function answering<O extends RoutedOperation, E extends Entry, Caller, Claim, A extends object>(
  { ajv, idempotency }: PipelineDependencies<Caller, Claim>,
  { operation, keyOwner, before, named, work }: OperationRoute<O, E, Caller, Claim, A>,
  recheck: (entry: E) => Promise<void>,
): (entry: E) => Promise<Answered<A>> {
  const input = new InputReader(ajv, operation);
  const { lenientFields, codes } = operation;
  return async (entry) => {
    const { request, idempotencyKey: key } = entry;
    const sent = operation.body || key !== null ? input.raw(request) : {};
    requireOtherKey(operation, key, sent);
    const idempotent =
      key === null ? null : { key, scope: scopeOf(request), sent, lenientFields, codes, ...keyOwner(entry) };
    const fields = async (isResumed: boolean) => {
      try {
        return { body: input.body(sent) as BodyOf<O>, query: input.query(request) as QueryOf<O> };
      } catch (error) {
        if (!isResumed) await named?.(entry);
        throw error;
      }
    };
    const upload = async () => {
      const file = await input.upload(request);
      await recheck(entry);
      return file;
    };
    return answerOnce(idempotency, idempotent, async (found: Work<Claim> | null) => {
      // A request that was begun is resumed: refused now, its client would not learn the processor's answer.
      if (found?.kind !== 'resume') await before(entry);
      const call = {
        params: request.params as Readonly<Record<string, string>>,
        ...(await fields(found?.kind === 'resume')),
        client: clientOf(request),
        claim: found?.claim ?? null,
        resumes: found?.kind === 'resume' ? found.resourceId : null,
        upload,
      };
      return work(entry, call, () => [
        ...input.ignored(sent, call.body),
        ...input.ignoredBody(request),
        ...input.ignoredParameters(request),
      ]);
    });
  };
}

/** The key is stored as it is. @throws ApiError `invalid_params` where it holds the body's card number */
function requireOtherKey({ cardNumberField }: RoutedOperation, key: string | null, sent: JsonObject): void {
  const number = cardNumberField === undefined ? undefined : cardNumberIn(sent, cardNumberField);
  if (key === null || number === undefined || !holdsNumber(key, number)) return;
  throw new ApiError('invalid_params', "The Idempotency-Key must not hold the card's number.");
}
