import type { CancelOutcome, CancelRequest } from '../../port/port.ts';
import { asUnknown, isNoAnswer } from '../../upstream/no-answer.ts';
import { suffixedKey } from '../../upstream/repeat.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import { faultOf } from '../wire/error-answer.ts';
import type { Session } from '../wire/session.ts';

/**
 * Requests the cancellation of a payment. By the upstream's reference this works whether or not the payment was captured; by
 * our own reference it cancels only what was not captured. An accepted request proves nothing: its notification
 * (CANCEL_OR_REFUND, TECHNICAL_CANCEL) reports whether it succeeded (Adyen Checkout API v71, `POST
 * /payments/{paymentPspReference}/reversals`, `POST /cancels`).
 */
export async function cancel(session: Session, request: CancelRequest): Promise<CancelOutcome> {
  const { paymentId, upstreamKey, upstream } = request;
  const body = { merchantAccount: session.merchantAccount, reference: paymentId };
  const { reply, duplicate } =
    upstream.psp === undefined
      ? await session.send('/cancels', upstreamKey, { ...body, paymentReference: paymentId })
      : await session.send(
          `/payments/${encodeURIComponent(upstream.psp)}/reversals`,
          // Under the key of another request the upstream would replay that request's response, and reverse nothing.
          suffixedKey(upstreamKey, `:${upstream.psp}`),
          body,
        );
  const isTaken = !isNoAnswer(reply) && reply.status === 201;
  if (isTaken && jsonText(jsonObject(reply.body), 'status') === 'received') return { kind: 'accepted' };
  const fault = isNoAnswer(reply) ? reply : faultOf(reply);
  return duplicate ? asUnknown(fault) : fault;
}
