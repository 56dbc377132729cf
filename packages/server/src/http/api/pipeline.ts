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
    /** The results of the guards of the request's route; null before the first guard. */
    entry: Entry | null;
  }
}

/** The parts of an operation that its route needs, for both the merchant API and the dashboard's API. */
export type RoutedOperation = InputRules & Pick<Operation, 'method' | 'movesMoney'>;

/** A request on its way through the guards of its route. Each API adds the results of its own guards. */
export interface Entry {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether the whole request had arrived when the caller was looked up. */
  isCurrent: boolean;
  idempotencyKey: string | null;
}

/** A check that refuses a request by throwing, or stores its result in the entry. */
export type Guard<E, Dependencies> = (entry: E, dependencies: Dependencies) => void | Promise<void>;

/** The checks of a request before its body is read. */
export interface Guards<E, Dependencies> {
  /** Run in this order once the headers of a request have arrived. */
  readonly onArrival: readonly Guard<E, Dependencies>[];
  /**
   * Run in this order if the body arrived after the first checks, because a client may delay the body for as long as it likes
   * (decisions, "Limits and refusals"). A request that arrived as a whole needs no second look-up.
   */
  readonly onLateBody: readonly Guard<E, Dependencies>[];
}

/** A request that has passed all checks. */
export interface CheckedCall<O, Claim> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly client: Client;
  /** The claim on the request's idempotency key; null if none was sent. */
  readonly claim: Claim | null;
  /** The id of the resource of an earlier attempt with the same key that got no answer; null if there is none. */
  readonly resumes: string | null;
  /** Reads the file of an upload operation. @throws ApiError `missing_field`, `body_too_large`, `invalid_params` */
  readonly upload: () => Promise<Upload>;
}

export interface KeyOwner<Caller> {
  readonly caller: Caller;
  readonly lookedUp?: LookedUpRecord | null | undefined;
}

/** The steps of an operation from the request to the response, in order. */
export interface OperationRoute<O extends RoutedOperation, E extends Entry, Caller, Claim, A extends object> {
  readonly operation: O;
  readonly url: string;
  /** Present if `/openapi.json` shows the operation. */
  readonly schema?: FastifySchema;
  readonly enter: (request: FastifyRequest, reply: FastifyReply) => E;
  /** Runs the guards of the API. */
  readonly ask: (when: keyof Guards<E, unknown>, entry: E) => Promise<void>;
  /** The owner of the request's idempotency key, and the record already found under it. Called only if there is a key. */
  readonly keyOwner: (entry: E) => KeyOwner<Caller>;
  /** Runs the checks that come before the body's fields, such as the existence of the resource in the path. */
  readonly before: (entry: E) => void | Promise<void>;
  /**
   * Checks that the resource in the path exists, for work that itself reads that resource first. Called only if a field is
   * refused, because a 404 takes precedence over that refusal.
   */
  readonly named?: (entry: E) => Promise<unknown>;
  /** @param ignored returns the paths of the sent fields that have no meaning here */
  readonly work: (entry: E, call: CheckedCall<O, Claim>, ignored: () => string[]) => Promise<A>;
  readonly send: (entry: E, answer: Answered<A>) => Promise<FastifyReply>;
  /** Wraps everything after the guards, e.g. to translate its errors. */
  readonly around?: <T>(answering: () => Promise<T>) => Promise<T>;
}

export interface PipelineDependencies<Caller, Claim> {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly idempotency: IdempotencyLookup<Caller, Claim>;
}

/** Mounts an operation of the merchant API or the dashboard's API. */
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
      // The work of an upload reads the file itself, and then runs the guards again.
      preHandler: operation.upload === undefined ? (request) => recheck(entryOf(request)) : [],
      handler: (request) => {
        const entry = entryOf(request);
        return around(async () => send(entry, await answer(entry)));
      },
    });
  if (operation.upload === undefined) mount(deps.app);
  else uploadScope(deps.app, mount);
}

/** Runs the guards of a list one after the other, until one refuses. */
export const guardRunner =
  <E, Dependencies>(guards: Guards<E, Dependencies>, dependencies: Dependencies) =>
  async (when: keyof Guards<E, Dependencies>, entry: E): Promise<void> => {
    for (const guard of guards[when]) await guard(entry, dependencies);
  };

/** Runs the steps after the guards: body, replay, checks before the fields, fields, work (decisions, "Order of checks"). */
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
      // A resumed request skips these checks: if it were refused now, its client would never get the processor's answer.
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

/** Rejects a key with a card number, because keys are stored in plain text. @throws ApiError `invalid_params` */
function requireOtherKey({ cardNumberField }: RoutedOperation, key: string | null, sent: JsonObject): void {
  const number = cardNumberField === undefined ? undefined : cardNumberIn(sent, cardNumberField);
  if (key === null || number === undefined || !holdsNumber(key, number)) return;
  throw new ApiError('invalid_params', "The Idempotency-Key must not hold the card's number.");
}
