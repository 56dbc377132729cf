import type { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Connected } from '../processors/port/connected.ts';
import type { NoAnswer } from '../processors/port/port.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/**
 * Every effect that a processor is asked for, by whose recovery has places of its own: however many of one lane are open, and
 * however slow they are, no other lane waits for them. `track_refund`: it has the refund and has not said how it ends;
 * `settle_refund`: it has made the refund, which is shown as succeeded a second later; `expire` and `conclude`: nobody
 * confirmed the payment, or answered the dispute, in time.
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

/** Reports what somebody has to look at. @param about what it is about; null: the account as a whole */
export type OnIncident = (
  account: Pick<Tenant, 'accountId'>,
  message: string,
  about: { readonly id: string } | null,
  error?: unknown,
) => void;

/** Who works on an operation, and until when nobody else may. Real time. */
export interface Lease {
  readonly owner: number;
  readonly until: Date;
}

/** An effect asked of a processor that has no recorded answer. */
export interface OpenOperation {
  readonly tenant: TenantId;
  /** Id of the payment, refund, dispute or saved method that it changes. */
  readonly subject: string;
  readonly kind: OperationKind;
  /** The idempotency key at the processor: the same until it has given a definite answer. */
  readonly upstream_key: string;
  /** How often recovery looked at it. */
  readonly tries: number;
  /** Until when nobody else may work on it: it distinguishes this hold from a later one. Real time. */
  readonly lease_until: Date;
}

/** What an operation changes. */
export interface Subject {
  readonly tenant: TenantId;
  readonly id: string;
  /** Counted up by every change of it. */
  readonly version: number;
  /** The merchant account at the processor that it was made with; null on rows of before this was kept. */
  readonly processor_identity: string | null;
}

/** A request to the processor for one operation. */
export interface Call<S extends Subject> {
  readonly context: AccountContext;
  readonly subject: S;
  readonly connected: Connected;
  readonly upstreamKey: string;
  /** Until when it is held for who asks: the same process may hold it again later. Real time. */
  readonly leaseUntil: Date;
  /** It was never asked of the processor before, so an answer that nothing was carried out ends it. */
  readonly fresh: boolean;
}

/** What an answer means for its subject. `Change` is what the feature commits. */
export type Effect<Change> =
  | { readonly kind: 'change'; readonly change: Change }
  /** The processor refuses for good: the operation ends, with a change where one is named. */
  | { readonly kind: 'refused'; readonly error: ApiError; readonly change?: Change }
  /** It is not known yet what came of it. */
  | { readonly kind: 'open'; readonly why: NoAnswer };

/** Everything that is particular to one kind of operation on a subject. */
export interface Operation<S extends Subject, Outcome extends { readonly kind: string }, Change> {
  readonly kind: OperationKind;
  /** The key at the processor, of at most 64 characters. */
  upstreamKey(subject: S): string;
  /** Whether the subject is where this operation leads, so that a repeat of an unanswered request is done. */
  isReached(subject: S): boolean;
  /**
   * Whether it may begin where the subject stands.
   * @returns false where nothing is left to do
   * @throws ApiError where its state does not allow it
   */
  mayBegin(subject: S, context: AccountContext): boolean | Promise<boolean>;
  /** Asks the processor. No transaction is open. */
  ask(call: Call<S>): Promise<Outcome | NoAnswer>;
  /** The only place that says what an answer means, whether it came to a request, to recovery or by notification. */
  settle(call: Omit<Call<S>, 'connected' | 'upstreamKey' | 'leaseUntil'>, outcome: Outcome): Effect<Change>;
}
