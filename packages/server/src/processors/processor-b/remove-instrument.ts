import { isNoAnswer } from '../no-answer.ts';
import type { RemoveInstrumentOutcome, RemoveInstrumentRequest } from '../port/instruments.ts';
import { faultOf, isMissing } from './issues.ts';
import type { Session } from './session.ts';

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
