import { type ApiError, invalidParam } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { type Claim, recordDigest } from '../../idempotency/claims.ts';
import type { Suspend } from '../../lib/waiting/suspend.ts';
import { leaveInDoubt } from '../../operations/ask.ts';
import { convertOperations, endOperations, hasDraft } from '../../operations/sql.ts';
import { releaseLinkPlace } from '../../payment-links/sql.ts';
import { isRefusal, unansweredError } from '../../processors/port/explain.ts';
import type { NoAnswer, UpstreamIds } from '../../processors/port/port.ts';
import { cte, keyColumns } from '../../store/columns.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noteUpstream, upstreamOfDraft } from '../drafts.ts';
import type { PaymentRow } from '../payment.ts';
import { cancelKey } from './payment-access.ts';

/** How a payment is discarded, and what it leaves behind. */
export interface Discard {
  /** The claim of the payment's request; null if recovery discards it, or if the request has no key. */
  readonly claim: Claim | null;
  /** Whether the customer was created with the payment. */
  readonly customerIsNew: boolean;
  /** Answer to be stored under the key and replayed; absent: the key is freed. */
  readonly answer?: { readonly status: number; readonly body: string };
  /** Ids of what the upstream made of the payment: recovery cancels it there; absent: nothing. */
  readonly upstream?: UpstreamIds;
  /** End of the caller's lease on the charge. It identifies the lease: a later holder may be the same process. */
  readonly leaseUntil: Date;
  /** Account time. */
  readonly at: Date;
  /** Frees the place of the request that discards it, while that waits for a write. */
  readonly suspend: Suspend;
  /** Takes back what the request counted towards its API key's limits; absent if that is no longer known. */
  readonly uncount?: (() => Promise<void>) | undefined;
}

/**
 * Handles a charge without an answer. If the processor certainly did not carry out a first attempt, the attempt is over: its key
 * is free, and neither the payment nor a customer created with it is ever shown (decisions, "Limits and refusals"). Any other
 * attempt stays in doubt.
 * @param begunNow what commit 1 of this request wrote; null for a retry: an earlier attempt may have been carried out
 * @returns the error to throw
 */
export async function endWithoutAnswer(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  begunNow: Pick<Discard, 'claim' | 'customerIsNew' | 'uncount'> | null,
  { outcome, leaseUntil }: { readonly outcome: NoAnswer } & Pick<Discard, 'leaseUntil'>,
): Promise<ApiError> {
  const isOver =
    outcome.kind === 'not_executed' &&
    begunNow !== null &&
    (await discardPayment(deps, payment, {
      ...begunNow,
      leaseUntil,
      at: context.now,
      suspend: context.suspend,
    }));
  if (!isOver && outcome.upstream !== undefined) await noteUpstream(deps.db, payment, outcome.upstream);
  if (!isOver) return leaveInDoubt(deps, { context, subject: payment, leaseUntil }, outcome);
  const { param, code } = outcome.error ?? {};
  if (param !== undefined) {
    const named = code == null ? '' : ` (code ${code})`;
    return invalidParam(param, `${param} is not accepted by the processor${named}. Nothing was charged.`);
  }
  deps.onIncident(context, `the processor carried nothing out: ${outcome.reason}`, payment);
  return unansweredError(
    outcome,
    isRefusal(outcome)
      ? 'Nothing was charged, and the Idempotency-Key is free for a changed request.'
      : 'Nothing was charged: retry with the same Idempotency-Key.',
  );
}

const keyOfRequest = 'k.digest = $11 and k.resource_id = d.id';
/** The record has the same account time as the payment, so an index finds it. */
const keyOfPayment = 'k.created_at = d.created_at and k.resource_id = d.id';

const held = cte('held', keyColumns);
const discardedOfLink = cte('discarded', keyColumns);

