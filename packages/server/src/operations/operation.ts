import type { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Connected } from '../processors/port/connected.ts';
import type { NoAnswer } from '../processors/port/port.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/**
 * Every kind of operation, grouped into lanes. Recovery gives each lane its own places: however many operations of one lane are
 * open, and however slow they are, no other lane waits for them. Some kinds are no request of a merchant: `track_refund` (the
 * processor has the refund and has not said how it ends), `settle_refund` (it has made the refund, which Till shows as succeeded
 * a second later), `expire` and `conclude` (nobody confirmed the payment, or answered the dispute, in time), and `cancel` (of
 * what the processor may still carry out for a payment that is over here).
 */
export const lanes = {
  payments: ['charge', 'confirm', 'capture', 'void', 'expire', 'cancel'],
  refunds: ['refund', 'track_refund', 'settle_refund'],
  disputes: ['accept', 'defend', 'conclude'],
  removals: ['remove'],
} as const;
export type Lane = keyof typeof lanes;
export type OperationKind = (typeof lanes)[Lane][number];
export const operationKinds: readonly OperationKind[] = Object.values(lanes).flat();

/** Reports an incident that an operator has to look at. @param about the object concerned; null: the account as a whole */
export type OnIncident = (
  account: Pick<Tenant, 'accountId'>,
  message: string,
  about: { readonly id: string } | null,
  error?: unknown,
) => void;

/** The process that works on an operation, and until when (real time) no other may. */
export interface Lease {
  readonly owner: number;
  readonly until: Date;
}

/** An operation for which no definite answer of the processor is recorded yet. */
export interface OpenOperation {
  readonly tenant: TenantId;
  /** Id of the payment, refund, dispute or saved method that the operation changes. */
  readonly subject: string;
  readonly kind: OperationKind;
  /** The idempotency key at the processor: the same until it has given a definite answer. */
  readonly upstream_key: string;
  /** How many attempts ended without a definite answer: those of recovery, and the first request. */
  readonly tries: number;
  /** End of the lease (real time). It also identifies the lease: a later lease of the same process ends at another time. */
  readonly lease_until: Date;
}

/** The row that an operation changes: a payment, refund, dispute or saved method. */
export interface Subject {
  readonly tenant: TenantId;
  readonly id: string;
  /** Every change of the row increments it. */
  readonly version: number;
  /** The merchant account at the processor with which it was made; null on rows from before this was recorded. */
  readonly processor_identity: string | null;
}

/** A request to the processor for one operation. */
export interface Call<S extends Subject> {
  readonly context: AccountContext;
  readonly subject: S;
  readonly connected: Connected;
  readonly upstreamKey: string;
  /** End of the caller's lease (real time). It identifies the lease: the same process may hold the operation again later. */
  readonly leaseUntil: Date;
  /** True if the processor was never asked before. Then its answer that it carried nothing out ends the operation. */
  readonly fresh: boolean;
}

/** What an answer of the processor means for the subject. `Change` is what the feature commits. */
export type Effect<Change> =
  | { readonly kind: 'change'; readonly change: Change }
  /** The processor refuses for good: the operation ends, and `change`, if present, is committed. */
  | { readonly kind: 'refused'; readonly error: ApiError; readonly change?: Change }
  /** The outcome is not known yet: the operation stays open. */
  | { readonly kind: 'open'; readonly why: NoAnswer };

/** The rules of one kind of operation on a subject. */
export interface Operation<S extends Subject, Outcome extends { readonly kind: string }, Change> {
  readonly kind: OperationKind;
  /** The idempotency key at the processor, at most 64 characters. */
  upstreamKey(subject: S): string;
  /** Whether the subject is already in a state that this operation leads to: a retry of an unanswered request is done then. */
  isReached(subject: S): boolean;
  /**
   * Checks whether the operation may begin in the subject's present state.
   * @returns false if nothing is left to do
   * @throws ApiError if the state does not allow it
   */
  mayBegin(subject: S, context: AccountContext): boolean | Promise<boolean>;
  /** Sends the request to the processor. No database transaction is open meanwhile. */
  ask(call: Call<S>): Promise<Outcome | NoAnswer>;
  /** Interprets an answer. This is the only place that does, whether a request, recovery or a notification brought the answer. */
  settle(call: Omit<Call<S>, 'connected' | 'upstreamKey' | 'leaseUntil'>, outcome: Outcome): Effect<Change>;
}
