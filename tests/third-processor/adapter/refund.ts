import type { RefundOutcome, RefundRequest } from '../../../packages/server/src/processors/port/refunds.ts';
import { isNoAnswer, unknown } from '../../../packages/server/src/processors/upstream/no-answer.ts';
import { jsonText } from '../../../packages/server/src/processors/wire/json.ts';
import { faultOf, type Session } from './client.ts';

/** Refunds a charge. The response is final ("Refunds"). */
export async function refund(session: Session, request: RefundRequest): Promise<RefundOutcome> {
  const { refundId: reference, upstream, amount, currency, upstreamKey } = request;
  const body = { reference, charge: upstream.psp, amount, currency };
  const answer = await session.send('/v1/refunds', body, upstreamKey);
  if (isNoAnswer(answer)) return answer;
  if (answer.error === 'amount_too_high') {
    const failure = { code: 'refund_not_allowed', message: 'More than was paid cannot be given back.' };
    return { kind: 'failed', upstreamId: null, failure };
  }
  const upstreamId = jsonText(answer.body, 'id');
  if (answer.status !== 201) return faultOf(answer);
  return upstreamId === null ? unknown('provider_error', 'no refund') : { kind: 'succeeded', upstreamId };
}
