import type { AccountContext } from '../accounts/context.ts';
import type { ReturnParameters } from '../processors/port/port.ts';
import { listOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { isWindowOver, type PaymentRow, paymentColumns } from './payment.ts';
import { requirePayment } from './reads.ts';

/** How long a returning buyer waits for a concurrent expiry to commit (it asks no processor first), and how often this polls. */
const waitMs = 1_000;
const pollMs = 50;

/** The return parameter that proves what the buyer did at the bank. */
const proof = 'redirectResult';
/** How many proofs of a payment are stored: the newest ones. */
const maxProofs = 3;

/** SQL for the stored returns of a payment `p` that carry a proof. */
const proofs = `(select r.one, r.place from json_array_elements(p.returned) with ordinality as r (one, place)
     where coalesce(r.one ->> '${proof}', '') <> '')`;

/**
 * SQL for the returns of a payment `p` that are stored from now on. Anyone who has the return address can call it. So a return
 * without a proof never replaces a proof, and older proofs stay, in case the processor refuses the newer one. `$3` are the
 * parameters of this return, `$5` is the proof among them, or an empty text.
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
 * Stores the parameters with which the buyer's browser came back from the upstream. It charges nothing. If the buyer comes back
 * only after the window, `3ds_abandoned` becomes `3ds_token_expired`, without another event (decisions, "Payments").
 * @returns the payment afterwards
 * @throws ApiError `not_found`
 */
export async function noteReturn(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  brought: ReturnParameters,
): Promise<PaymentRow> {
  const { clock, db, store } = deps;
  const deadline = clock.elapsed() + waitMs;
  let seen = payment;
  for (;;) {
    const noted = await writeReturn(db, seen, brought, context.now);
    if (noted !== undefined) return noted;
    // Read before the payment: if the expiry ends between the two reads, the payment's status shows it.
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
 * Stores a return, unless another operation is open, or a confirm that sends an earlier return: the same upstream key must
 * always carry the same request. An open confirm that sends no return is not affected, so the next confirm gets this one.
 * @param at account time
 * @returns undefined if nothing was stored
 */
async function writeReturn(
  db: Queryable,
  { tenant, id }: PaymentRow,
  brought: ReturnParameters,
  at: Date,
): Promise<PaymentRow | undefined> {
  // One statement, so that each of several concurrent returns adds to the row as the one before left it.
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
