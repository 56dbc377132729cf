import { isRefusal } from '../../port/explain.ts';
import type { NoAnswer } from '../../port/port.ts';
import type { RefundFailure, RefundLookUp, RefundOutcome, RefundRequest } from '../../port/refunds.ts';
import { asUnknown, isNoAnswer, notExecuted, unknown } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonText } from '../../wire/json.ts';
import { cut, filled } from '../../wire/text.ts';
import { type Order, readOrder } from '../orders/order.ts';
import { capturedPayment } from '../orders/settlement.ts';
import type { UpstreamAnswer } from '../wire/client.ts';
import { blames, faultOf, isClientError, isSuccess, readFaultOf } from '../wire/issues.ts';
import { isAmount, toMoney } from '../wire/money.ts';
import { capturePath, orderPath, type Session } from '../wire/session.ts';

/**
 * Body of `POST /v2/payments/captures/{id}/refund`. It always states the amount, and never relies on the default of all that
 * is left.
 */
export function refundBody(request: RefundRequest) {
  const note = filled(request.note?.replace(/\s+/g, ' '));
  return {
    amount: toMoney(request.amount, request.currency),
    custom_id: request.refundId,
    // Must be unique in the merchant's PayPal account, so that no second refund can succeed with the same id.
    invoice_id: request.refundId,
    note_to_payer: note === undefined ? undefined : cut(note, 255),
  };
}

/** Refunds a capture, in full or in part (PayPal REST Payments v2, "Refund captured payment"). */
export async function refund(session: Session, request: RefundRequest): Promise<RefundOutcome> {
  const capture = request.upstream.capture ?? (await captureOf(session, request));
  if (typeof capture !== 'string') return capture;
  const body = refundBody(request);
  if (body.amount === undefined) return notExecuted('provider_error', 'amount not supported');
  const { reply, duplicate } = await session.send({
    path: `${capturePath(capture)}/refund`,
    key: request.upstreamKey,
    body,
  });
  // A request that was still in progress under this key is an earlier copy too.
  const isRepeat = duplicate || request.isRepeat === true;
  const asked = isRepeat ? { ...request, isRepeat } : request;
  const outcome = isNoAnswer(reply) ? reply : await answeredOutcome(session, reply, asked);
  if (duplicate) return asUnknown(outcome);
  return isRepeat ? outcome : rejected(outcome);
}

/**
 * Converts a refusal for which there is no specific message here into a failed refund. Applies only to a first request: the
 * upstream may refuse a repeat before it looks its key up.
 */
function rejected(outcome: RefundOutcome): RefundOutcome {
  if (!isNoAnswer(outcome) || !isRefusal(outcome)) return outcome;
  const code = outcome.error?.code ?? null;
  const message = `The processor refused the refund${code === null ? '' : ` (code ${code})`}.`;
  return { kind: 'failed', upstreamId: null, failure: { code: 'refused', message } };
}

async function answeredOutcome(
  session: Session,
  answer: UpstreamAnswer,
  request: RefundRequest,
): Promise<RefundOutcome> {
  if (isSuccess(answer)) return refundOutcome(answer.body, request);
  if (blames(answer, duplicateIssues)) {
    // As long as the order does not list our refund, the outcome is unknown.
    return (await refundOfOrder(session, request)) ?? faultOf(answer);
  }
  const failure = refusalOf(answer);
  if (failure === undefined) return faultOf(answer);
  // The refusal may be due to the first request, which already refunded: the upstream may not have looked the key up yet.
  const made = request.isRepeat === true ? await refundOfOrder(session, request) : undefined;
  return made ?? { kind: 'failed', upstreamId: null, failure };
}

/** Reads the outcome of a refund (PayPal REST Payments v2, "Show refund details"). */
export async function lookUpRefund(session: Session, request: RefundLookUp): Promise<RefundOutcome> {
  const reply = await session.read(`/v2/payments/refunds/${encodeURIComponent(request.upstreamId)}`);
  if (isNoAnswer(reply)) return asUnknown(reply);
  return isSuccess(reply) ? refundOutcome(reply.body, request) : asUnknown(readFaultOf(reply));
}

/** Our refund ids are unique, so an id that is taken was taken by an earlier copy of this refund. */
const duplicateIssues: ReadonlySet<string> = new Set(['DUPLICATE_INVOICE_ID']);

/** Finds our refund among those that the order lists; undefined if it is not listed. */
async function refundOfOrder(session: Session, request: RefundRequest): Promise<RefundOutcome | undefined> {
  const order = await readOrderOf(session, request);
  if (isNoAnswer(order)) return asUnknown(order);
  const made = order.refunds.find(({ invoice_id: id }) => id === request.refundId);
  return made && refundOutcome(made, request);
}

/** Finds the capture to refund if only its order is known. */
async function captureOf(session: Session, request: RefundRequest): Promise<string | NoAnswer> {
  const order = await readOrderOf(session, request);
  if (isNoAnswer(order)) return order;
  const capture = capturedPayment(order);
  return (
    (capture === undefined ? null : jsonText(capture, 'id')) ??
    notExecuted('provider_error', 'capture unknown')
  );
}

