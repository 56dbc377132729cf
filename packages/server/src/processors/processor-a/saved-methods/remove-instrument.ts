import type { RemoveInstrumentOutcome, RemoveInstrumentRequest } from '../../port/instruments.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { faultOf, tokenIsMissing } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';

/**
 * Deletes a stored card permanently (Adyen API, `DELETE /storedPaymentMethods/{storedPaymentMethodId}`). The upstream
 * supports idempotency keys only on POST. A repeated deletion finds nothing, which counts as success.
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
  // A 404 without the upstream's own error code comes from an intermediary.
  const isUnknown = (reply.status === 404 && reply.errorCode !== null) || tokenIsMissing(reply);
  const gone = reply.status === 204 || isUnknown;
  return gone ? { kind: 'removed' } : faultOf(reply);
}
