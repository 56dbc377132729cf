import type { NoAnswer, UpstreamIds } from '../../port/port.ts';
import { isNoAnswer, unknown } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';
import { differenceOf } from '../orders/order.ts';
import { isMissing, isSuccess, readFaultOf } from '../wire/issues.ts';
import { capturePath, type Session } from '../wire/session.ts';

/** A capture as the upstream shows it. */
export interface KnownCapture {
  readonly body: JsonObject;
  /** The order of the capture; undefined if the capture does not name it. */
  readonly order: string | undefined;
}

/**
 * Reads the payment's capture by its id (PayPal REST Payments v2, "Show captured payment details"). A notification may name the
 * capture without its order, or before the order shows it.
 * @returns undefined if no capture is known, here or at the upstream
 */
export async function readKnownCapture(
  session: Session,
  { paymentId, upstream }: { readonly paymentId: string; readonly upstream: UpstreamIds },
): Promise<KnownCapture | NoAnswer | undefined> {
  if (upstream.capture === undefined) return undefined;
  const reply = await session.read(capturePath(upstream.capture));
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return isMissing(reply) ? undefined : readFaultOf(reply);
  const { body } = reply;
  if (jsonText(body, 'status') === null) return unknown('provider_error', 'malformed answer');
  const difference = differenceOf(body, { paymentId });
  if (difference !== undefined) return unknown('provider_error', difference);
  const related = jsonObject(jsonObject(body.supplementary_data).related_ids);
  return { body, order: jsonText(related, 'order_id') ?? undefined };
}
