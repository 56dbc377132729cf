import type { DisputeFacts, DisputeReason, DisputeState, DisputeStatus } from '../../port/disputes.ts';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notExecuted } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonObjects, jsonText } from '../../wire/json.ts';
import { isSuccess, readFaultOf } from '../wire/issues.ts';
import { fromMoney } from '../wire/money.ts';
import type { Session } from '../wire/session.ts';
import { instant } from '../wire/time.ts';

/** A dispute in its current state at the upstream. */
export interface UpstreamDispute {
  readonly facts: DisputeFacts;
  readonly body: JsonObject;
}

/** Path of a dispute (PayPal Disputes v1). */
export const disputePath = (id: string): string => `/v1/customer/disputes/${encodeURIComponent(id)}`;

/** Reads a dispute (PayPal Disputes v1, "Show dispute details"). */
export async function readDispute(session: Session, id: string): Promise<UpstreamDispute | NoAnswer> {
  const reply = await session.read(disputePath(id));
  if (isNoAnswer(reply)) return reply;
  if (!isSuccess(reply)) return readFaultOf(reply);
  return jsonText(reply.body, 'dispute_id') === id
    ? { facts: disputeFacts(id, reply.body), body: reply.body }
    : notExecuted('provider_error', 'malformed answer');
}

const states: ReadonlyMap<string, DisputeState> = new Map([
  ['INQUIRY', 'information_request'],
  ['CHARGEBACK', 'chargeback'],
  ['PRE_ARBITRATION', 'pre_arbitration'],
  ['ARBITRATION', 'scheme_arbitration'],
]);

const openStatuses: ReadonlyMap<string, DisputeStatus> = new Map([
  ['OPEN', 'new'],
  ['WAITING_FOR_SELLER_RESPONSE', 'action_required'],
  ['WAITING_FOR_BUYER_RESPONSE', 'challenged'],
  ['UNDER_REVIEW', 'challenged'],
]);

/** RESOLVED_WITH_PAYOUT: the upstream itself pays the buyer, and the merchant loses nothing. */
const outcomes: ReadonlyMap<string, DisputeStatus> = new Map([
  ['RESOLVED_SELLER_FAVOUR', 'won'],
  ['CANCELED_BY_BUYER', 'won'],
  ['DENIED', 'won'],
  ['RESOLVED_WITH_PAYOUT', 'won'],
  ['RESOLVED_BUYER_FAVOUR', 'lost'],
  ['ACCEPTED', 'accepted'],
]);

const reasons: ReadonlyMap<string, DisputeReason> = new Map([
  ['UNAUTHORISED', 'fraudulent'],
  ['PROBLEM_WITH_REMITTANCE', 'processing_error'],
  ['DUPLICATE_TRANSACTION', 'duplicate'],
  ['PAYMENT_BY_OTHER_MEANS', 'paid_by_other_means'],
  ['INCORRECT_AMOUNT', 'incorrect_amount'],
  ['MERCHANDISE_OR_SERVICE_NOT_RECEIVED', 'product_not_received'],
  ['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'product_unacceptable'],
  ['CANCELED_RECURRING_BILLING', 'subscription_canceled'],
  ['CREDIT_NOT_PROCESSED', 'credit_not_processed'],
  ['OTHER', 'general'],
]);

/** Extracts the facts of a dispute (PayPal Disputes v1, dispute). */
function disputeFacts(upstreamId: string, dispute: JsonObject): DisputeFacts {
  const transaction = jsonObjects(dispute, 'disputed_transactions')[0] ?? {};
  const money = fromMoney(dispute.dispute_amount);
  const capture = jsonText(transaction, 'seller_transaction_id');
  const paymentId = [jsonText(transaction, 'custom'), jsonText(transaction, 'invoice_number')].find(
    (name) => name !== null && /^pay_[0-9a-z]{1,60}$/.test(name),
  );
  return {
    upstreamId,
    paymentId: paymentId ?? null,
    payment: capture === null ? {} : { capture },
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
    state: disputeState(dispute),
    status: disputeStatus(dispute),
    reason: reasons.get(jsonText(dispute, 'reason') ?? '') ?? null,
    networkReasonCode: jsonText(dispute, 'external_reason_code'),
    respondBy: instant(jsonText(dispute, 'seller_response_due_date')),
    raisedAt: instant(jsonText(dispute, 'create_time')),
    arn: null,
  };
}

/**
 * The upstream uses the same stage for a chargeback that is raised again after the seller won; only the earlier decisions
 * show the difference. An inquiry that the seller won does not count as an earlier chargeback.
 */
function disputeState(dispute: JsonObject): DisputeState | null {
  const state = states.get(jsonText(dispute, 'dispute_life_cycle_stage') ?? '') ?? null;
  if (state !== 'chargeback') return state;
  const decided = jsonObjects(dispute, 'adjudications');
  // In a resolved dispute the last decision is the current one, not an earlier one.
  const past = jsonText(dispute, 'status') === 'RESOLVED' ? decided.slice(0, -1) : decided;
  return past.some(wonChargeback) ? 'second_chargeback' : state;
}

/** Decisions in the seller's favour; PAYOUT_TO_SELLER follows a loss. */
const forSeller: ReadonlySet<string | null> = new Set(['DENY_BUYER', 'PAYOUT_TO_SELLER']);

const wonChargeback = (decision: JsonObject): boolean =>
  forSeller.has(jsonText(decision, 'type')) && jsonText(decision, 'dispute_life_cycle_stage') !== 'INQUIRY';

function disputeStatus(dispute: JsonObject): DisputeStatus | null {
  const status = jsonText(dispute, 'status') ?? '';
  if (status !== 'RESOLVED') return openStatuses.get(status) ?? null;
  const outcome = jsonText(jsonObject(dispute.dispute_outcome), 'outcome_code');
  return outcomes.get(outcome ?? '') ?? null;
}
