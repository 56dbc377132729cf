import type { Operation } from '@till/contract';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ignoredFieldsHeader } from '../input/ignored-fields.ts';
import { documentedSchema } from '../openapi/openapi.ts';
import type { Answer, Answered, IdempotencyLookup } from './answer-once.ts';
import {
  authenticatedOf,
  type CallerIdentity,
  type MerchantEntry,
  type MerchantGuardDependencies,
  merchantGuards,
} from './merchant-guards.ts';
import { type CheckedCall, type Guards, guardRunner, mountOperation } from './pipeline.ts';
import { type SendDependencies, sendAnswer } from './send-answer.ts';

export interface Call<O extends Operation, Caller, Claim> extends CheckedCall<O, Claim> {
  readonly caller: Caller;
}

export interface MerchantApiDependencies<Caller, Claim>
  extends MerchantGuardDependencies<Caller>,
    SendDependencies {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly idempotency: IdempotencyLookup<Caller, Claim>;
}

type Params = Readonly<Record<string, string>>;
type Before<Caller> = (caller: Caller, params: Params) => void | Promise<void>;

/** Mounts contract operations as routes and keeps the order of checks (decisions, "Order of checks on every write"). */
export class MerchantApi<Caller extends CallerIdentity, Claim> {
  readonly #deps: MerchantApiDependencies<Caller, Claim>;
  readonly #ask: (when: keyof Guards<unknown, unknown>, entry: MerchantEntry<Caller>) => Promise<void>;

  constructor(deps: MerchantApiDependencies<Caller, Claim>) {
    this.#deps = deps;
    this.#ask = guardRunner(merchantGuards, deps);
  }

  /**
   * @param before steps 7 and 8: the checks that come before the body's fields, such as the activation of a live account or
   *   the existence of the resource in the path
   * @param named step 8 for a handler that itself reads the resource in the path first: called only if a field is refused
   */
  mount<O extends Operation>(
    operation: O,
    handler: (call: Call<O, Caller, Claim>) => Promise<Answer>,
    before: Before<Caller> = () => {},
    named: (caller: Caller, params: Params) => Promise<unknown> = async () => {},
  ): void {
    const deps = this.#deps;
    const asked = (entry: MerchantEntry<Caller>) =>
      [authenticatedOf(entry).caller, entry.request.params as Params] as const;
    mountOperation<O, MerchantEntry<Caller>, Caller, Claim, Answer>(deps, {
      operation,
      url: operation.path,
      schema: documentedSchema(operation),
      enter: (request, reply) => ({
        operation,
        request,
        reply,
        isCurrent: false,
        idempotencyKey: null,
        authenticated: null,
      }),
      ask: this.#ask,
      keyOwner: authenticatedOf,
      before: (entry) => before(...asked(entry)),
      named: (entry) => named(...asked(entry)),
      work: async (entry, call, ignored) => {
        const answer = await handler({ caller: authenticatedOf(entry).caller, ...call });
        const header = ignoredFieldsHeader([...ignored(), ...(answer.ignored ?? [])]);
        if (header !== undefined) entry.reply.header('service-ignored-fields', header);
        return answer;
      },
      send: (entry, answer) => this.#send(operation, entry, answer),
    });
  }

  #send(operation: Operation, entry: MerchantEntry<Caller>, answer: Answered<Answer>): Promise<FastifyReply> {
    const { exchange } = entry.request;
    const isOwn = !('replay' in answer || 'refusal' in answer);
    if (exchange !== null && isOwn) exchange.warnings = answer.warnings ?? [];
    return sendAnswer(this.#deps, operation, entry, answer);
  }
}
