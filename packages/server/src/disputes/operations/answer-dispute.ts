import type { AccountContext } from '../../accounts/context.ts';
import { runOperation } from '../../operations/run.ts';
import type { IdempotentRequest, KeyTaken, SubjectAccess } from '../../operations/subject-access.ts';
import { changeUntilWritten, writeDispute } from '../change-dispute.ts';
import { retrieveDispute } from '../deadlines/retrieve-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { evidenceRequest } from '../evidence.ts';
import { type DisputeRow, disputedAmount } from '../present.ts';
import { type AnswerOutcome, answer, begunAnswer, type ChangeOf, factsOf, type Move } from './answer.ts';

export type DisputeAnswer = { readonly status: 200 | 201; readonly text: string } | KeyTaken;

/**
 * Accepts or defends a dispute (spec, "Disputes"). Only one of two concurrent requests reaches the processor. An operation that
 * got no answer is resumed under its own upstream key.
 * @throws ApiError `not_found`; `invalid_params` if the dispute does not wait for an answer or the processor refuses;
 *   `provider_not_configured`, `provider_error` or `provider_unavailable`, each with the dispute unchanged; the last also if
 * another operation on it does not end in time, or too many requests wait for that
 */
export function answerDispute(
  deps: DisputeDependencies,
  context: AccountContext,
  id: string,
  move: Move,
  idempotent: IdempotentRequest,
): Promise<DisputeAnswer> {
  const operation = answer(deps, move);
  const room: SubjectAccess<DisputeRow, AnswerOutcome, ChangeOf> = {
    noun: 'dispute',
    read: () => retrieveDispute(deps, context, id),
    facts: (dispute) => factsOf(move, disputedAmount(dispute)),
    request: (dispute) => (move.kind === 'defend' ? evidenceRequest(dispute, move.submission) : null),
    write: (dispute) => writeDispute(deps, context, dispute),
    resumes: {
      kinds: ['accept', 'defend'],
      begun: (dispute) => begunAnswer(deps, dispute, { move, operation }),
    },
    commit: async (before, change, claim) => ({
      status: 200,
      text: await changeUntilWritten(deps, context, before, change, claim),
    }),
  };
  return runOperation(deps, context, operation, room, idempotent);
}
