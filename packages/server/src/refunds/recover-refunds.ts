import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { FairQueue, perProcessor, type Sweep } from '../jobs/fair-queue.ts';
import { type Connected, connectionOf, waitsForConnection } from '../processors/port/connected.ts';
import { releaseAbandonedRefunds, takeDueRefunds, tenantsWithDueRefunds } from './due-refunds.ts';
import type { RefundParts } from './parts.ts';
import type { RefundRow } from './row.ts';
import { afterAnswer, askProcessor, commitRefund, isKeyRemembered, nextTry } from './settle-refund.ts';

/** How many are asked about at once, for each processor. */
const places = 32;
const askEveryMs = 3_600_000;

/**
 * Moves pending refunds on: repeats, under the same key, what got no answer; tells those that the processor finished at
 * once; and asks about those of which no notification came.
 */
export function refundRecovery(parts: RefundParts): Sweep {
  const { db, clock } = parts;
  const due = tenantsWithDueRefunds(db);
  return perProcessor(
    (processor) =>
      new FairQueue<RefundRow>({
        places,
        dueTenants: (after, most) => due({ now: clock.now(), after, most, processor }),
        async take(tenant, most) {
          const rows = await takeDueRefunds(db, tenant, { lease: parts.lease(), now: clock.now(), most });
          return { rows, more: rows.length === most };
        },
        work: (refund) => recoverOne(parts, refund),
        onError: (error, { accountId }) =>
          parts.onTrouble('recovery of refunds failed', { id: '', account_id: accountId }, error),
      }),
    () => releaseAbandonedRefunds(db, clock.now()),
  );
}

/** Moves everything on that is due. @returns how many refunds were looked at */
export const recoverRefunds = (parts: RefundParts): Promise<number> => refundRecovery(parts).run();

async function recoverOne(parts: RefundParts, refund: RefundRow): Promise<void> {
  try {
    await moveOn(parts, refund);
  } catch (error) {
    parts.onTrouble('a refund could not be looked at', refund, error);
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries)).catch(() => {});
  }
}

async function moveOn(parts: RefundParts, refund: RefundRow): Promise<void> {
  const account = await findAccount(parts.db, refund.account_id);
  if (account === undefined) throw new Error(`${refund.id} belongs to no account`);
  const context = backgroundContext(account, refund.livemode, parts.clock.now());
  const payment = await parts.payments.store.find(context, refund.payment_id);
  if (payment === undefined) throw new Error(`${refund.id} belongs to no payment`);
  if (refund.done_upstream) {
    await commitRefund(
      parts,
      context,
      refund,
      { ...refund, status: 'succeeded', done_upstream: false },
      null,
    );
    return;
  }
  const processor = connectionOf(parts, context, refund);
  if (processor === undefined) {
    parts.onTrouble(waitsForConnection, refund);
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries));
    return;
  }
  if (refund.asked === 'answered') return askHowItStands(parts, context, refund, processor);
  if (!isKeyRemembered(refund, context.processor, context.now)) {
    parts.onTrouble('no answer about a refund, and too late to ask for it again', refund);
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries));
    return;
  }
  const outcome = await askProcessor(processor, payment, refund, 'again');
  if ('answer' in outcome) {
    await parts.store.putOff(refund, parts.lease(), nextTry(parts, refund.tries));
    return;
  }
  await commitRefund(parts, context, refund, afterAnswer(refund, outcome, 'later'), null);
}

/** Where the upstream can be asked; elsewhere only its notification tells. */
async function askHowItStands(
  parts: RefundParts,
  context: ReturnType<typeof backgroundContext>,
  refund: RefundRow,
  processor: Connected,
): Promise<void> {
  const later = new Date(parts.clock.now().getTime() + askEveryMs);
  if (processor.port.lookUpRefund === undefined || refund.upstream_id === null) {
    await parts.store.putOff(refund, parts.lease(), later);
    return;
  }
  const outcome = await processor.port.lookUpRefund(processor.connection, {
    upstreamId: refund.upstream_id,
    amount: refund.amount,
    currency: refund.currency,
  });
  if ('answer' in outcome || outcome.kind === 'pending') {
    await parts.store.putOff(refund, parts.lease(), later);
    return;
  }
  await commitRefund(parts, context, refund, afterAnswer(refund, outcome, 'at_once'), null);
}