/** @param record SQL for whether `k` is the idempotency record of the discarded payment `d` */
const discardSql = (record: string) => `with held as (
    select tenant, subject as id, seq, created_at,
      (draft::jsonb || jsonb_build_object('upstream', ${upstreamOfDraft} || $7::jsonb))::json as draft
    from operations o
    where tenant = $1 and subject = $2 and state = 'intent' and kind = 'charge' and ${hasDraft()}
      and lease_owner = $4 and lease_until = $10 for update),
  ${endOperations(held, '$6::text is null')},
  ${convertOperations(held, { kind: "'cancel'", key: '$6', condition: '$6::text is not null' })},
  kept as (
    insert into discarded_payments (tenant, id, seq, draft, created_at, discarded_at)
    select tenant, id, seq, draft, created_at, $3 from held returning id),
  discarded as (
    select h.tenant, h.id, h.created_at, h.draft ->> 'payment_link_id' as link_id from held h join kept using (id)),
  ${releaseLinkPlace(discardedOfLink, 'i.link_id')},
  -- Takes the locks in the order of commit 1: link, customer, key. Frees the customer's e-mail address for the retry. A customer
  -- who is kept stays: commit 1 of another payment may keep them while this statement waits for the row.
  customer_discarded as (
    update customers c set discarded_at = $3, email = '', email_folded = c.id, external_id = null, name = null,
      phone = null, locale = null, billing_address = null, delivery_address = null, date_of_birth = null,
      metadata = '{}'
    from discarded d cross join (select count(*) from place_given_back) p
    where c.tenant = $1 and c.id = $5 and not c.is_kept
    returning c.id),
  released as (select d.* from discarded d cross join (select count(*) from customer_discarded) c),
  key_freed as (
    delete from idempotency_keys k using released d
    where $8::int is null and k.tenant = $1 and ${record}),
  answer_kept as (
    update idempotency_keys k set state = 'done', status = $8, body = $9 from released d
    where $8 is not null and k.tenant = $1 and ${record} and k.state <> 'done')
  select id from discarded`;

const byRequest = { name: 'discard_payment', text: discardSql(keyOfRequest) };
const byPayment = { name: 'discard_recovered_payment', text: discardSql(keyOfPayment) };

/**
 * Discards a payment in one commit. This process holds its charge, which charged nothing. The payment and a customer created
 * with it are hidden for good, and there is no event. Their rows stay, since they got their list numbers at commit 1. Recovery
 * cancels what the upstream made of the payment.
 * @returns false if this process no longer holds the charge: then nothing was written
 */
export async function discardPayment(
  { db, operations, lease }: PaymentDependencies,
  payment: PaymentRow,
  { claim, customerIsNew, answer, upstream = {}, leaseUntil, at, suspend, uncount }: Discard,
): Promise<boolean> {
  const isLeftUpstream = Object.keys(upstream).length > 0;
  const statement = {
    ...(claim === null ? byPayment : byRequest),
    values: [
      payment.tenant,
      payment.id,
      at,
      lease().owner,
      customerIsNew ? payment.customer_id : null,
      isLeftUpstream ? cancelKey(payment) : null,
      JSON.stringify(upstream),
      answer?.status ?? null,
      answer?.body ?? null,
      leaseUntil,
      ...(claim === null ? [] : [recordDigest(claim)]),
    ],
    scope: payment,
  };
  const rows = await operations.pastFence(() => db.query(statement), suspend);
  const isOurs = rows.length === 1;
  if (isOurs) await uncount?.();
  return isOurs;
}

/**
 * Whether a payment without an answer was discarded: the processor answered that it charged nothing, and the payment is never
 * shown.
 */
export async function isDiscarded(
  { db }: Pick<PaymentDependencies, 'db'>,
  payment: PaymentRow,
): Promise<boolean> {
  if (payment.status !== 'processing') return false;
  const rows = await db.query({
    name: 'is_discarded_payment',
    text: 'select 1 from discarded_payments where tenant = $1 and id = $2',
    values: [payment.tenant, payment.id],
    scope: payment,
  });
  return rows.length > 0;
}
