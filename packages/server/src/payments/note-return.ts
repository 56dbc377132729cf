import type { AccountContext } from '../accounts/context.ts';
import type { Brought } from '../processors/port/port.ts';
import { listOf } from '../store/columns.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { isWindowOver, type PaymentRow, paymentColumns } from './payment.ts';
import { requirePayment } from './reads.ts';

/** How long a buyer waits for an expiry of the same moment to commit, which asks nobody else, and how often it is looked at. */
const waitMs = 1_000;
const pollMs = 50;

/** The parameter that proves what the buyer did at the bank. */
const proof = 'redirectResult';
/** Of one payment, the newest ones. */
const mostProofs = 3;

/**
 * What is kept of a buyer's returns. Anybody who has the return address can call it: what proves nothing takes away no proof, and
 * of several proofs the former stay for where the processor refuses the newer.
 */
function keptReturns(before: PaymentRow['returned'], brought: Brought): PaymentRow['returned'] {
  const proofs = (before ?? []).filter(({ [proof]: one = '' }) => one !== '' && one !== brought[proof]);
  if ((brought[proof] ?? '') !== '') return [brought, ...proofs].slice(0, mostProofs);
  return proofs.length > 0 || Object.keys(brought).length === 0 ? before : [brought];
}

/**
 * Keeps what the buyer's browser brought back from the upstream; it charges nothing. A buyer who comes back only after the
 * window turns `3ds_abandoned` into `3ds_token_expired`, without another event (decisions, "Payments").
 * @returns the payment as it is then
 * @throws ApiError `not_found`
 */
export async function noteReturn(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  brought: Brought,
): Promise<PaymentRow> {
  const { clock, db, store } = deps;
  const deadline = clock.elapsed() + waitMs;
  let seen = payment;
  for (;;) {
    const noted = await writeReturn(db, seen, brought, context.now);
    if (noted !== undefined) return noted;
    // Looked at before the payment, so that an expiry which ends between the two is seen by the payment's status.
    const isExpiring = isWindowOver(seen, context.now) && (await isExpiryOpen(db, seen));
    const current = await requirePayment(store, context, payment.id);
    const isFinal = current.status === seen.status && !isExpiring;
    if (isFinal || clock.elapsed() > deadline) return current;
    seen = current;
    if (isExpiring) await context.suspend(() => clock.delay(pollMs));
  }
}

async function isExpiryOpen(db: Queryable, { tenant, id }: PaymentRow): Promise<boolean> {
  const rows = await db.query({
    name: 'is_expiry_open',
    text: `select 1 from operations
           where tenant = $1 and subject = $2 and kind = 'expire'`,
    values: [tenant, id],
    scope: { tenant },
  });
  return rows.length > 0;
}

/**
 * While the processor is being asked with what was brought before, that stays: the same key has to carry the same request.
 * A confirm that nothing was brought for asks no processor with it, so what comes meanwhile is kept for the next one.
 * @param at account time
 * @returns undefined where nothing was kept
 */
function writeReturn(
  db: Database,
  { tenant, id }: PaymentRow,
  brought: Brought,
  at: Date,
): Promise<PaymentRow | undefined> {
  return db.transaction(async (tx) => {
    // Locked, so that of returns at the same moment none takes away what another one brought.
    const [before] = await tx.query<Pick<PaymentRow, 'returned'>>({
      name: 'lock_returns',
      text: 'select returned from payments where tenant = $1 and id = $2 for no key update',
      values: [tenant, id],
      scope: { tenant },
    });
    if (before === undefined) return undefined;
    const kept = keptReturns(before.returned, brought);
    const [row] = await tx.query<PaymentRow>({
      name: 'note_return',
      text: `update payments p set returned = $3, buyer_done_at = coalesce(buyer_done_at, $4),
               failure_code = case when status = 'failed' then '3ds_token_expired' end
             where tenant = $1 and id = $2
               and (status = 'requires_action' and not exists (
                   select from operations o
                   where o.tenant = p.tenant and o.subject = p.id
                     and (p.returned is not null or o.kind <> 'confirm'))
                 or status = 'failed' and failure_code = '3ds_abandoned' and buyer_done_at is null and confirm_by <= $4)
             returning ${listOf(paymentColumns)}`,
      values: [tenant, id, kept && JSON.stringify(kept), at],
      scope: { tenant },
    });
    return row;
  });
}
