import { ApiError, type ApprovalOutcome, invalidParam, type RefundSettle } from '@till/contract';
import {
  type AccountDependencies,
  moveClock,
  OperatorError,
  type WithClockMove,
} from '../accounts/accounts.ts';
import type { AccountContext } from '../accounts/context.ts';
import { buyerReturned, type CheckoutDependencies, findVisit } from '../checkout/visit/flow.ts';
import type { Lines } from '../lib/waiting/lines.ts';
import { type Suspend, suspendNothing } from '../lib/waiting/suspend.ts';
import { retrievePayment } from '../payments/operations/expire.ts';
import type { PaymentRow } from '../payments/payment.ts';
import type { RefundDependencies } from '../refunds/dependencies.ts';
import { retrieveRefund } from '../refunds/refunds.ts';
import type { RefundRow } from '../refunds/row.ts';
import type { Database } from '../store/database.ts';

export interface TestHelperDependencies {
  readonly accounts: AccountDependencies & { readonly db: Database };
  /** Queues the clock moves of each account. One move may make much fall due, and it needs a database connection of its own. */
  readonly clockMoves: Lines;
  readonly checkout: CheckoutDependencies;
  /**
   * Does at the simulated processor what the buyer would do there.
   * @returns the address to which the buyer's browser would go next; null if nothing waits for a buyer
   */
  readonly resolveApproval: (payment: PaymentRow, outcome: ApprovalOutcome) => Promise<string | null>;
  /** Processes everything in the account that has become due by the move. */
  readonly onClockMoved: (accountId: string) => Promise<void>;
  readonly refunds: RefundDependencies;
  /**
   * Makes the simulated processor end a pending refund, and waits until its notification is applied here.
   * @returns false if the processor has nothing pending
   */
  readonly settleRefund: (
    caller: AccountContext,
    refundId: string,
    outcome: RefundSettle['outcome'],
  ) => Promise<boolean>;
}

/** Allows sandbox accounts only: in live mode the test helpers do not exist. @throws ApiError `not_found` */
export function requireSandbox(caller: Pick<AccountContext, 'livemode'>): void {
  if (caller.livemode) throw new ApiError('not_found', 'Test helpers exist for sandbox keys only.');
}

/**
 * Moves the account's clock forward and processes everything that has become due.
 * @param inside writes what belongs to the same transaction as the move
 * @returns the account's time after the move
 * @throws ApiError `invalid_params` if it would be more than 20 years ahead of real time
 */
export async function advanceTestClock(
  deps: Pick<TestHelperDependencies, 'accounts' | 'clockMoves' | 'onClockMoved'>,
  { accountId, suspend }: Pick<AccountContext, 'accountId' | 'suspend'>,
  seconds: number,
  inside?: WithClockMove,
): Promise<Date> {
  const move = async () => {
    const now = await moveClock(deps.accounts, accountId, seconds, inside).catch((error: unknown) => {
      const isTooFar = error instanceof OperatorError && error.code === 'invalid_params';
      throw isTooFar ? invalidParam('seconds', error.message) : error;
    });
    await deps.onClockMoved(accountId);
    return now;
  };
  return suspend(() => deps.clockMoves.queued(accountId, move));
}

/**
 * Does what the buyer would do on the approval or challenge page, and follows the redirect back. This confirms the payment
 * only if the buyer came from our hosted page; otherwise the merchant has to confirm.
 * @returns the payment afterwards
 * @throws ApiError `not_found`; `invalid_params` if nothing waits for a buyer
 */
export async function approveTestPayment(
  deps: TestHelperDependencies,
  caller: AccountContext,
  paymentId: string,
  outcome: ApprovalOutcome,
): Promise<PaymentRow> {
  const { payments } = deps.checkout;
  const payment = await retrievePayment(payments, caller, paymentId);
  if (payment.status !== 'requires_action') {
    throw invalidParam(
      'status',
      `Only a payment that requires action waits for a buyer; this one is ${payment.status}.`,
    );
  }
  const url = await deps.resolveApproval(payment, outcome);
  if (url === null) throw invalidParam('status', 'Nothing waits for a buyer at the processor.');
  await visit(deps, url, caller.suspend);
  return retrievePayment(payments, caller, payment.id);
}

/**
 * Ends a pending refund as the bank would, even one that is about to end by itself. A refund that already has this outcome
 * is unchanged.
 * @throws ApiError `not_found`; `invalid_params` for a refund with another outcome, or one that the processor has not
 *   accepted
 */
export async function settleTestRefund(
  deps: TestHelperDependencies,
  caller: AccountContext,
  refundId: string,
  outcome: RefundSettle['outcome'],
): Promise<RefundRow> {
  const refund = await retrieveRefund(deps.refunds, caller, refundId);
  if (refund.status === outcome) return refund;
  if (refund.status !== 'pending') throw alreadySettled(refund);
  const isSettled = await deps.settleRefund(caller, refund.id, outcome);
  const current = await retrieveRefund(deps.refunds, caller, refund.id);
  if (isSettled || current.status === outcome) return current;
  if (current.status !== 'pending') throw alreadySettled(current);
  throw invalidParam(
    'status',
    'The processor has nothing pending of this refund: it has not taken the refund, or will say within a second or two how it ended.',
  );
}

const alreadySettled = ({ status }: RefundRow) =>
  invalidParam('status', `Only a pending refund can be settled; this one is ${status}.`);

/**
 * Follows the redirect as the buyer's browser would. An address other than our return page is not followed.
 * @param suspend suspends the request that plays the buyer, if there is one
 */
export async function visit(
  deps: Pick<TestHelperDependencies, 'checkout'>,
  url: string,
  suspend: Suspend = suspendNothing,
): Promise<void> {
  const address = new URL(url);
  const [, token] = /\/checkout\/return\/([^/]+)$/.exec(address.pathname) ?? [];
  const visited = token === undefined ? undefined : await findVisit(deps.checkout, token, suspend);
  if (visited === undefined) return;
  await buyerReturned(deps.checkout, visited, Object.fromEntries(address.searchParams));
}
