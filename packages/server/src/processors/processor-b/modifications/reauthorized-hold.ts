import type { NoAnswer, UpstreamIds } from '../../port/port.ts';
import { asUnknown, isNoAnswer } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonText } from '../../wire/json.ts';
import { isHeld, type Order, readOrder } from '../orders/order.ts';
import { isMissing, isSuccess, readFaultOf } from '../wire/issues.ts';
import { orderPath, type Session } from '../wire/session.ts';

/** The payment for which a replacement hold is looked up. */
export interface FormerHold {
  readonly paymentId: string;
  readonly upstream: UpstreamIds;
}

/** What an order shows in place of a hold that no longer exists under its known id. */
export interface Replacement {
  readonly order: Order;
  /** The replacement hold with its id; undefined if nothing is held. */
  readonly hold: { readonly id: string; readonly body: JsonObject } | undefined;
  /** Money was captured and not fully refunded. */
  readonly isCollected: boolean;
}

const collected: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'PENDING']);

/**
 * Looks up the replacement of a hold that no longer exists under its id. A reauthorization, also one made in the upstream's
 * own dashboard, has an id of its own, and the former one is then unknown or voided (PayPal REST Payments v2, "Reauthorize
 * authorized payment").
 * @returns undefined if no order is known, here or at the upstream
 */
export async function findReplacement(
  session: Session,
  { paymentId, upstream }: FormerHold,
): Promise<Replacement | NoAnswer | undefined> {
  if (upstream.order === undefined) return undefined;
  const reply = await session.read(orderPath(upstream.order));
  if (isNoAnswer(reply)) return asUnknown(reply);
  if (!isSuccess(reply)) return isMissing(reply) ? undefined : asUnknown(readFaultOf(reply));
  const order = readOrder(reply.body, { paymentId });
  if (isNoAnswer(order)) return order;
  const body = order.authorizations.find(
    (candidate) => isHeld(candidate) && candidate.id !== upstream.authorization,
  );
  const id = body === undefined ? null : jsonText(body, 'id');
  return {
    order,
    hold: body === undefined || id === null ? undefined : { id, body },
    isCollected: order.captures.some((capture) => collected.has(jsonText(capture, 'status') ?? '')),
  };
}
