import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { NoAnswer } from '../processors/port.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentRow } from './present.ts';
import { stayInDoubt } from './settle-payment.ts';

/** What commit 1 wrote beside the payment. */
interface BegunNow {
  readonly claim: Claim | null;
  readonly customerIsNew: boolean;
}

/**
 * What a charge without an answer leaves. A first attempt that the processor certainly did not carry out is over: its key
 * is free, and neither the payment nor a customer made with it is ever shown (decisions, "Limits and refusals"). Any other
 * stays in doubt.
 * @param begunNow null for a retry: an earlier attempt may have been carried out
 * @returns what to throw
 */
export async function endWithoutAnswer(
  parts: PaymentParts,
  context: AccountContext,
  payment: PaymentRow,
  begunNow: BegunNow | null,
  outcome: NoAnswer,
): Promise<ApiError> {
  const isOver =
    outcome.kind === 'not_executed' &&
    begunNow !== null &&
    (await discard(parts, payment, begunNow, context.now));
  if (!isOver) return stayInDoubt(parts, payment, outcome);
  parts.onTrouble(`the processor carried nothing out: ${outcome.reason}`, payment);
  return new ApiError(
    outcome.answer,
    'The processor did not carry the payment out. Nothing was charged: retry with the same Idempotency-Key.',
    outcome.answer === 'provider_unavailable' ? { retryAfterSeconds: 2 } : {},
  );
}

/** Lists are numbered at commit 1, so the rows stay and are hidden. @returns false where the charge is not ours any more */
async function discard(
  { db, lease }: PaymentParts,
  payment: PaymentRow,
  { claim, customerIsNew }: BegunNow,
  at: Date,
): Promise<boolean> {
  const rows = await db.query({
    name: 'discard_payment',
    text: `with ended as (
             update operations set state = 'settled', settled_at = $4
             where account_id = $1 and livemode = $2 and payment_id = $3 and state = 'intent' and kind = 'charge'
               and lease_owner = $5
             returning payment_id as id),
           discarded as (
             update payments p set discarded_at = $4, request = '{}' from ended e
             where p.account_id = $1 and p.livemode = $2 and p.id = e.id and p.status = 'processing'
             returning p.id),
           key_freed as (
             delete from idempotency_keys k using discarded d
             where k.account_id = $1 and k.livemode = $2 and k.scope = $6 and k.key = $7 and k.resource_id = d.id),
           -- Its address is free for the retry. One that has been used meanwhile is the merchant's.
           customer_discarded as (
             update customers c set discarded_at = $4, email = '', email_folded = c.id, external_id = null, name = null,
               phone = null, locale = null, billing_address = null, delivery_address = null, date_of_birth = null,
               metadata = '{}'
             from discarded d
             where c.account_id = $1 and c.livemode = $2 and c.id = $8 and not exists (
               select from payments o
               where o.account_id = $1 and o.livemode = $2 and o.customer_id = c.id and o.id <> d.id))
           select id from discarded`,
    values: [
      payment.account_id,
      payment.livemode,
      payment.id,
      at,
      lease().owner,
      claim?.scope ?? null,
      claim?.key ?? null,
      customerIsNew ? payment.customer_id : null,
    ],
  });
  return rows.length === 1;
}

/**
 * Whether a payment without an answer was discarded: its processor said that it had carried nothing out, and nobody will
 * ever be shown it.
 */
export async function isDiscarded({ db }: Pick<PaymentParts, 'db'>, payment: PaymentRow): Promise<boolean> {
  if (payment.status !== 'processing') return false;
  const rows = await db.query({
    name: 'is_discarded_payment',
    text: `select 1 from payments
           where account_id = $1 and livemode = $2 and id = $3 and discarded_at is not null`,
    values: [payment.account_id, payment.livemode, payment.id],
  });
  return rows.length > 0;
}
