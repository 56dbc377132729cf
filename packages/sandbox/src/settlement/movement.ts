import type { DisputePosition } from '../directives/dispute-directives.ts';

/** What moves money at a simulated processor. */
export type MovementKind = 'payment' | 'refund' | 'refund_reversed' | 'chargeback' | 'chargeback_reversed';

/** One movement of a payout. */
export interface Movement {
  /** The same in every settlement, so that no movement is paid out twice. */
  readonly id: string;
  readonly kind: MovementKind;
  /** In the merchant's minor units, always positive. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
  /** The merchant's own references. `refund` is null if the movement is not about a refund. */
  readonly payment: string;
  readonly refund: string | null;
  /**
   * The upstream's ids of the payment and of the movement's own object, such as the refund or the dispute.
   */
  readonly upstreamPayment: string;
  readonly upstreamId: string;
  readonly brand: string | null;
}

/** Incoming money counts as positive, outgoing money as negative. */
export const signOf = ({ kind }: Pick<Movement, 'kind'>): 1 | -1 =>
  kind === 'payment' || kind === 'refund_reversed' || kind === 'chargeback_reversed' ? 1 : -1;

/** The contents of one payout, all in one currency. */
export interface Batch {
  readonly merchantAccount: string;
  /** The account's payouts are numbered consecutively. */
  readonly number: number;
  readonly currency: string;
  readonly closedAt: Date;
  readonly movements: readonly Movement[];
}

type Step = DisputePosition & { readonly at: string };

/**
 * Returns the movements of a dispute up to a moment. The dispute takes the money when it opens and gives it
 * back when the merchant wins.
 * @param inquiryTakes whether accepting a request for information gives the money to the buyer
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
