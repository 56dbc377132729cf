import { ApiError, invalidParam } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Keyed } from '../operations/run.ts';
import { requireAvailable } from '../processors/port/availability.ts';
import { requireConnectionOf } from '../processors/port/connected.ts';
import type { StaffAct } from '../users/acts.ts';
import { type Asked, allows, askProcessor, noAnswer, statusAfter } from './ask-processor.ts';
import { writeDispute } from './change-dispute.ts';
import type { Move, OpenOperation } from './operations.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';
import { retrieveDispute } from './retrieve-dispute.ts';
import { checkFiles } from './submission.ts';

export type DisputeAnswer =
  | { readonly status: 200; readonly text: string }
  /** Another request with the same key was faster. */
  | { readonly lostClaim: true };

/** Where a dispute may stand after a move: recovery may have finished it, and the issuer decided, before a repeat comes. */
const leadsTo: Readonly<Record<Move['kind'], readonly DisputeRow['status'][]>> = {
  accept: [statusAfter.accept],
  defend: [statusAfter.defend, 'won', 'lost', 'recovered'],
};

const isSameMove = (one: Move, other: Move): boolean => canonicalJson(one) === canonicalJson(other);

/**
 * Accepts a dispute or defends it (spec, "Disputes"). Of two requests at once only one asks the processor; one that was
 * left without an answer is carried on under its own upstream key.
 * @throws ApiError `not_found`; `invalid_params` where it waits for no answer or the processor refuses;
 *   `provider_not_configured`, `provider_error`, `provider_unavailable`, each with the dispute as it was; the last also
 *   where another operation on it does not end in time, or too many wait for that
 */
export async function answerDispute(
  parts: DisputeParts,
  context: AccountContext,
  id: string,
  move: Move,
  { claim, resumes, act = null }: Keyed,
): Promise<DisputeAnswer> {
  // Written with the operation that begins; after that, and where a request is carried on, the key is ours.
  const unclaimed = resumes === null ? claim : null;
  const deadline = parts.waits.deadline();
  for (;;) {
    const dispute = await retrieveDispute(parts, context, id);
    if (resumes !== null && leadsTo[move.kind].includes(dispute.status)) {
      return keepPresent(parts, context, dispute, claim);
    }
    const inDoubt = resumes !== null;
    if (!(await mayBegin(parts, context, dispute, move, { unclaimed, inDoubt }))) return { lostClaim: true };
    if (parts.waits.isFull(dispute.id)) throw stillRunning();
    const lease = parts.lease();
    const begun = await parts.operations.begin({
      dispute,
      move,
      at: context.now,
      lease,
      claim: unclaimed,
      act,
    });
    if (begun === 'lost') return { lostClaim: true };
    if (begun !== 'busy') return toAnswer(await askProcessor(parts, context, begun, claim));

    const open = await parts.operations.takeOver(dispute, lease, parts.clock.now());
    if (open === undefined) {
      await waitForOther(parts, context, dispute, deadline);
      continue;
    }
    // What this very request was left with has its audit entry already.
    const joining = resumes === null ? act : null;
    const answer = await carryOn(parts, context, open, move, { claim, joining });
    if (answer !== undefined) return answer;
  }
}

/** @throws ApiError `provider_unavailable` where the other operation does not end in time, or too many wait already */
async function waitForOther(
  parts: DisputeParts,
  { suspend }: AccountContext,
  dispute: DisputeRow,
  deadline: number,
): Promise<void> {
  const { clock, operations, waits } = parts;
  const isOver = await waits.wait({
    accountId: dispute.account_id,
    id: dispute.id,
    deadline,
    isOver: async () => !(await operations.isHeld(dispute, clock.now())),
    suspend,
  });
  if (!isOver) throw stillRunning();
}

/** Steps 10 and 11 of the checks. False where this very request's twin was faster: then its answer counts. */
async function mayBegin(
  parts: DisputeParts,
  context: AccountContext,
  dispute: DisputeRow,
  move: Move,
  { unclaimed, inDoubt }: { readonly unclaimed: Claim | null; readonly inDoubt: boolean },
): Promise<boolean> {
  try {
    if (move.kind === 'defend') await checkFiles(parts, context, move.submission);
    if (!allows(dispute, move.kind)) {
      throw invalidParam(
        'status',
        `Only a dispute with an answer due can be ${move.kind === 'accept' ? 'accepted' : 'defended'}; this one has the status ${dispute.status}.`,
      );
    }
    requireAvailable(requireConnectionOf(parts, context, dispute, { inDoubt }), { inDoubt });
    return true;
  } catch (error) {
    if (unclaimed !== null && (await parts.isKeyTaken(context, unclaimed))) return false;
    throw error;
  }
}

/**
 * Finishes what an earlier request was left with, under its own upstream key and with its own evidence.
 * @returns the answer where this request asks for just that; otherwise the dispute is looked at again
 */
async function carryOn(
  parts: DisputeParts,
  context: AccountContext,
  open: OpenOperation,
  move: Move,
  { claim, joining }: { readonly claim: Claim | null; readonly joining: StaffAct | null },
): Promise<DisputeAnswer | undefined> {
  const isSame = isSameMove(open.move, move);
  if (isSame && joining !== null) await parts.operations.join(open, joining);
  const asked = await askProcessor(parts, context, open, null);
  if (!isSame) {
    if (asked.kind === 'done' || asked.kind === 'refused') return undefined;
    throw noAnswer(asked);
  }
  const answer = toAnswer(asked);
  await keep(parts, context, open.dispute.id, claim, answer.text);
  return answer;
}

function toAnswer(asked: Asked): { status: 200; text: string } {
  if (asked.kind === 'done') return { status: 200, text: asked.text };
  if (asked.kind === 'refused') throw invalidParam('status', asked.message);
  throw noAnswer(asked);
}

async function keep(
  parts: DisputeParts,
  context: AccountContext,
  id: string,
  claim: Claim | null,
  body: string,
): Promise<void> {
  if (claim === null) return;
  await parts.keepAnswer(context, claim, { resourceId: id, status: 200, body, createdAt: context.now });
}

async function keepPresent(
  parts: DisputeParts,
  context: AccountContext,
  dispute: DisputeRow,
  claim: Claim | null,
): Promise<DisputeAnswer> {
  const text = writeDispute(parts, dispute);
  await keep(parts, context, dispute.id, claim, text);
  return { status: 200, text };
}

function stillRunning(): ApiError {
  return new ApiError(
    'provider_unavailable',
    'Another operation on this dispute is still running. Retry soon.',
    { retryAfterSeconds: 2 },
  );
}
