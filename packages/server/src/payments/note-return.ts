import type { AccountContext } from '../accounts/context.ts';
import type { Brought } from '../processors/port/port.ts';
import { listOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { isWindowOver, type PaymentRow, paymentColumns } from './payment.ts';
import { requirePayment } from './reads.ts';

/** How long a buyer waits for an expiry of the same moment to commit, which asks nobody else, and how often it is looked at. */
const waitMs = 1_000;
const pollMs = 50;

/** The parameter that proves what the buyer did at the bank. */
const proof = 'redirectResult';
/** Of one payment, the newest ones. */
const maxProofs = 3;

/** Returns of a payment `p` that prove something. */
const proofs = `(select r.one, r.place from json_array_elements(p.returned) with ordinality as r (one, place)
     where coalesce(r.one ->> '${proof}', '') <> '')`;

/**
 * SQL of what is kept of the returns of a payment `p`. Anybody who has the return address can call it: what proves nothing takes
 * away no proof, and of several proofs the former stay for where the processor refuses the newer. `$3` is what was brought, `$5`
 * the proof in it, or an empty text.
 */
const keptReturns = `case
    when $5 <> '' then (
      select json_agg(k.one order by k.place) from (
        select $3::json as one, 0 as place
        union all
        select f.one, f.place from ${proofs} f where f.one ->> '${proof}' <> $5
        order by place limit ${maxProofs}) k)
    when $3::json::text = '{}' or exists ${proofs} then p.returned
    else json_build_array($3::json) end`;

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
async function writeReturn(
  db: Queryable,
  { tenant, id }: PaymentRow,
  brought: Brought,
  at: Date,
): Promise<PaymentRow | undefined> {
  // One statement: of returns at the same moment each adds to the row as the one before left it.
  const [row] = await db.query<PaymentRow>({
    name: 'note_return',
    text: `update payments p set returned = ${keptReturns}, buyer_done_at = coalesce(buyer_done_at, $4),
             failure_code = case when status = 'failed' then '3ds_token_expired' end
           where tenant = $1 and id = $2
             and (status = 'requires_action' and not exists (
                 select from operations o
                 where o.tenant = p.tenant and o.subject = p.id
                   and (p.returned is not null or o.kind <> 'confirm'))
               or status = 'failed' and failure_code = '3ds_abandoned' and buyer_done_at is null and confirm_by <= $4)
           returning ${listOf(paymentColumns)}`,
    values: [tenant, id, JSON.stringify(brought), at, brought[proof] ?? ''],
    scope: { tenant },
  });
  return row;
}
