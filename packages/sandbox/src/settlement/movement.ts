import type { DisputePosition } from '../directives/dispute-directives.ts';

/** What moves money at a simulated processor. */
export type MovementKind = 'payment' | 'refund' | 'refund_reversed' | 'chargeback' | 'chargeback_reversed';

/** One movement that a payout covers. */
export interface Movement {
  /** The same at every settlement, so that none is paid out twice. */
  readonly id: string;
  readonly kind: MovementKind;
  /** In the merchant's minor units, always above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
  /** The merchant's own name of the payment, and of the refund; null where it is none. */
  readonly payment: string;
  readonly refund: string | null;
  /** The upstream's id of the payment, and of what happened to it. */
  readonly upstreamPayment: string;
  readonly upstreamId: string;
  readonly brand: string | null;
}

/** Money that came in counts up, money that went out down. */
export const signOf = ({ kind }: Pick<Movement, 'kind'>): 1 | -1 =>
  kind === 'payment' || kind === 'refund_reversed' || kind === 'chargeback_reversed' ? 1 : -1;

/** What one payout holds, all in one currency. */
export interface Batch {
  readonly merchantAccount: string;
  /** Counts the account's payouts. */
  readonly number: number;
  readonly currency: string;
  readonly closedAt: Date;
  readonly movements: readonly Movement[];
}

type Step = DisputePosition & { readonly at: string };

/**
 * The movements of a dispute up to a moment: it takes the money when it opens, and gives it back once it is won.
 * @param inquiryTakes whether giving in to a request for information gives the money to the buyer
 */
export function disputeMovements(
  dispute: Omit<Movement, 'id' | 'kind' | 'at'>,
  steps: readonly Step[],
  now: Date,
  inquiryTakes: boolean,
): Movement[] {
  const takes = ({ state, status }: Step) =>
    state === 'information_request'
      ? inquiryTakes && status === 'accepted'
      : status !== 'won' && status !== 'recovered';
  const movements: Movement[] = [];
  let taken = false;
  for (const step of steps) {
    const at = new Date(step.at);
    if (at > now || takes(step) === taken) continue;
    taken = !taken;
    const kind = taken ? 'chargeback' : 'chargeback_reversed';
    movements.push({ ...dispute, id: `${dispute.upstreamId} ${movements.length + 1}`, kind, at });
  }
  return movements;
}
