import type { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import { type Connected, requireConnectionOf } from '../processors/port/connected.ts';
import type { DisputeMoveOutcome } from '../processors/port/disputes.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { NoAnswer } from '../processors/port.ts';
import { changeDispute } from './change-dispute.ts';
import type { Move, OpenOperation } from './operations.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';
import { nextPositions } from './state.ts';
import { withContents } from './submission.ts';

/** Where a dispute goes that the processor let be accepted or defended. */
export const statusAfter = { accept: 'accepted', defend: 'challenged' } as const;

export type Asked =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string }
  | NoAnswer;

/** Whether accepting or defending is possible where the dispute stands. */
export const allows = (dispute: DisputeRow, kind: Move['kind']): boolean =>
  nextPositions(dispute).some(({ state, status }) => state === dispute.state && status === statusAfter[kind]);

/**
 * Our own idempotency key upstream: the same until the processor has given a definite answer. A defence and an acceptance
 * never share one.
 */
const upstreamKey = ({ dispute, move }: OpenOperation) =>
  `${dispute.id}:${move.kind === 'accept' ? 'a' : 'd'}${dispute.operations_done}`;

/**
 * Asks the processor for an operation that is ours and commits what it answers. Then those who wait for it go on.
 * @throws ApiError `provider_not_configured` where it cannot be asked, `provider_unavailable` where it was asked before
 */
export async function askProcessor(
  parts: DisputeParts,
  context: AccountContext,
  open: OpenOperation,
  claim: Claim | null,
): Promise<Asked> {
  try {
    return await askAndCommit(parts, context, open, claim);
  } finally {
    parts.waits.ended(open.dispute.id);
  }
}

async function askAndCommit(
  parts: DisputeParts,
  context: AccountContext,
  open: OpenOperation,
  claim: Claim | null,
): Promise<Asked> {
  const outcome = await ask(parts, context, open, await reach(parts, context, open));
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', text: await settle(parts, context, open, claim) };
    case 'refused':
      await parts.operations.close(open, true);
      return outcome;
    case 'not_executed':
      // An earlier try of the same key may have been carried out, so only a first one ends here.
      if (open.fresh) await parts.operations.close(open, false);
      else await leaveOpen(parts, open);
      return outcome;
    case 'unknown':
      await leaveOpen(parts, open);
      return outcome;
  }
}

/** The connection to ask; where there is none the operation ends, or waits where it may have been carried out. */
async function reach(parts: DisputeParts, context: AccountContext, open: OpenOperation): Promise<Connected> {
  try {
    return requireConnectionOf(parts, context, open.dispute, { inDoubt: !open.fresh });
  } catch (error) {
    if (open.fresh) await parts.operations.close(open, false);
    else await leaveOpen(parts, open);
    throw error;
  }
}

async function ask(
  parts: DisputeParts,
  context: AccountContext,
  open: OpenOperation,
  { port, connection }: Connected,
): Promise<DisputeMoveOutcome> {
  const { dispute, move } = open;
  const request = {
    disputeId: dispute.id,
    upstreamId: dispute.upstream_id,
    upstreamKey: upstreamKey(open),
  };
  if (move.kind === 'accept') return port.acceptDispute(connection, request);
  return port.defendDispute(connection, {
    ...request,
    state: dispute.state,
    reasonCode: move.submission.reasonCode,
    statement: move.submission.statement,
    evidence: await withContents(parts, context, move.submission),
  });
}

/** A notification may have moved the dispute meanwhile: then it stays where that led it. */
async function settle(
  parts: DisputeParts,
  context: AccountContext,
  { dispute, move }: OpenOperation,
  claim: Claim | null,
): Promise<string> {
  let before = dispute;
  for (;;) {
    const after = allows(before, move.kind) ? { ...before, status: statusAfter[move.kind] } : before;
    const isSubmitted = move.kind === 'defend';
    const text = await changeDispute(parts, context, {
      before,
      after,
      endsOperation: true,
      isSubmitted,
      claim,
    });
    if (text !== undefined) return text;
    const current = await parts.store.find(context, dispute.id);
    if (current === undefined) throw new Error(`${dispute.id} is gone`);
    before = current;
  }
}

/** Recovery looks after 5 s, within the first minute, after 5 min, 30 min, then hourly. */
const recoverySeconds = [5, 40, 300, 1800, 3600];

/** The operation stays in doubt, for recovery or a retry. */
export async function leaveOpen(
  parts: DisputeParts,
  open: Pick<OpenOperation, 'dispute' | 'lease'>,
): Promise<void> {
  const seconds = recoverySeconds[Math.min(open.dispute.tries, recoverySeconds.length - 1)] ?? 3600;
  await parts.operations.leaveUnknown(open, new Date(parts.clock.now().getTime() + seconds * 1000));
}

/** What the merchant is told where the processor gave no definite answer. */
export const noAnswer = (outcome: NoAnswer): ApiError =>
  unansweredError(
    outcome,
    outcome.kind === 'unknown' ? 'Retry: the same is asked again, never twice.' : 'Nothing has changed.',
  );
