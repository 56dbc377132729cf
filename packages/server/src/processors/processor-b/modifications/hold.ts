import { isRefusal } from '../../port/explain.ts';
import type { CancelRequest, CaptureOutcome, HoldRequest, VoidOutcome } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { jsonText } from '../../wire/json.ts';
import { metadataId } from '../orders/order-request.ts';
import { captureSettlement, noDetails } from '../orders/settlement.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import {
  blames,
  capturedIssues,
  declineOf,
  faultOf,
  holdGoneIssues,
  isMissing,
  isSuccess,
  readFaultOf,
} from '../wire/issues.ts';
import { toMoney } from '../wire/money.ts';
import { authorizationPath, type Reply, type Session } from '../wire/session.ts';
import { readHold } from './look-up.ts';
import { findReplacement } from './reauthorized-hold.ts';

/** Body of `POST /v2/payments/authorizations/{id}/capture`: captures the whole hold, as its final capture. */
export const captureRequest = (request: HoldRequest) => ({
  amount: toMoney(request.amount, request.currency),
  final_capture: true,
  soft_descriptor: request.statementDescriptor || undefined,
});

/** Captures a hold (PayPal REST Payments v2, "Capture authorized payment"), also one that was reauthorized under another id. */
export async function capture(session: Session, request: HoldRequest): Promise<CaptureOutcome> {
  const outcome = await captureKnown(session, request);
  if (outcome.kind !== 'hold_gone') return outcome;
  const next = await findReplacement(session, request);
  if (next === undefined) return outcome;
  if (isNoAnswer(next)) return next;
  return next.hold === undefined ? outcome : captureKnown(session, atNewHold(request, next.hold.id));
}

async function captureKnown(session: Session, request: HoldRequest): Promise<CaptureOutcome> {
  const { authorization } = request.upstream;
  if (authorization === undefined) return notExecuted('provider_error', 'authorization unknown');
  const { reply, duplicate } = await session.send({
    path: `${authorizationPath(authorization)}/capture`,
    key: request.upstreamKey,
    metadataId: metadataId(request.riskSession),
    body: captureRequest(request),
  });
  const outcome = await captureOutcome(session, reply, request);
  return duplicate ? asUnknown(outcome) : outcome;
}

/**
 * The same request for a hold's next id. It has a key of its own, because the upstream may replay the former key's response
 * about the former id.
 */
const atNewHold = <Request extends CancelRequest>(request: Request, authorization: string): Request => ({
  ...request,
  upstreamKey: `${request.upstreamKey}:${authorization}`,
  upstream: { ...request.upstream, authorization },
});

async function captureOutcome(session: Session, reply: Reply, request: HoldRequest): Promise<CaptureOutcome> {
  if (isNoAnswer(reply)) return reply;
  if (isSuccess(reply)) return captureSettlement(reply.body, noDetails, request.upstream, request);
  if (blames(reply, capturedIssues)) return collectedBefore(session, request);
  if (isMissing(reply) || blames(reply, holdGoneIssues)) {
    return unlessCollected(session, request, { kind: 'hold_gone' });
  }
  const code = declineOf(reply);
  if (code === undefined) return faultOf(reply);
  return unlessCollected(session, request, { kind: 'declined', code, facts: idsOnly(request.upstream) });
}

/**
 * Returns the refusal, unless an earlier request captured the hold: the upstream may refuse a repeat before it looks the key
 * up.
 */
async function unlessCollected(
  session: Session,
  request: HoldRequest,
  refusal: CaptureOutcome,
): Promise<CaptureOutcome> {
  const settled = await readHold(session, request);
  if (settled.kind === 'succeeded') return settled;
  return isNoAnswer(settled) && !isRefusal(settled) ? asUnknown(settled) : refusal;
}

/** Outcome of a capture that an earlier request made. */
async function collectedBefore(session: Session, request: HoldRequest): Promise<CaptureOutcome> {
  const settled = await readHold(session, request);
  switch (settled.kind) {
    case 'succeeded':
    case 'declined':
      return settled;
    case 'unknown':
    case 'not_executed':
      return asUnknown(settled);
    default:
      return unknown('provider_error', 'hold not collected');
  }
}

/**
 * Voids a hold (PayPal REST Payments v2, "Void authorized payment"), also one that was reauthorized under another id. A hold
 * that is over or unknown at the upstream counts as voided if its order lists no other.
 */
export async function voidHold(session: Session, request: CancelRequest): Promise<VoidOutcome> {
  const outcome = await voidKnown(session, request);
  if (outcome.kind !== 'gone') return outcome;
  const next = await findReplacement(session, request);
  if (next !== undefined && isNoAnswer(next)) return next;
  if (next?.hold !== undefined) return over(await voidKnown(session, atNewHold(request, next.hold.id)));
  return next?.isCollected === true ? { kind: 'already_captured' } : { kind: 'voided' };
}

/** `gone`: nothing is held under this id, but another hold may have replaced it. */
type Released = VoidOutcome | { readonly kind: 'gone' };

const over = (outcome: Released): VoidOutcome => (outcome.kind === 'gone' ? { kind: 'voided' } : outcome);

async function voidKnown(session: Session, request: CancelRequest): Promise<Released> {
  const { authorization } = request.upstream;
  if (authorization === undefined) return notExecuted('provider_error', 'authorization unknown');
  const path = authorizationPath(authorization);
  const { reply, duplicate } = await session.send({ path: `${path}/void`, key: request.upstreamKey });
  const outcome = isNoAnswer(reply) ? reply : await voidOutcome(session, reply, path);
  return duplicate ? asUnknown(outcome) : outcome;
}

async function voidOutcome(session: Session, reply: UpstreamAnswer, path: string): Promise<Released> {
  if (reply.status === 204) return { kind: 'voided' };
  if (isSuccess(reply)) {
    return stateOutcome(reply) ?? unknown('provider_error', 'unexpected authorization status');
  }
  if (blames(reply, capturedIssues)) return { kind: 'already_captured' };
  if (isMissing(reply) || blames(reply, holdGoneIssues)) return { kind: 'gone' };
  if (reply.status !== 422) return faultOf(reply);
  // The issue alone does not say why the void was refused; the authorization does.
  const state = await session.read(path);
  if (isNoAnswer(state)) return state;
  if (isMissing(state)) return { kind: 'gone' };
  if (!isSuccess(state)) return readFaultOf(state);
  const outcome = stateOutcome(state) ?? faultOf(reply);
  return outcome.kind === 'voided' ? { kind: 'gone' } : outcome;
}

const released: ReadonlySet<string> = new Set(['VOIDED', 'EXPIRED', 'DENIED']);
const collected: ReadonlySet<string> = new Set(['CAPTURED', 'PARTIALLY_CAPTURED']);

function stateOutcome({ body }: UpstreamAnswer): VoidOutcome | undefined {
  const status = jsonText(body, 'status') ?? '';
  if (released.has(status)) return { kind: 'voided' };
  return collected.has(status) ? { kind: 'already_captured' } : undefined;
}
