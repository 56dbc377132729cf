import {
  type DisputePosition,
  type DisputeStage,
  disputeAnswerMs,
  disputeStepMs,
  findDisputeDirective,
} from '../../directives/dispute-directives.ts';
import type { JsonObject } from '../../lib/json.ts';
import { halfOf, moneyOf } from './amounts.ts';
import { disputeId } from './identities.ts';
import type { Money, Order } from './order.ts';

/** The stored representation of a dispute, and the rules for its course. */

export interface DisputeStep extends DisputePosition {
  /** ISO 8601 with milliseconds. */
  readonly at: string;
}

export interface Dispute {
  readonly id: string;
  readonly merchantAccount: string;
  /** The merchant's own id of the payment. */
  readonly reference: string;
  readonly captureId: string;
  readonly capturedAt: string;
  readonly gross: Money;
  readonly amount: Money;
  /** PayPal's term, and the card scheme's code if the payment was by card. */
  readonly reason: string;
  readonly schemeReason: string | null;
  /** Whether the buyer's bank opened the dispute rather than the buyer. */
  readonly external: boolean;
  /** In order. Steps in the future happen by themselves unless somebody acts before. */
  readonly steps: readonly DisputeStep[];
  /**
   * The positions that follow if the first position is defended. If empty, the merchant wins, as after a
   * defence of any later position.
   */
  readonly afterDefence: readonly DisputePosition[];
  readonly evidences: readonly JsonObject[];
  readonly supportingInfo: readonly JsonObject[];
}

/** Returns the steps of a dispute up to a moment. Empty before the dispute opens. */
export function stepsUntil({ steps }: Dispute, now: Date): readonly DisputeStep[] {
  return steps.filter(({ at }) => Date.parse(at) <= now.getTime());
}

/** Returns the current position of a dispute, or undefined before it opens. */
export function positionAt(dispute: Dispute, now: Date): DisputeStep | undefined {
  return stepsUntil(dispute, now).at(-1);
}

/** Returns the merchant's deadline to respond. */
export function answerDue(step: DisputeStep): Date {
  return new Date(Date.parse(step.at) + disputeAnswerMs);
}

function stepsFrom(start: Date, positions: readonly DisputePosition[]): DisputeStep[] {
  return positions.map(({ state, status }, index) => ({
    state,
    status,
    at: new Date(start.getTime() + index * disputeStepMs).toISOString(),
  }));
}

/** Continues a dispute with these steps, one every few seconds, instead of those planned for the future. */
export function continueWith(dispute: Dispute, positions: readonly DisputePosition[], now: Date): Dispute {
  return { ...dispute, steps: [...stepsUntil(dispute, now), ...stepsFrom(now, positions)] };
}

/** Continues a dispute after the merchant's defence: under review, then the positions that follow. */
export function defended(dispute: Dispute, now: Date): Dispute {
  const taken = stepsUntil(dispute, now);
  const state = taken.at(-1)?.state ?? 'chargeback';
  const { afterDefence } = dispute;
  const led = taken.length === 1 && afterDefence.length > 0;
  const next: readonly DisputePosition[] = led ? afterDefence : [{ state, status: 'won' }];
  return continueWith(dispute, [{ state, status: 'challenged' }, ...next], now);
}

/** Visa's and Mastercard's codes for PayPal's dispute reasons, as an acquirer reports them. */
const schemeReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  visa: {
    UNAUTHORISED: '10.4',
    PROBLEM_WITH_REMITTANCE: '12.7',
    DUPLICATE_TRANSACTION: '12.6.1',
    PAYMENT_BY_OTHER_MEANS: '12.6.2',
    INCORRECT_AMOUNT: '12.5',
    MERCHANDISE_OR_SERVICE_NOT_RECEIVED: '13.1',
    MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: '13.3',
    CANCELED_RECURRING_BILLING: '13.2',
    CREDIT_NOT_PROCESSED: '13.6',
  },
  mastercard: {
    UNAUTHORISED: '4837',
    PROBLEM_WITH_REMITTANCE: '4834',
    DUPLICATE_TRANSACTION: '4834',
    INCORRECT_AMOUNT: '4831',
    MERCHANDISE_OR_SERVICE_NOT_RECEIVED: '4853',
    MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: '4853',
    CANCELED_RECURRING_BILLING: '4841',
    CREDIT_NOT_PROCESSED: '4860',
  },
};

export interface Opening {
  /** Distinguishes the disputes of one capture. */
  readonly number: number;
  /** In minor units, at most the captured amount. */
  readonly minorAmount: number;
  /** PayPal's term for the reason (PayPal Customer Disputes v1, dispute_reason). */
  readonly reason: string;
  readonly positions: readonly DisputePosition[];
  readonly afterDefence: readonly DisputePosition[];
  readonly at: Date;
}

/** Creates a dispute of an order's capture. Returns null if nothing was captured. */
export function disputeOf(order: Order, opening: Opening): Dispute | null {
  const { capture, card, merchantAccount } = order;
  if (capture?.status !== 'COMPLETED') return null;
  return {
    id: disputeId(merchantAccount, `${capture.id} ${opening.number}`),
    merchantAccount,
    reference: order.reference,
    captureId: capture.id,
    capturedAt: capture.createdAt,
    gross: capture.amount,
    amount: moneyOf(opening.minorAmount, capture.amount.currency_code),
    reason: opening.reason,
    schemeReason: schemeReasons[card?.brand ?? '']?.[opening.reason] ?? null,
    external: card !== null,
    steps: stepsFrom(opening.at, opening.positions),
    afterDefence: opening.afterDefence,
    evidences: [],
    supportingInfo: [],
  };
}

/** The first position of a dispute. Most stages wait for the merchant; arbitration is already in progress. */
export function openingPositions(state: DisputeStage): DisputePosition[] {
  return [{ state, status: state === 'scheme_arbitration' ? 'challenged' : 'action_required' }];
}

/** Creates the dispute that an order's directive asks for, after the capture. */
export function directedDispute(order: Order, now: Date): Dispute | null {
  const directive = order.directive === null ? undefined : findDisputeDirective(order.directive);
  if (directive === undefined || order.capture === null) return null;
  const { minorAmount, amount } = order.capture;
  const { opens, next, goesOnAlone, share } = directive;
  const opening = openingPositions(opens);
  return disputeOf(order, {
    number: 1,
    minorAmount: share === 'half' ? halfOf(minorAmount, amount.currency_code) : minorAmount,
    reason: 'UNAUTHORISED',
    positions: goesOnAlone ? [...opening, ...next] : opening,
    afterDefence: next,
    at: new Date(now.getTime() + disputeStepMs),
  });
}
