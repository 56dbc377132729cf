import type {
  AcceptDisputeRequest,
  DefendDisputeRequest,
  DisputeActionOutcome,
} from '../../port/disputes.ts';
import type { NoAnswer } from '../../port/port.ts';
import { asUnknown, isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { jsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import type { Payload } from '../wire/client.ts';
import { faultOf, isClientError, isStillProcessing, isSuccess, namesError } from '../wire/issues.ts';
import type { Session } from '../wire/session.ts';
import { disputePath, readDispute, type UpstreamDispute } from './dispute-facts.ts';
import { type Defence, defenceOf, defenceText } from './evidence.ts';
import { multipartForm } from './multipart.ts';

const done: DisputeActionOutcome = { kind: 'done' };
const refused = (message: string): DisputeActionOutcome => ({ kind: 'refused', message });

/** JSON part of `POST /v1/customer/disputes/{id}/accept-claim`: the buyer is refunded and keeps the goods. */
export const acceptInput = { accept_claim_type: 'REFUND', note: 'The merchant accepts the claim.' };

/** The ways to answer a dispute, depending on its stage. */
type Answer = 'provide-evidence' | 'provide-supporting-info' | 'appeal';

/** Names of the form parts that contain files (PayPal Disputes v1, request bodies). */
export const fileFields: Readonly<Record<Answer | 'accept-claim', string>> = {
  'provide-evidence': 'evidence-file',
  'provide-supporting-info': 'supporting document',
  appeal: 'evidence-file',
  'accept-claim': 'accept-claim-document',
};

/** Accepts the dispute: the upstream refunds the buyer (PayPal Disputes v1, "Accept claim"). */
export async function acceptDispute(
  session: Session,
  request: AcceptDisputeRequest,
): Promise<DisputeActionOutcome> {
  const dispute = await readDispute(session, request.upstreamId);
  if (isNoAnswer(dispute)) return dispute;
  switch (dispute.facts.status) {
    case 'accepted':
      return done;
    case 'won':
    case 'lost':
      return refused('The dispute is over.');
    default: {
      if (!takesRefund(dispute)) {
        return refused('The processor takes no acceptance with a plain refund of this dispute.');
      }
      const form = multipartForm(acceptInput, fileFields['accept-claim'], []);
      const outcome = await move(session, request, 'accept-claim', form);
      return recheckRefusal(session, request, outcome, ({ facts }) => facts.status === 'accepted');
    }
  }
}

/**
 * If the upstream lists the acceptance types that it allows, a plain refund must be among them: the others need data that we
 * do not have.
 */
function takesRefund({ body }: UpstreamDispute): boolean {
  const { accept_claim_types: types } = jsonObject(jsonObject(body.allowed_response_options).accept_claim);
  return !Array.isArray(types) || types.includes(acceptInput.accept_claim_type);
}

/**
 * Contests a dispute with whatever its stage allows: requested evidence, further information, or an appeal (PayPal Disputes
 * v1, "Provide evidence", "Provide supporting information", "Appeal dispute").
 */
export async function defendDispute(
  session: Session,
  request: DefendDisputeRequest,
): Promise<DisputeActionOutcome> {
  const dispute = await readDispute(session, request.upstreamId);
  if (isNoAnswer(dispute)) return dispute;
  const defence = defenceOf(request);
  if (defence.evidences.length === 0) {
    const message = 'evidence or a statement is required: the processor takes no defence without one.';
    return { kind: 'refused', message, param: 'evidence' };
  }
  const isSubmitted = hasDefence(dispute, defence);
  // A repeat of an accepted defence must not proceed to the next kind of answer, an appeal.
  if (isSubmitted && (dispute.facts.status === 'challenged' || request.isRepeat === true)) return done;
  const answer = answerFor(dispute);
  if (answer !== undefined) {
    const outcome = await move(session, request, answer, defenceForm(answer, defence));
    return recheckRefusal(session, request, outcome, (present) => hasDefence(present, defence));
  }
  // The dispute may have been decided after a defence was submitted and its response lost.
  return isSubmitted ? done : refused('The processor takes no evidence for the dispute now.');
}

const answers: readonly Answer[] = ['provide-evidence', 'provide-supporting-info', 'appeal'];

/** The upstream links the answers that it allows. If it links none, it waits either for evidence or for nothing. */
function answerFor({ body }: UpstreamDispute): Answer | undefined {
  const linked = jsonObjects(body, 'links').map((link) =>
    (jsonText(link, 'rel') ?? '').toLowerCase().replaceAll('_', '-'),
  );
  const waits = jsonText(body, 'status') === 'WAITING_FOR_SELLER_RESPONSE';
  return answers.find((answer) => linked.includes(answer)) ?? (waits ? 'provide-evidence' : undefined);
}

function defenceForm(answer: Answer, defence: Defence): Payload {
  const input =
    answer === 'provide-supporting-info'
      ? { notes: defenceText(defence) || undefined }
      : { evidences: defence.evidences };
  return multipartForm(input, fileFields[answer], defence.files);
}

/** Whether the merchant's defence is already stored at this stage, submitted by a request with a lost response. */
function hasDefence({ body }: UpstreamDispute, defence: Defence): boolean {
  const stage = jsonText(body, 'dispute_life_cycle_stage');
  const submitted = [...jsonObjects(body, 'evidences'), ...jsonObjects(body, 'supporting_info')]
    .filter((piece) => jsonText(piece, 'source') === 'SUBMITTED_BY_SELLER')
    .filter((piece) => (jsonText(piece, 'dispute_life_cycle_stage') ?? stage) === stage)
    .map((piece) => jsonText(piece, 'notes'));
  const notes = defence.evidences.flatMap((piece) => piece.notes ?? []);
  if (notes.length === 0) return false;
  return notes.every((one) => submitted.includes(one)) || submitted.includes(defenceText(defence));
}

/**
 * Reads the dispute again after a refusal. Between our read and the request the upstream may have accepted another copy of
 * it, sent by a process that died or lost its lock: it keeps no idempotency keys for requests on disputes (PayPal Disputes
 * v1).
 */
async function recheckRefusal(
  session: Session,
  { upstreamId }: AcceptDisputeRequest,
  outcome: DisputeActionOutcome,
  isTaken: (dispute: UpstreamDispute) => boolean,
): Promise<DisputeActionOutcome> {
  if (outcome.kind !== 'refused') return outcome;
  const present = await readDispute(session, upstreamId);
  if (isNoAnswer(present)) return unknown('provider_unavailable', 'refused, and not to be read again');
  return isTaken(present) ? done : outcome;
}

async function move(
  session: Session,
  request: AcceptDisputeRequest,
  action: Answer | 'accept-claim',
  payload: Payload,
): Promise<DisputeActionOutcome> {
  const { reply, duplicate } = await session.send({
    path: `${disputePath(request.upstreamId)}/${action}`,
    key: request.upstreamKey,
    payload,
  });
  const outcome = isNoAnswer(reply) ? reply : moveOutcome(reply);
  if (duplicate && outcome.kind === 'refused') {
    // The earlier copy may have moved the dispute to a stage that does not allow this answer; the next try reads it again.
    return unknown('provider_unavailable', 'refused after an earlier copy');
  }
  return duplicate ? asUnknown(outcome) : outcome;
}

/** Statuses that are about us rather than the dispute, or that are temporary. They leave the dispute unchanged. */
const notAboutDispute: ReadonlySet<number> = new Set([401, 403, 409, 429]);

/** The upstream answers every accepted request with links to the dispute (PayPal Disputes v1, subsequent_action). */
function moveOutcome(answer: Parameters<typeof faultOf>[0]): DisputeActionOutcome | NoAnswer {
  if (isSuccess(answer)) {
    return Array.isArray(answer.body.links) ? done : unknown('provider_error', 'malformed answer');
  }
  const isRefusal = isClientError(answer) && namesError(answer) && !notAboutDispute.has(answer.status);
  return isRefusal && !isStillProcessing(answer)
    ? refused('The processor does not take this for the dispute at its present stage.')
    : faultOf(answer);
}
