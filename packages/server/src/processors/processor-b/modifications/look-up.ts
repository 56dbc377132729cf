import type { LookUpOutcome, LookUpRequest } from '../../port/port.ts';
import { asUnknown, isNoAnswer } from '../../upstream/no-answer.ts';
import { readOrder } from '../orders/order.ts';
import {
  authorizationSettlement,
  captureSettlement,
  noDetails,
  orderSettlement,
} from '../orders/settlement.ts';
import { isMissing, isSuccess, readFaultOf } from '../wire/issues.ts';
import { authorizationPath, orderPath, type Session } from '../wire/session.ts';
import { readKnownCapture } from './known-capture.ts';
import { findReplacement } from './reauthorized-hold.ts';

type Question = Pick<LookUpRequest, 'paymentId' | 'amount' | 'currency' | 'upstream'>;

/** After these states a capture that a notification named may still show an outcome. */
const undecided: ReadonlySet<string> = new Set(['nothing', 'open', 'cannot_tell']);

/**
 * Asks for the outcome of a payment. Without an upstream id there is nothing to read: then only a repeat of the first request
 * under its own key can show the outcome.
 */
export async function lookUp(session: Session, request: LookUpRequest): Promise<LookUpOutcome> {
  const state = await readHoldOrOrder(session, request);
  return asUnknown(undecided.has(state.kind) ? ((await readCapture(session, request)) ?? state) : state);
}

async function readHoldOrOrder(session: Session, request: Question): Promise<LookUpOutcome> {
  const { authorization, order } = request.upstream;
  if (authorization !== undefined) return readHold(session, request);
  return order === undefined ? { kind: 'cannot_tell' } : readState(session, order, request);
}

/** Outcome of the known capture; undefined if none is known. Only its order has the card, but the capture alone settles. */
async function readCapture(session: Session, request: Question): Promise<LookUpOutcome | undefined> {
  const capture = await readKnownCapture(session, request);
  if (capture === undefined || isNoAnswer(capture)) return capture;
  const { order = request.upstream.order } = capture;
  if (order !== undefined && order !== request.upstream.order) {
    const state = await readState(session, order, request);
    if ('facts' in state || isNoAnswer(state)) return state;
  }
  const ids = { ...request.upstream, ...(order === undefined ? {} : { order }) };
  return captureSettlement(capture.body, noDetails, ids, request);
}

/** State of a hold, also of one that was reauthorized under another id (PayPal REST Payments v2). */
export async function readHold(session: Session, request: Question): Promise<LookUpOutcome> {
  const known = await readKnown(session, request);
  if (known.kind !== 'nothing' && known.kind !== 'voided') return known;
  const next = await findReplacement(session, request);
  if (next === undefined) return known;
  if (isNoAnswer(next)) return next;
  const { order, hold, isCollected } = next;
  if (isCollected) return orderSettlement(order, request);
  return hold === undefined ? known : authorizationSettlement(hold.body, order, { order: order.id }, request);
}

/** Reads the hold under its known id. After a capture the order is read for the capture's id. */
async function readKnown(session: Session, request: Question): Promise<LookUpOutcome> {
  const { authorization = '', order } = request.upstream;
  const reply = await session.read(authorizationPath(authorization));
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return isMissing(reply) ? { kind: 'nothing' } : readFaultOf(reply);
  const settlement = authorizationSettlement(reply.body, noDetails, request.upstream, request);
  return settlement.kind === 'succeeded' && order !== undefined
    ? readState(session, order, request)
    : settlement;
}

const openStatuses: ReadonlySet<string> = new Set(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED', 'APPROVED']);

/** State of an order. The upstream deletes orders that were not approved in time (PayPal REST Orders v2). */
async function readState(session: Session, id: string, request: Question): Promise<LookUpOutcome> {
  const reply = await session.read(orderPath(id));
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return isMissing(reply) ? { kind: 'nothing' } : readFaultOf(reply);
  const order = readOrder(reply.body, request);
  if (isNoAnswer(order)) return order;
  if (openStatuses.has(order.status)) return { kind: 'open' };
  return order.status === 'VOIDED' ? { kind: 'voided' } : orderSettlement(order, request);
}
