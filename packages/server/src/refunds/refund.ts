import type { AccountContext } from '../accounts/context.ts';
import type { Sweep } from '../jobs/fair-sweep.ts';
import type { OpenOperation } from '../operations/operation.ts';
import { operationRecovery, type Recover, type Recoveries } from '../operations/recover.ts';
import { lockHeld } from '../operations/sql.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { type Connected, connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import type { NoAnswer } from '../processors/port/port.ts';
import type { RefundOutcome } from '../processors/port/refunds.ts';
import { capabilitiesOf } from '../processors/registry.ts';
import { commitRefund, type RefundChange } from './commit-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import type { RefundRow } from './row.ts';

/** Delay before a refund that the processor completes in its answer is shown as succeeded. */
const shownAfterMs = 1_000;
/** How often the processor is asked for the state of a refund while no notification arrives. */
const trackIntervalMs = 3_600_000;

/**
 * Whether the upstream still remembers the refund's idempotency key. Then a retry gets the first request's result and refunds
 * nothing twice. @param now account time
 */
const isKeyRemembered = (refund: RefundRow, { processor, now }: AccountContext): boolean =>
  now.getTime() - refund.created_at.getTime() <= capabilitiesOf(processor).refundKeyMs;

/** A refund that this process holds the lease of, with the data of the request. */
export interface RefundAttempt {
  readonly payment: PaymentRow;
  readonly refund: RefundRow;
  /** End of the lease (real time). */
  readonly leaseUntil: Date;
  /** Whether the refund was requested before. */
  readonly asked: 'first' | 'again';
}

/**
 * Requests the refund from the processor under its single idempotency key, outside of any transaction. The request counts as a
 * repeat only if an earlier one may have been executed, because a refused repeat does not prove that the refund failed.
 * @returns `too_late`, without a request, if it would repeat a key that the upstream may have forgotten
 */
export async function askForRefund(
  deps: RefundDependencies,
  context: AccountContext,
  { port, connection }: Connected,
  { payment, refund, leaseUntil, asked }: RefundAttempt,
): Promise<RefundOutcome | 'too_late'> {
  const isRepeat = asked === 'again' && !(await clearUnsent(deps, refund, leaseUntil));
  if (isRepeat && !isKeyRemembered(refund, context)) return 'too_late';
  const outcome = await port.refund(connection, {
    refundId: refund.id,
    paymentId: payment.id,
    upstreamKey: refund.id,
    upstream: payment.upstream,
    amount: refund.amount,
    currency: refund.currency,
    reason: refund.reason,
    note: refund.note,
    ...(isRepeat ? { isRepeat } : {}),
  });
  if (!isRepeat && outcome.kind === 'not_executed') await markUnsent(deps, refund, leaseUntil);
  return outcome;
}

/** Records that the request was not executed, unless another process holds the refund's lease by now. */
async function markUnsent(
  { db, lease, operations }: RefundDependencies,
  refund: RefundRow,
  leaseUntil: Date,
): Promise<void> {
  const statement = {
    name: 'note_unsent_refund',
    text: `with ${lockHeld('held')}
           update refunds set is_unsent = true where tenant = $1 and id = $2 and exists (select from held)`,
    values: [refund.tenant, refund.id, lease().owner, leaseUntil],
    scope: refund,
  };
  await operations.pastFence(() => db.query(statement));
}

/**
 * Clears the mark of `markUnsent` before the refund is requested again, because from then on the request may have been executed.
 * @returns true if no request was executed until now and no other process holds the lease
 */
async function clearUnsent(
  { db, lease }: RefundDependencies,
  refund: RefundRow,
  leaseUntil: Date,
): Promise<boolean> {
  const rows = await db.query({
    name: 'take_unsent_refund',
    text: `with ${lockHeld('held')}
           update refunds set is_unsent = false
           where tenant = $1 and id = $2 and is_unsent and exists (select from held) returning 1`,
    values: [refund.tenant, refund.id, lease().owner, leaseUntil],
    scope: refund,
  });
  return rows.length > 0;
}

/**
 * Translates an answer or a notification into the change of a refund. No other place does that.
 * @param now real time
 * @param shown `later` delays the success by a second, for a refund that the processor completes in its answer to the request
 */
