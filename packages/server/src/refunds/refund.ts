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

/** How soon a refund that the processor finished at once is shown as succeeded, in milliseconds. */
const shownAfterMs = 1_000;
/** Where no notification comes the processor is asked this often. */
const trackIntervalMs = 3_600_000;

/**
 * Whether the upstream still answers a repeat of the refund's key with what it did first: then the same refund may be
 * asked for again. @param now account time
 */
const isKeyRemembered = (refund: RefundRow, { processor, now }: AccountContext): boolean =>
  now.getTime() - refund.created_at.getTime() <= capabilitiesOf(processor).refundKeyMs;

/** A refund that this process holds, and what it is asked for with. */
export interface Asking {
  readonly payment: PaymentRow;
  readonly refund: RefundRow;
  /** Until when it is held (real time). */
  readonly leaseUntil: Date;
  /** Whether it was asked for before. */
  readonly asked: 'first' | 'again';
}

/**
 * Asks the processor for the refund under its one key. No transaction is open. It is a repeat only where an earlier request
 * may have been carried out: the refusal of a repeat proves nothing by itself.
 * @returns `too_late` where it would be a repeat under a key that the upstream may have forgotten: nothing was asked
 */
export async function askForRefund(
  deps: RefundDependencies,
  context: AccountContext,
  { port, connection }: Connected,
  { payment, refund, leaseUntil, asked }: Asking,
): Promise<RefundOutcome | 'too_late'> {
  const isRepeat = asked === 'again' && !(await takeUnsent(deps, refund, leaseUntil));
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
  if (!isRepeat && outcome.kind === 'not_executed') await noteUnsent(deps, refund, leaseUntil);
  return outcome;
}

/** Notes that nothing was carried out, unless another process holds the refund by now. */
async function noteUnsent(
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
 * Before it is asked for again: from then on it may have been carried out.
 * @returns whether it was not until now, and no other process holds it
 */
async function takeUnsent(
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
 * What an answer or a notification means for a refund: the only place that says so.
 * @param now real time
 * @param shown `later`: what the processor finished in its answer to the refund itself is shown a second later
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

/** How refunds that are not over move on. */
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

/** Looks at the refunds alone. */
export const refundRecovery = (deps: RefundDependencies): Sweep =>
  operationRecovery(deps, refundRecoveries(deps));

/** Moves everything on that is due. @returns how many refunds were looked at */
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

/** Repeats, under its key, what got no answer. */
async function askAgain(recovery: Recovery, { lease_until: leaseUntil }: OpenOperation): Promise<boolean> {
  const { deps, context, refund } = recovery;
  const connected = reach(recovery);
  if (connected === undefined) return false;
  const payment = await deps.payments.store.find(context, refund.payment_id);
  if (payment === undefined) throw new Error(`${refund.id} belongs to no payment`);
  const asking: Asking = { payment, refund, leaseUntil, asked: 'again' };
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

/** Asks how a refund stands of which no notification came, where the upstream can be asked. */
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
