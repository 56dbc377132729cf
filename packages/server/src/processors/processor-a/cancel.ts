import { isNoAnswer, notRuledOut } from '../no-answer.ts';
import type { CancelOutcome, CancelRequest } from '../port.ts';
import { faultOf } from './error-answer.ts';
import type { Session } from './session.ts';

/**
 * Asks to cancel a payment, by our own reference where the upstream's is not known; its notification tells whether it
 * did (Adyen API, `POST /payments/{paymentPspReference}/cancels`, `POST /cancels`).
 */
export async function cancel(session: Session, request: CancelRequest): Promise<CancelOutcome> {
  const { paymentId, upstreamKey, upstream } = request;
  const body = { merchantAccount: session.merchantAccount, reference: paymentId };
  const { reply, duplicate } =
    upstream.psp === undefined
      ? await session.send('/cancels', upstreamKey, { ...body, paymentReference: paymentId })
      : await session.send(`/payments/${encodeURIComponent(upstream.psp)}/cancels`, upstreamKey, body);
  if (!isNoAnswer(reply) && reply.status === 201) {
    return { kind: 'accepted' };
  }
  const fault = isNoAnswer(reply) ? reply : faultOf(reply);
  return duplicate ? notRuledOut(fault) : fault;
}