export function settleRefund(
  refund: RefundRow,
  outcome: Exclude<RefundOutcome, NoAnswer>,
  { now, shown }: { readonly now: Date; readonly shown: 'at_once' | 'later' },
): RefundChange {
  const known = { ...refund, upstream_id: outcome.upstreamId ?? refund.upstream_id };
  const after = (ms: number) => new Date(now.getTime() + ms);
  switch (outcome.kind) {
    case 'pending':
      return { after: known, next: { kind: 'track_refund', at: after(trackIntervalMs) } };
    case 'succeeded':
      return shown === 'at_once'
        ? { after: { ...known, status: 'succeeded' }, next: null }
        : { after: known, next: { kind: 'settle_refund', at: after(shownAfterMs) } };
    case 'failed': {
      const { code, message } = outcome.failure;
      return {
        after: { ...known, status: 'failed', failure_code: code, failure_message: message },
        next: null,
      };
    }
  }
}

interface Recovery {
  readonly deps: RefundDependencies;
  readonly context: AccountContext;
  readonly refund: RefundRow;
}

/** The recovery of refunds with an open operation, by operation kind. */
export function refundRecoveries(deps: RefundDependencies) {
  const withRefund =
    (recover: (recovery: Recovery, operation: OpenOperation) => ReturnType<Recover>): Recover =>
    async (operation, context) => {
      const refund = await deps.store.find(context, operation.subject);
      if (refund === undefined) throw new Error(`${operation.subject} is gone`);
      return recover({ deps, context, refund }, operation);
    };
  return {
    refund: withRefund(askAgain),
    track_refund: withRefund(track),
    settle_refund: withRefund(({ context, refund }) =>
      commit(deps, context, refund, { after: { ...refund, status: 'succeeded' }, next: null }),
    ),
  } satisfies Recoveries;
}

/** The sweep that recovers refunds only. */
export const refundRecovery = (deps: RefundDependencies): Sweep =>
  operationRecovery(deps, refundRecoveries(deps));

/** Runs all recoveries that are due. @returns the number of refunds processed */
export const recoverRefunds = (deps: RefundDependencies): Promise<number> => refundRecovery(deps).run();

async function commit(
  deps: RefundDependencies,
  context: AccountContext,
  refund: RefundRow,
  change: RefundChange,
): Promise<true> {
  await commitRefund(deps, context, refund, change, null);
  return true;
}

function reach({ deps, context, refund }: Recovery): Connected | undefined {
  const connected = connectionOf(deps, context, refund);
  if (connected === undefined) deps.onIncident(context, waitsForConnection, refund);
  return connected;
}

const tooLate =
  'no answer about a refund, and too late to ask for it again: its notification, or till payments settle-refund, ends it';

/** Retries, under the same key, a request that got no answer. */
async function askAgain(recovery: Recovery, { lease_until: leaseUntil }: OpenOperation): Promise<boolean> {
  const { deps, context, refund } = recovery;
  const connected = reach(recovery);
  if (connected === undefined) return false;
  const payment = await deps.payments.store.find(context, refund.payment_id);
  if (payment === undefined) throw new Error(`${refund.id} belongs to no payment`);
  const asking: RefundAttempt = { payment, refund, leaseUntil, asked: 'again' };
  const outcome = await askForRefund(deps, context, connected, asking);
  if (outcome === 'too_late') {
    deps.onIncident(context, tooLate, refund);
    return false;
  }
  if ('answer' in outcome) return false;
  return commit(
    deps,
    context,
    refund,
    settleRefund(refund, outcome, { now: deps.clock.now(), shown: 'later' }),
  );
}

/** Asks the upstream for the state of a refund that got no notification, if the upstream supports that. */
async function track(recovery: Recovery): Promise<boolean | Date> {
  const { deps, context, refund } = recovery;
  const connected = reach(recovery);
  if (connected === undefined) return false;
  const now = deps.clock.now();
  const later = new Date(now.getTime() + trackIntervalMs);
  if (connected.port.lookUpRefund === undefined || refund.upstream_id === null) return later;
  const outcome = await connected.port.lookUpRefund(connected.connection, {
    upstreamId: refund.upstream_id,
    amount: refund.amount,
    currency: refund.currency,
  });
  if ('answer' in outcome || outcome.kind === 'pending') return later;
  return commit(deps, context, refund, settleRefund(refund, outcome, { now, shown: 'at_once' }));
}
