import type { RemoveInstrumentOutcome, RemoveInstrumentRequest } from '../../port/instruments.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { faultOf, isMissing } from '../wire/issues.ts';
import type { Session } from '../wire/session.ts';

/** Makes the upstream forget a saved card or wallet (PayPal REST Payment Method Tokens v3, "Delete payment token"). */
export async function removeInstrument(
  session: Session,
  request: RemoveInstrumentRequest,
): Promise<RemoveInstrumentOutcome> {
  const { reply } = await session.send({
    method: 'DELETE',
    path: `/v3/vault/payment-tokens/${encodeURIComponent(request.token)}`,
    key: request.upstreamKey,
  });
  if (isNoAnswer(reply)) {
    return reply;
  }
  const removed = reply.status === 204 || isMissing(reply);
  return removed ? { kind: 'removed' } : faultOf(reply);
}
