import type { RemoveInstrumentOutcome, RemoveInstrumentRequest } from '../../port/instruments.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { faultOf, tokenIsMissing } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';

/**
 * Removes a stored card for good (Adyen API, `DELETE /storedPaymentMethods/{storedPaymentMethodId}`). The upstream
 * takes idempotency keys on POST only; a second removal finds nothing, which is as good.
 */
export async function removeInstrument(
  session: Session,
  { token, customerId }: RemoveInstrumentRequest,
): Promise<RemoveInstrumentOutcome> {
  const query = new URLSearchParams({
    shopperReference: customerId,
    merchantAccount: session.merchantAccount,
  });
  const reply = await session.remove(
    `/storedPaymentMethods/${encodeURIComponent(token)}?${query.toString()}`,
  );
  if (isNoAnswer(reply)) return reply;
  // Without the upstream's own code it is something in between that found nothing.
  const isUnknown = (reply.status === 404 && reply.errorCode !== null) || tokenIsMissing(reply);
  const gone = reply.status === 204 || isUnknown;
  return gone ? { kind: 'removed' } : faultOf(reply);
}
