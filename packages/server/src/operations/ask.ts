import type { ApiError } from '@till/contract';
import type { Claim } from '../idempotency/claims.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { NoAnswer } from '../processors/port/port.ts';
import type { Call, Effect, Operation, Subject } from './operation.ts';
import { nextTry } from './retry-plan.ts';
import type { Answer, OperationDependencies, SubjectAccess } from './subject-access.ts';

type Unanswered = Pick<OperationDependencies, 'operations' | 'clock' | 'onIncident'>;
/** The request to the processor that got no definite answer. */
type Asked = Pick<Call<Subject>, 'context' | 'subject' | 'leaseUntil'>;

const isNoAnswer = (outcome: { readonly kind: string }): outcome is NoAnswer =>
  outcome.kind === 'unknown' || outcome.kind === 'not_executed';

/** Asks the processor and interprets its answer. */
export async function askAndSettle<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  operation: Operation<S, Outcome, Change>,
  call: Call<S>,
): Promise<Effect<Change>> {
  const outcome = await operation.ask(call);
  return isNoAnswer(outcome) ? { kind: 'open', why: outcome } : operation.settle(call, outcome);
}

/**
 * Handles a request that got no definite answer. If the processor certainly did nothing and was never asked before, the
 * operation ends; otherwise it stays open, for a retry or for recovery.
 * @returns the error to throw
 */
async function leaveUnanswered(
  dependencies: Unanswered,
  { context, subject, leaseUntil }: Asked,
  why: NoAnswer,
  fresh: boolean,
): Promise<ApiError> {
  const { operations, onIncident } = dependencies;
  if (fresh && why.kind === 'not_executed') {
    onIncident(context, `the processor carried nothing out: ${why.reason}`, subject);
    await operations.end(subject, leaseUntil, context.suspend);
    return unansweredError(why, 'Nothing has changed.');
  }
  return leaveInDoubt(dependencies, { context, subject, leaseUntil }, why);
}

/** Leaves the operation in doubt, for a retry or for recovery. @returns the error to throw: it asks the merchant to retry */
export async function leaveInDoubt(
  dependencies: Unanswered,
  { context, subject, leaseUntil }: Asked,
  why: NoAnswer,
): Promise<ApiError> {
  dependencies.onIncident(context, `no definite answer from the processor: ${why.reason}`, subject);
  const soon = nextTry(dependencies, 0);
  await dependencies.operations.leaveToRecovery(subject, leaseUntil, soon, context.suspend);
  // The processor did not carry out this request, but it may have carried out an earlier one with the same key.
  const isRepeat = why.kind === 'not_executed';
  return unansweredError(
    why,
    isRepeat
      ? 'What was asked before is being looked into: retry with the same Idempotency-Key.'
      : 'Retry with the same Idempotency-Key.',
  );
}

/**
 * Asks the processor on behalf of a request, and commits what its answer means, with the reply to be replayed.
 * @returns undefined if the subject changed meanwhile: nothing was written
 */
export async function askForRequest<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  dependencies: Unanswered,
  operation: Operation<S, Outcome, Change>,
  room: Pick<SubjectAccess<S, Outcome, Change>, 'commit'>,
  call: Call<S>,
  claim: Claim | null,
): Promise<Answer | undefined> {
  const { subject, fresh } = call;
  const effect = await askAndSettle(operation, call);
  switch (effect.kind) {
    case 'change':
      return room.commit(subject, effect.change, claim);
    case 'refused':
      await endRefused(dependencies, room, call, effect.change);
      throw effect.error;
    case 'open':
      throw await leaveUnanswered(dependencies, call, effect.why, fresh);
  }
}

/** Finds out the outcome of another operation that a request resumes. The caller then reads the subject again. */
export async function finishFirst<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  dependencies: Unanswered,
  other: Operation<S, Outcome, Change>,
  room: Pick<SubjectAccess<S, Outcome, Change>, 'commit'>,
  call: Call<S>,
): Promise<undefined> {
  const why = await recoverByAsking(dependencies, other, room, call);
  if (why !== null) throw await leaveUnanswered(dependencies, call, why, false);
}

async function endRefused<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  { operations }: Pick<OperationDependencies, 'operations'>,
  room: Pick<SubjectAccess<S, Outcome, Change>, 'commit'>,
  { context, subject, leaseUntil }: Pick<Call<S>, 'context' | 'subject' | 'leaseUntil'>,
  change: Change | undefined,
): Promise<void> {
  if (change === undefined) await operations.end(subject, leaseUntil, context.suspend);
  else await room.commit(subject, change, null);
}

/**
 * Repeats an unanswered request under its own upstream key and commits the answer. Most kinds are recovered like this.
 * @returns null if the operation is over, else why its outcome is still not known
 */
export async function recoverByAsking<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  dependencies: Pick<OperationDependencies, 'operations'>,
  operation: Operation<S, Outcome, Change>,
  room: Pick<SubjectAccess<S, Outcome, Change>, 'commit'>,
  call: Omit<Call<S>, 'fresh'>,
): Promise<NoAnswer | null> {
  const effect = await askAndSettle(operation, { ...call, fresh: false });
  switch (effect.kind) {
    case 'change':
      await room.commit(call.subject, effect.change, null);
      return null;
    case 'refused':
      await endRefused(dependencies, room, call, effect.change);
      return null;
    case 'open':
      return effect.why;
  }
}
