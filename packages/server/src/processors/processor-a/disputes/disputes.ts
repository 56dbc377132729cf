import type {
  AcceptDisputeRequest,
  DefendDisputeRequest,
  DisputeActionOutcome,
} from '../../port/disputes.ts';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import { type JsonObject, jsonObject } from '../../wire/json.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { faultOf, isRejected } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';
import {
  type DefencePlan,
  type DefenceReason,
  defenceReasons,
  generalReason,
  planDefence,
} from './defence-plan.ts';
import { evidenceDocuments } from './evidence-documents.ts';

type Refusal = Extract<DisputeActionOutcome, { kind: 'refused' }>;
type Fault = Refusal | NoAnswer;

/** The dispute service accepted the request. */
interface Success {
  readonly kind: 'success';
  readonly body: JsonObject;
}

const refused = (message: string): Refusal => ({ kind: 'refused', message });

/** Accepts a dispute (Adyen Disputes API v30, `POST /acceptDispute`). */
export async function acceptDispute(
  session: Session,
  request: AcceptDisputeRequest,
): Promise<DisputeActionOutcome> {
  const { upstreamId, upstreamKey } = request;
  const reply = await session.sendDispute('/acceptDispute', upstreamKey, disputeOf(session, upstreamId));
  const result = resultOf(reply, 'The processor does not let this dispute be accepted.');
  return result.kind === 'success' ? { kind: 'done' } : recheckRefusal(session, request, result);
}

/**
 * Defends a dispute: retrieves the possible defence reasons, supplies the evidence and sends the defence (Adyen Disputes API
 * v30, `POST /retrieveApplicableDefenseReasons`, `/supplyDefenseDocument`, `/defendDispute`). Nothing is sent to the issuer
 * before the last request, so an earlier fault leaves the dispute unchanged.
 */
export async function defendDispute(
  session: Session,
  request: DefendDisputeRequest,
): Promise<DisputeActionOutcome> {
  const documents = evidenceDocuments(request);
  if (documents === undefined) {
    return {
      kind: 'refused',
      message: 'evidence must be PDF and JPEG files on this processor.',
      param: 'evidence',
    };
  }
  const dispute = disputeOf(session, request.upstreamId);
  const offered = resultOf(
    await session.sendDispute('/retrieveApplicableDefenseReasons', undefined, dispute),
    'The processor does not let this dispute be defended.',
  );
  if (offered.kind !== 'success') return undefended(inDoubtOfRepeat(request, offered));
  const reasons = defenceReasons(offered.body);
  const plan =
    reasons.length === 0 ? repeatedDefence(request) : planDefence(reasons, request.reasonCode, documents);
  if (plan === undefined) return whatIsOffered(reasons, request.reasonCode);
  const supplied = await supply(session, request, plan.documents);
  if (supplied !== undefined) return undefended(await recheckRefusal(session, request, supplied));
  const body = { ...dispute, defenseReasonCode: plan.reasonCode };
  const reply = await session.sendDispute('/defendDispute', request.upstreamKey, body);
  const result = resultOf(reply, 'The processor does not take this defence.');
  return result.kind === 'success' ? { kind: 'done' } : recheckRefusal(session, request, result);
}

/** The refusal of a repeat says nothing about the earlier copy of the request. */
const inDoubtOfRepeat = ({ isRepeat }: AcceptDisputeRequest, fault: Fault): Fault =>
  isRepeat === true && fault.kind === 'refused'
    ? unknown('provider_unavailable', 'refused after an earlier copy')
    : fault;

/**
 * A repeat may be refused because the earlier copy was accepted; there is neither an idempotency key nor a look-up (Adyen
 * Disputes API v30). If a defence is still offered, the dispute waits for the merchant and the refusal stands. Otherwise the
 * dispute's notifications report its outcome.
 */
async function recheckRefusal(session: Session, request: AcceptDisputeRequest, fault: Fault): Promise<Fault> {
  const doubtful = inDoubtOfRepeat(request, fault);
  if (doubtful === fault) return fault;
  const dispute = disputeOf(session, request.upstreamId);
  const reply = await session.sendDispute('/retrieveApplicableDefenseReasons', undefined, dispute);
  const offered = resultOf(reply, '');
  return offered.kind === 'success' && defenceReasons(offered.body).length > 0 ? fault : doubtful;
}

/**
 * The upstream offers no reasons for a dispute that cannot be defended, nor for one whose defence it accepted in a request
 * that got no response. Sending the defence shows which case applies.
 */
const repeatedDefence = ({ reasonCode }: DefendDisputeRequest): DefencePlan => ({
  reasonCode: reasonCode ?? generalReason,
  documents: [],
});

const disputeOf = ({ merchantAccount }: Session, upstreamId: string) => ({
  merchantAccountCode: merchantAccount,
  disputePspReference: upstreamId,
});

async function supply(
  session: Session,
  { upstreamId, upstreamKey }: DefendDisputeRequest,
  documents: DefencePlan['documents'],
): Promise<Fault | undefined> {
  if (documents.length === 0) return undefined;
  const defenseDocuments = documents.map(({ typeCode, document }) => ({
    defenseDocumentTypeCode: typeCode,
    contentType: document.contentType,
    content: document.content,
  }));
  const body = { ...disputeOf(session, upstreamId), defenseDocuments };
  const reply = await session.sendDispute('/supplyDefenseDocument', suffixedKey(upstreamKey, ':s'), body);
  const result = resultOf(reply, 'The processor does not take the evidence.');
  return result.kind === 'success' ? undefined : result;
}

/** Interprets a response. @param message explains a refusal to the merchant */
function resultOf(reply: UpstreamAnswer | NoAnswer, message: string): Success | Fault {
  if (isNoAnswer(reply)) return reply;
  if (reply.status !== 200) return isRejected(reply) ? refused(message) : faultOf(reply);
  const body = jsonObject(reply.body);
  const { success } = jsonObject(body.disputeServiceResult);
  if (typeof success !== 'boolean') return unknown('provider_error', 'malformed answer');
  return success ? { kind: 'success', body } : refused(message);
}

/** Whether or not the preparations succeeded, nothing was sent to the issuer. */
const undefended = (fault: Fault): Fault =>
  fault.kind === 'unknown' ? { ...fault, kind: 'not_executed' } : fault;

/** Refuses the defence and states what the merchant can do instead. */
function whatIsOffered(reasons: readonly DefenceReason[], chosen: string | null): Refusal {
  const reason = reasons.find(({ code }) => code === chosen);
  if (reason !== undefined) {
    const types = reason.documentTypes.map(({ code, level }) => `${code} (${level.replaceAll('_', ' ')})`);
    const message = `evidence must fit the reason_code, which takes one file each as: ${listed(types)}.`;
    return { kind: 'refused', message, param: 'evidence' };
  }
  const codes = listed(reasons.map(({ code }) => code));
  if (chosen !== null) {
    const message = `reason_code must be one that the processor offers for this dispute: ${codes}.`;
    return { kind: 'refused', message, param: 'reason_code' };
  }
  const cure = `Give more, join it into fewer files, or name one of these as reason_code: ${codes}.`;
  return { kind: 'refused', message: `evidence fits no defence as it is. ${cure}`, param: 'evidence' };
}

/** Joins the names, leaving out any that does not look like an upstream name. */
const listed = (names: readonly string[]): string =>
  names.filter((name) => /^[A-Za-z0-9_ ()]{1,80}$/.test(name)).join(', ');
