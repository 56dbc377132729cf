import { invalidParam } from '@till/contract';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Operation } from '../../operations/operation.ts';
import type { DisputeActionOutcome } from '../../processors/port/disputes.ts';
import type { NoAnswer } from '../../processors/port/port.ts';
import type { DisputeChange } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import { type Submission, submissionOf } from '../evidence.ts';
import type { DisputeRow } from '../present.ts';
import { nextPositions } from '../state.ts';
import { checkFiles, withContents } from '../submission.ts';

/** What the merchant does about a dispute: accept it, or defend it with evidence. */
export type Move = { readonly kind: 'accept' } | { readonly kind: 'defend'; readonly submission: Submission };

/**
 * Computes the change that an answer causes from the dispute's current row, which a notification may have changed concurrently.
 */
export type ChangeOf = (dispute: DisputeRow) => DisputeChange;

export type AnswerOutcome = Exclude<DisputeActionOutcome, NoAnswer>;
export type DisputeOperation = Operation<DisputeRow, AnswerOutcome, ChangeOf>;

/** The status after the processor has confirmed the acceptance or the defence. */
const statusAfter = { accept: 'accepted', defend: 'challenged' } as const;

/** The statuses in which the move counts as done: before a retry arrives, recovery may finish it and the issuer may decide. */
const statusesAfter: Readonly<Record<Move['kind'], readonly DisputeRow['status'][]>> = {
  accept: [statusAfter.accept],
  defend: [statusAfter.defend, 'won', 'lost', 'recovered'],
};

/** Whether the dispute can be accepted or defended in its current position. */
export const allows = (dispute: DisputeRow, kind: Move['kind']): boolean =>
  nextPositions(dispute).some(({ state, status }) => state === dispute.state && status === statusAfter[kind]);

/** The change after the operation succeeded. A dispute that can no longer get to the new status keeps its own. */
const carriedOut =
  (kind: Move['kind'], key: string): ChangeOf =>
  (before) => ({
    before,
    after: allows(before, kind) ? { ...before, status: statusAfter[kind] } : before,
    operation: { key, end: kind === 'defend' ? 'submitted' : 'done' },
  });

/** The operation that accepts or defends a dispute (spec, "Disputes"). */
export function answer(deps: DisputeDependencies, move: Move): DisputeOperation {
  const { kind } = move;
  /** Defence and acceptance have different keys. Each definite answer leads to a new key. */
  const keyOf = (dispute: DisputeRow) =>
    `${dispute.id}:${kind === 'accept' ? 'a' : 'd'}${dispute.operations_done}`;
  return {
    kind,
    upstreamKey: keyOf,
    isReached: (dispute) => statusesAfter[kind].includes(dispute.status),
    async mayBegin(dispute, context) {
      if (move.kind === 'defend') await checkFiles(deps, context, move.submission);
      if (allows(dispute, kind)) return true;
      throw invalidParam(
        'status',
        `Only a dispute with an answer due can be ${kind === 'accept' ? 'accepted' : 'defended'}; this one has the status ${dispute.status}.`,
      );
    },
    async ask({ subject: dispute, context, connected: { port, connection }, upstreamKey, fresh }) {
      const request = {
        disputeId: dispute.id,
        upstreamId: dispute.upstream_id,
        upstreamKey,
        ...(fresh ? {} : { isRepeat: true as const }),
      };
      if (move.kind === 'accept') return port.acceptDispute(connection, request);
      const { reasonCode, statement } = move.submission;
      const evidence = await withContents(deps, context, move.submission);
      const { state } = dispute;
      return port.defendDispute(connection, { ...request, state, reasonCode, statement, evidence });
    },
    settle({ subject }, outcome) {
      const key = keyOf(subject);
      switch (outcome.kind) {
        case 'done':
          return { kind: 'change', change: carriedOut(kind, key) };
        case 'refused':
          return {
            kind: 'refused',
            error: invalidParam(outcome.param ?? 'status', outcome.message),
            change: (before) => ({ before, after: before, operation: { key, end: 'refused' } }),
          };
      }
    },
  };
}

/**
 * Rebuilds the open operation of a dispute as it was begun.
 * @param own the current request's operation, which is returned if it makes the same move
 * @returns null if no acceptance or defence is open
 */
export async function begunAnswer(
  deps: DisputeDependencies,
  dispute: DisputeRow,
  own: { readonly move: Move; readonly operation: DisputeOperation } | null,
): Promise<DisputeOperation | null> {
  if (dispute.operation === null || dispute.operation === 'conclude') return null;
  const move: Move =
    dispute.operation === 'defend'
      ? { kind: 'defend', submission: await submissionOf(deps.db, dispute) }
      : { kind: 'accept' };
  return own !== null && canonicalJson(own.move) === canonicalJson(move) ? own.operation : answer(deps, move);
}

/** The facts in the audit log entry of an answer to a dispute. */
export const factsOf = (move: Move, disputed: object): object => ({
  ...disputed,
  ...(move.kind === 'accept'
    ? {}
    : {
        evidence: move.submission.evidence.map(({ type, file }) => ({ type, file })),
        statement: move.submission.statement !== null,
      }),
});
