import type { CancelOutcome, CancelRequest } from '../../port/port.ts';
import { asUnknown, isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { jsonText } from '../../wire/json.ts';
import { isHeld, type Order, readOrder } from '../orders/order.ts';
import { faultOf, isMissing, isSuccess } from '../wire/issues.ts';
import { orderPath, type Session } from '../wire/session.ts';
import { voidHold } from './hold.ts';
import { readKnownCapture } from './known-capture.ts';

/**
 * Makes sure that nothing remains held. An order that was never completed needs no request: only we can make the upstream
 * charge it, and the upstream cannot cancel it either (PayPal REST Orders v2).
 */
export async function cancel(session: Session, request: CancelRequest): Promise<CancelOutcome> {
  const { authorization, order: id } = request.upstream;
  if (authorization !== undefined) {
    const released = await release(session, request);
    // The order shows whether a captured amount was refunded since.
    if (released.kind !== 'already_captured' || id === undefined) return released;
  }
  if (id === undefined) {
    return (await cancelCaptured(session, request)) ?? unknown('provider_unavailable', 'order unknown');
  }
  const reply = await session.read(orderPath(id));
  if (isNoAnswer(reply)) return asUnknown(reply);
  if (!isSuccess(reply) && !isMissing(reply)) return asUnknown(faultOf(reply));
  const order = isMissing(reply) ? undefined : readOrder(reply.body, { paymentId: request.paymentId });
  if (order !== undefined && isNoAnswer(order)) return order;
  if (order?.status === 'COMPLETED') return cancelCompleted(session, order, request);
  return (await cancelCaptured(session, request)) ?? { kind: 'cancelled' };
}

/** Whether the known capture still costs the buyer money; undefined if none is known. */
async function cancelCaptured(session: Session, request: CancelRequest): Promise<CancelOutcome | undefined> {
  const capture = await readKnownCapture(session, request);
  if (capture === undefined) return undefined;
  if (isNoAnswer(capture)) return asUnknown(capture);
  return cancelCompleted(session, { captures: [capture.body], authorizations: [] }, request);
}

/** Statuses of a capture that cost the buyer nothing. */
const costFree: ReadonlySet<string> = new Set(['REFUNDED', 'DECLINED', 'FAILED', 'DENIED']);
const charged: ReadonlySet<string> = new Set([
  'COMPLETED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'CAPTURED',
  'PARTIALLY_CAPTURED',
]);

async function cancelCompleted(
  session: Session,
  order: Pick<Order, 'captures' | 'authorizations'>,
  request: CancelRequest,
): Promise<CancelOutcome> {
  const captures = order.captures.map((capture) => jsonText(capture, 'status') ?? '');
  const statuses = [...captures, ...order.authorizations.map((payment) => jsonText(payment, 'status'))];
  if (statuses.length === 0) return unknown('provider_error', 'payment missing');
  if (captures.includes('REFUNDED') && captures.every((status) => costFree.has(status))) {
    return { kind: 'cancelled' };
  }
  if (statuses.some((status) => charged.has(status ?? ''))) return { kind: 'already_captured' };
  if (captures.includes('PENDING')) return unknown('provider_unavailable', 'capture pending');
  const held = order.authorizations.find(isHeld);
  const id = held === undefined ? null : jsonText(held, 'id');
  if (id === null) return { kind: 'cancelled' };
  return release(session, { ...request, upstream: { ...request.upstream, authorization: id } });
}

async function release(session: Session, request: CancelRequest): Promise<CancelOutcome> {
  const outcome = await voidHold(session, request);
  return outcome.kind === 'voided' ? { kind: 'cancelled' } : outcome;
}
