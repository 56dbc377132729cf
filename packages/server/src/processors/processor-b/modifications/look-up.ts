import type { LookUpOutcome, LookUpRequest } from '../../port/port.ts';
import { asUnknown, isNoAnswer } from '../../upstream/no-answer.ts';
import { readOrder } from '../orders/order.ts';
import { authorizationSettlement, noDetails, orderSettlement } from '../orders/settlement.ts';
import { isMissing, isSuccess, readFaultOf } from '../wire/issues.ts';
import { authorizationPath, orderPath, type Session } from '../wire/session.ts';
import { findReplacement } from './held-anew.ts';

type Question = Pick<LookUpRequest, 'paymentId' | 'amount' | 'currency' | 'upstream'>;

/**
 * Asks for the outcome of a payment. Without an upstream id there is nothing to read: then only a repeat of the first request
 * under its own key can show the outcome.
 */
export async function lookUp(session: Session, request: LookUpRequest): Promise<LookUpOutcome> {
  const { authorization, order } = request.upstream;
  if (authorization !== undefined) return asUnknown(await readHold(session, request));
  return order === undefined ? { kind: 'cannot_tell' } : asUnknown(await readState(session, order, request));
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
