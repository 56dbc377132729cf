import type { NoAnswer } from '../../port/port.ts';
import type { RefundFailure, RefundOutcome, RefundReason, RefundRequest } from '../../port/refunds.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { jsonObject, jsonText } from '../../wire/json.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { faultOf, isRejected } from '../wire/error-answer.ts';
import { fromUpstreamAmount, toUpstreamAmount } from '../wire/money.ts';
import type { Session } from '../wire/session.ts';
import { isStoredRefusal } from '../wire/stored-refusal.ts';

const upstreamReasons: Readonly<Record<RefundReason, string>> = {
  duplicate: 'DUPLICATE',
  fraudulent: 'FRAUD',
  requested_by_customer: 'CUSTOMER REQUEST',
  other: 'OTHER',
};

const notAllowed: RefundFailure = {
  code: 'refund_not_allowed',
  message: 'The processor does not allow this payment to be refunded.',
};
const refused: RefundFailure = { code: 'refused', message: 'The processor refused the refund.' };

/** "Original pspReference required for this operation": the payment cannot be refunded. */
const originalRequired = '167';

/**
 * Requests a refund; a notification reports whether it succeeded (Adyen API, `POST /payments/{paymentPspReference}/refunds`).
 */
export async function refund(session: Session, request: RefundRequest): Promise<RefundOutcome> {
  const { psp } = request.upstream;
  const value = toUpstreamAmount(request.amount, request.currency);
  if (psp === undefined || value === undefined) {
    return notExecuted('provider_error', psp === undefined ? 'reference missing' : 'amount not supported');
  }
  const body = {
    merchantAccount: session.merchantAccount,
    amount: { currency: request.currency, value },
    reference: request.refundId,
    merchantRefundReason: request.reason === null ? undefined : upstreamReasons[request.reason],
    ...directive(session, request),
  };
  const path = `/payments/${encodeURIComponent(psp)}/refunds`;
  const ask = () => session.send(path, request.upstreamKey, body);
  const { reply, duplicate } = await ask();
  const outcome = isNoAnswer(reply) ? reply : outcomeOf(reply, request);
  const isRepeat = duplicate || request.isRepeat === true;
  if (isRepeat && outcome.kind === 'failed') return refusedRepeat(reply, (await ask()).reply, request);
  return duplicate ? asUnknown(outcome) : outcome;
}

/**
 * Outcome of a refused repeat. The upstream may refuse it before it looks up what its key did, so it is sent once more. Only
 * a refusal that is returned again is the stored response of the key.
 */
function refusedRepeat(
  first: UpstreamAnswer | NoAnswer,
  second: UpstreamAnswer | NoAnswer,
  request: RefundRequest,
): RefundOutcome {
  if (isNoAnswer(second)) return asUnknown(second);
  const outcome = asUnknown(outcomeOf(second, request));
  if (outcome.kind !== 'failed') return outcome;
  return isStoredRefusal(first, second, request.upstreamKey, request.upstream.psp)
    ? outcome
    : unknown('provider_unavailable', 'refused after an earlier copy');
}

/** The upstream has no field for a note. A simulator reads a test's directive from the field for our application's name. */
const directive = ({ simulated }: Session, { note }: RefundRequest): object =>
  simulated && note?.startsWith('SIM-') ? { applicationInfo: { merchantApplication: { name: note } } } : {};

function outcomeOf(answer: UpstreamAnswer, request: RefundRequest): RefundOutcome {
  if (answer.status === 201) return accepted(answer.body, request);
  if (!isRejected(answer)) return faultOf(answer);
  const failure = answer.errorCode === originalRequired ? notAllowed : refused;
  return { kind: 'failed', upstreamId: jsonText(jsonObject(answer.body), 'pspReference'), failure };
}

/** The upstream repeats the accepted values; any that differ from ours leave the refund in doubt. */
function accepted(body: unknown, request: RefundRequest): RefundOutcome | NoAnswer {
  const answer = jsonObject(body);
  const upstreamId = jsonText(answer, 'pspReference');
  if (upstreamId === null) return unknown('provider_error', 'malformed answer');
  const reference = jsonText(answer, 'reference');
  if (reference !== null && reference !== request.refundId) {
    return unknown('provider_error', 'reference differs');
  }
  const money = answer.amount === undefined ? request : fromUpstreamAmount(jsonObject(answer.amount));
  return money?.amount === request.amount && money.currency === request.currency
    ? { kind: 'pending', upstreamId }
    : unknown('provider_error', 'amount differs');
}

/** Why an accepted refund failed later, by the upstream's reason text (Adyen docs, "Refund"). */
export function refusedLater(reason: string | null): RefundFailure {
  if (/insufficient balance/i.test(reason ?? '')) {
    return {
      code: 'insufficient_balance',
      message: 'The balance at the processor did not cover the refund.',
    };
  }
  return /captured/i.test(reason ?? '')
    ? { code: 'not_captured', message: 'The payment had not been collected yet.' }
    : refused;
}

export const rejectedByScheme: RefundFailure = {
  code: 'rejected_by_scheme',
  message: 'The card scheme rejected the refund.',
};
export const reversed: RefundFailure = {
  code: 'reversed',
  message: 'The refund could not be paid out and the money came back.',
};
