import {
  findRefundDirective,
  type RefundBehaviour,
  refundReversesMs,
  refundSettlesMs,
} from '../../directives/refund-directives.ts';
import type { Order, Refund, RefundStatus } from './order.ts';

/** Returns what the note of a refund asks for. */
export function refundBehaviour(note: string | null): RefundBehaviour | undefined {
  return note === null ? undefined : findRefundDirective(note, 'processor_b')?.does;
}

export interface RefundMove {
  readonly status: Exclude<RefundStatus, 'PENDING'>;
  readonly at: Date;
}

/**
 * Returns the status changes that a refund makes by itself, in order. A refund that stays pending has none.
 * One that was settled from outside has at most the reversal of its success.
 */
export function refundMoves(refund: Pick<Refund, 'note' | 'createdAt' | 'status'>): RefundMove[] {
  const moves = movesOf(refund);
  if (refund.status === 'PENDING') return moves;
  return refund.status === 'COMPLETED' ? moves.slice(1) : [];
}

function movesOf({ note, createdAt }: Pick<Refund, 'note' | 'createdAt'>): RefundMove[] {
  const after = (ms: number) => new Date(Date.parse(createdAt) + ms);
  const does = refundBehaviour(note);
  if (does === 'stays_pending') return [];
  if (does === 'fails_later') return [{ status: 'FAILED', at: after(refundSettlesMs) }];
  const completed: RefundMove = {
    status: 'COMPLETED',
    at: after(does === 'completes_at_once' ? 0 : refundSettlesMs),
  };
  if (does !== 'reversed') return [completed];
  return [completed, { status: 'FAILED', at: after(refundSettlesMs + refundReversesMs) }];
}

/**
 * Returns the status of a refund at a moment, after its own status changes up to then or after being settled
 * from outside.
 */
export function refundStatus(refund: Refund, now: Date): RefundStatus {
  return refundMoves(refund).findLast(({ at }) => at.getTime() <= now.getTime())?.status ?? refund.status;
}

/** Returns the sum of a capture's refunds with the given statuses, in the merchant's minor units. */
export function refundedAmount({ refunds }: Order, now: Date, ...counted: readonly RefundStatus[]): number {
  const counting = refunds.filter((refund) => counted.includes(refundStatus(refund, now)));
  return counting.reduce((sum, { minorAmount }) => sum + minorAmount, 0);
}

const ledgerStatuses = { PENDING: 'pending', COMPLETED: 'succeeded', FAILED: 'failed' } as const;

/** Returns the status of a refund in the ledger's terms. */
export function ledgerStatus(refund: Refund, now: Date): (typeof ledgerStatuses)[RefundStatus] {
  return ledgerStatuses[refundStatus(refund, now)];
}