async function readOrderOf(
  session: Session,
  { upstream, paymentId }: RefundRequest,
): Promise<Order | NoAnswer> {
  if (upstream.order === undefined) return notExecuted('provider_error', 'order unknown');
  const reply = await session.read(orderPath(upstream.order));
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return readFaultOf(reply);
  const order = readOrder(reply.body, { paymentId });
  // A read changes nothing, whatever the response says.
  return isNoAnswer(order) ? { ...order, kind: 'not_executed' } : order;
}

/**
 * The values that a refund in a response has to match: our id for a new refund, the upstream's id for one that is looked up.
 */
type Expected = Pick<RefundRequest, 'amount' | 'currency'> &
  ({ readonly refundId: string } | { readonly upstreamId: string });

/** The upstream may omit our id, but if it is present it must match. */
function isNamed(refunded: JsonObject, expected: Expected): boolean {
  if ('upstreamId' in expected) return jsonText(refunded, 'id') === expected.upstreamId;
  const names = [jsonText(refunded, 'custom_id'), jsonText(refunded, 'invoice_id')];
  return names.includes(expected.refundId) || names.every((name) => name === null);
}

/**
 * Reads a refund from a response. Another refund, or one of another amount, counts as no answer (PayPal REST Payments v2,
 * refund).
 */
function refundOutcome(refunded: JsonObject, expected: Expected): RefundOutcome {
  const { amount, currency } = expected;
  const upstreamId = jsonText(refunded, 'id');
  if (upstreamId === null) return unknown('provider_error', 'malformed answer');
  if (!isNamed(refunded, expected)) return unknown('provider_error', 'reference differs');
  if (refunded.amount !== undefined && !isAmount(refunded.amount, amount, currency)) {
    return unknown('provider_error', 'amount differs');
  }
  const status = refundStatus(refunded);
  switch (status) {
    case 'succeeded':
    case 'pending':
      return { kind: status, upstreamId };
    case 'unknown':
      return unknown('provider_error', 'unexpected refund status');
    default:
      return { kind: 'failed', upstreamId, failure: status };
  }
}

/** Meaning of a refund's status (PayPal REST Payments v2, refund_status). */
export function refundStatus(refunded: JsonObject): 'succeeded' | 'pending' | 'unknown' | RefundFailure {
  switch (jsonText(refunded, 'status')) {
    case 'COMPLETED':
      return 'succeeded';
    case 'PENDING':
      return 'pending';
    case 'FAILED':
      return { code: 'refund_failed', message: 'The processor could not complete the refund.' };
    case 'CANCELLED':
      return { code: 'refund_cancelled', message: 'The refund was cancelled at the processor.' };
    default:
      return 'unknown';
  }
}

/** Issues that rule the refund out, now and on a repeat (PayPal REST Payments v2, captures.refund-422). */
export const refundRefusals: ReadonlyMap<string, string> = new Map([
  ['CAPTURE_FULLY_REFUNDED', 'The payment is refunded in full already.'],
  ['REFUND_AMOUNT_EXCEEDED', 'The amount is more than what is left of the payment.'],
  ['REFUND_AMOUNT_TOO_LOW', 'The amount is too low to be refunded.'],
  ['REFUND_FAILED_INSUFFICIENT_FUNDS', 'The funds of the processor account do not cover the refund.'],
  ['REFUND_TIME_LIMIT_EXCEEDED', 'The payment is too old to be refunded.'],
  ['REFUND_NOT_ALLOWED', 'The processor does not allow this refund.'],
  ['PARTIAL_REFUND_NOT_ALLOWED', 'This payment can only be refunded in full.'],
  ['REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'The payment has a chargeback.'],
  ['TRANSACTION_DISPUTED', 'The payment is disputed, so no part of it can be refunded now.'],
  ['MAX_NUMBER_OF_REFUNDS_EXCEEDED', 'The payment has as many refunds as the processor allows.'],
  ['REFUND_IS_RESTRICTED', 'Only the processor account that took the payment can refund it.'],
  ['PENDING_CAPTURE', 'The payment is not complete at the processor yet.'],
  ['PAYEE_ACCOUNT_LOCKED_OR_CLOSED', 'The processor account is locked or closed.'],
  ['PAYEE_ACCOUNT_RESTRICTED', 'The processor account is restricted.'],
  ['PAYER_ACCOUNT_LOCKED_OR_CLOSED', "The buyer's account is locked or closed."],
  ['PAYER_ACCOUNT_RESTRICTED', "The buyer's account is restricted."],
  ['INVALID_RESOURCE_ID', 'The processor does not know the payment.'],
]);

function refusalOf(answer: UpstreamAnswer): RefundFailure | undefined {
  if (!isClientError(answer) || answer.status === 401) return undefined;
  for (const { code } of answer.issues) {
    const message = refundRefusals.get(code);
    if (message !== undefined) return { code: code.toLowerCase(), message };
  }
  return undefined;
}
