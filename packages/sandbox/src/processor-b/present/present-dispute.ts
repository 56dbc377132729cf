import type { DisputeStage, DisputeStatus } from '../../directives/dispute-directives.ts';
import type { JsonObject } from '../../lib/json.ts';
import { answerDue, type Dispute, type DisputeStep, stepsUntil } from '../model/dispute.ts';
import { payPalAccountId } from '../model/identities.ts';
import { internetTime } from '../model/order.ts';
import type { View } from './present.ts';

/** The response bodies of PayPal Customer Disputes v1. */

/** PayPal's names of the stages. A second chargeback is a further adjudication at the same stage. */
export const stages: Readonly<Record<DisputeStage, string>> = {
  information_request: 'INQUIRY',
  chargeback: 'CHARGEBACK',
  second_chargeback: 'CHARGEBACK',
  pre_arbitration: 'PRE_ARBITRATION',
  scheme_arbitration: 'ARBITRATION',
};

interface Shown {
  readonly status: string;
  readonly state: string;
  readonly outcome?: string;
  /** The decision, as it stays in the history of the dispute. */
  readonly adjudication?: string;
}

const statuses: Readonly<Record<DisputeStatus, Shown>> = {
  new: { status: 'OPEN', state: 'OPEN_INQUIRIES' },
  action_required: { status: 'WAITING_FOR_SELLER_RESPONSE', state: 'REQUIRED_ACTION' },
  challenged: { status: 'UNDER_REVIEW', state: 'UNDER_PAYPAL_REVIEW' },
  won: {
    status: 'RESOLVED',
    state: 'RESOLVED',
    outcome: 'RESOLVED_SELLER_FAVOUR',
    adjudication: 'DENY_BUYER',
  },
  lost: {
    status: 'RESOLVED',
    state: 'RESOLVED',
    outcome: 'RESOLVED_BUYER_FAVOUR',
    adjudication: 'RECOVER_FROM_SELLER',
  },
  recovered: {
    status: 'RESOLVED',
    state: 'RESOLVED',
    outcome: 'RESOLVED_SELLER_FAVOUR',
    adjudication: 'PAYOUT_TO_SELLER',
  },
  accepted: {
    status: 'RESOLVED',
    state: 'RESOLVED',
    outcome: 'ACCEPTED',
    adjudication: 'RECOVER_FROM_SELLER',
  },
};

/** The actions that a dispute's links can offer, by the last segment of their paths. */
export type DisputeAction =
  | 'provide-evidence'
  | 'accept-claim'
  | 'provide-supporting-info'
  | 'appeal'
  | 'adjudicate'
  | 'require-evidence';

/** Returns the actions that a dispute's position allows. */
export function allowedActions({ state, status }: DisputeStep): readonly DisputeAction[] {
  if (status === 'action_required') return ['provide-evidence', 'accept-claim'];
  if (status === 'challenged') {
    const sandboxOnly = ['adjudicate', 'require-evidence'] as const;
    return state === 'information_request' ? sandboxOnly : ['provide-supporting-info', ...sandboxOnly];
  }
  return status === 'lost' && state === 'chargeback' ? ['appeal'] : [];
}

function linksOf(dispute: Dispute, step: DisputeStep, view: View): JsonObject[] {
  const href = `${view.api}/v1/customer/disputes/${dispute.id}`;
  const actions = allowedActions(step).map((action) => ({
    href: `${href}/${action}`,
    // PayPal's link relations spell the same words with underscores.
    rel: action.replaceAll('-', '_'),
    method: 'POST',
  }));
  return [{ href, rel: 'self', method: 'GET' }, ...actions];
}

function summary(dispute: Dispute, steps: readonly DisputeStep[], step: DisputeStep): JsonObject {
  const shown = statuses[step.status];
  const appealable = allowedActions(step).includes('appeal');
  return {
    dispute_id: dispute.id,
    create_time: internetTime(new Date(steps[0]?.at ?? step.at)),
    update_time: internetTime(new Date(step.at)),
    reason: dispute.reason,
    status: shown.status,
    dispute_state: appealable ? 'APPEALABLE' : shown.state,
    dispute_amount: dispute.amount,
    dispute_life_cycle_stage: stages[step.state],
    dispute_channel: dispute.external ? 'EXTERNAL' : 'INTERNAL',
    ...(step.status === 'action_required' ? { seller_response_due_date: internetTime(answerDue(step)) } : {}),
  };
}

function historyOf(steps: readonly DisputeStep[]): JsonObject {
  const adjudications = steps.flatMap(({ state, status, at }) => {
    const { adjudication } = statuses[status];
    if (adjudication === undefined) return [];
    return {
      type: adjudication,
      adjudication_time: internetTime(new Date(at)),
      dispute_life_cycle_stage: stages[state],
    };
  });
  return adjudications.length === 0 ? {} : { adjudications };
}

function outcomeOf(dispute: Dispute, { status }: DisputeStep): JsonObject {
  const { outcome } = statuses[status];
  if (outcome === undefined) return {};
  const refunded = status === 'lost' || status === 'accepted' ? { amount_refunded: dispute.amount } : {};
  return { dispute_outcome: { outcome_code: outcome, ...refunded } };
}

function evidencesOf({ evidences }: Dispute, step: DisputeStep): JsonObject {
  const requested =
    step.status === 'action_required'
      ? [{ evidence_type: 'PROOF_OF_FULFILLMENT', source: 'REQUESTED_FROM_SELLER' }]
      : [];
  const all = [...requested, ...evidences];
  return all.length === 0 ? {} : { evidences: all };
}

/** A dispute in a list (PayPal Customer Disputes v1, dispute_info). Null before it opens. */
export function showDisputeInfo(dispute: Dispute, view: View): JsonObject | null {
  const steps = stepsUntil(dispute, view.now);
  const step = steps.at(-1);
  if (step === undefined) return null;
  return {
    ...summary(dispute, steps, step),
    links: [{ href: `${view.api}/v1/customer/disputes/${dispute.id}`, rel: 'self', method: 'GET' }],
  };
}

/** A dispute (PayPal Customer Disputes v1, dispute). Null before it opens. */
export function showDispute(dispute: Dispute, view: View): JsonObject | null {
  const steps = stepsUntil(dispute, view.now);
  const step = steps.at(-1);
  if (step === undefined) return null;
  const { schemeReason, supportingInfo } = dispute;
  return {
    ...summary(dispute, steps, step),
    disputed_transactions: [
      {
        seller_transaction_id: dispute.captureId,
        create_time: dispute.capturedAt,
        transaction_status: 'COMPLETED',
        gross_amount: dispute.gross,
        custom: dispute.reference,
        buyer: { name: 'Sandbox Buyer' },
        seller: { merchant_id: payPalAccountId(dispute.merchantAccount) },
      },
    ],
    ...(schemeReason === null ? {} : { external_reason_code: schemeReason }),
    ...outcomeOf(dispute, step),
    ...historyOf(steps),
    ...evidencesOf(dispute, step),
    ...(supportingInfo.length === 0 ? {} : { supporting_info: supportingInfo }),
    ...(step.status === 'action_required'
      ? { allowed_response_options: { accept_claim: { accept_claim_types: ['REFUND'] } } }
      : {}),
    links: linksOf(dispute, step, view),
  };
}
