import type { ConfirmOutcome, ConfirmRequest } from '../../port/port.ts';
import { idsOnly } from '../../upstream/facts.ts';
import { isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { declinedOrder, readOrder } from '../orders/order.ts';
import { finalFailure } from '../orders/three-d-secure.ts';
import { isMissing, isSuccess, readFaultOf } from '../wire/issues.ts';
import { orderPath, type Session } from '../wire/session.ts';
import { completeOrder, settledOrder } from './complete.ts';

/** Charges the order if the buyer has approved it (PayPal REST Orders v2, "Show order details"). */
export async function confirm(session: Session, request: ConfirmRequest): Promise<ConfirmOutcome> {
  const id = request.upstream.order;
  if (id === undefined) return notExecuted('provider_error', 'order unknown');
  const reply = await session.read(orderPath(id));
  if (isNoAnswer(reply)) return reply;
  if (isMissing(reply)) return { kind: 'declined', code: 'not_processed', facts: idsOnly({ order: id }) };
  if (!isSuccess(reply)) return readFaultOf(reply);
  const order = readOrder(reply.body, request);
  if (isNoAnswer(order)) return order;
  switch (order.status) {
    case 'COMPLETED':
      return settledOrder(order, request);
    case 'VOIDED':
      return declinedOrder(order, 'not_processed');
    case 'APPROVED':
      return completeOrder(session, order, request);
    case 'CREATED':
    case 'SAVED':
    case 'PAYER_ACTION_REQUIRED': {
      const failure = finalFailure(order.authentication, request.authentication);
      return failure === undefined
        ? { kind: 'not_approved', redirectUrl: order.redirectUrl }
        : declinedOrder(order, failure);
    }
    default:
      return unknown('provider_error', 'unexpected order status');
  }
}
