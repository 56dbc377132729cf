import { disputeOfReport } from '../disputes/sql.ts';
import { isReversed } from '../payment-alerts/sql.ts';
import { paymentOfReport } from '../payments/sql.ts';
import { refundOfReport } from '../refunds/reads.ts';
import { listOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { lineColumns } from './row.ts';

const needsNone = `('fee', 'adjustment')`;

/**
 * SQL that yields one row for a report line `i`: the payment, refund and dispute on record that it refers to, and why it does not
 * match. Chargeback amounts are not compared, because they differ from ours by the issuer's fees and exchange rates. A processor
 * may report a reversal without a known dispute as a chargeback; such a line matches the payment itself.
 */
export const matchOf = (i: string): string => `
select case ${i}.type when 'refund' then r.payment_id when 'payment' then p.id else coalesce(d.payment_id, p.id) end as payment_id,
  r.id as refund_id, d.id as dispute_id,
  case when ${i}.type in ${needsNone} then null
    when coalesce(case ${i}.type when 'payment' then p.id when 'refund' then r.id else d.id end, '') = ''
      and not (${i}.type in ('chargeback', 'chargeback_reversed') and p.id is not null and ${isReversed(`${i}.tenant`, 'p.id')}) then 'unknown'
    when ${i}.type = 'payment' and (p.amount, p.currency) is distinct from (${i}.original_amount, ${i}.original_currency)
      or ${i}.type = 'refund' and (r.amount, r.currency) is distinct from (${i}.original_amount, ${i}.original_currency)
      then 'amount_differs'
    when ${i}.type = 'payment' and not p.succeeded or ${i}.type = 'refund' and ${i}.gross < 0 and r.never_given
      then 'not_succeeded' end as unmatched,
  ${i}.type = 'refund' and ${i}.gross < 0 and coalesce(r.pending, false) as awaits_refund
from (values (1)) as line (n)
left join lateral (${paymentOfReport(i)}) p on ${i}.type not in ('fee', 'refund', 'adjustment')
left join lateral (${refundOfReport(i)}) r on ${i}.type = 'refund'
left join lateral (${disputeOfReport(i, 'p.id')}) d on ${i}.type in ('chargeback', 'chargeback_reversed')`;

const onceOnly = `('payment', 'refund')`;

/**
 * SQL for whether a line `other` books the same payment or refund as a line `l`, in the same direction: the processor books a
 * reversed refund a second time with the opposite sign.
 */
export const holdsSame = (other: string, l: string): string =>
  `${other}.payment_id = ${l}.payment_id and ${other}.type = ${l}.type and ${l}.type in ${onceOnly}
     and ${other}.refund_id is not distinct from ${l}.refund_id and (${other}.gross < 0) = (${l}.gross < 0)`;

/** SQL for whether a line `l` does not count, because another line holds its payment, refund or transaction. */
export const holdsNothing = (l: string): string =>
  `coalesce(${l}.unmatched in ('paid_before', 'reported_before'), false)`;

/** SQL for whether a line `l` is judged again: it does not match, or the refund that it matches has not ended. */
export const isOpen = (l: string): string => `(${l}.unmatched is not null or ${l}.awaits_refund)`;

/**
 * SQL for whether another report has a line `l` already. Of equal lines of one report each is a movement of its own, so that the
 * third one repeats something only if other reports have three. `$1` is the tenant.
 * @param isIgnored SQL for whether a line of an alias does not count
 */
export const isRepeat = (l: string, isIgnored: (alias: string) => string = () => 'false'): string =>
  // One lookup by identity: a condition on the payout might read all lines of it for each line.
  `(${l}.identity is not null and (
    select count(*) filter (where o.payout_id <> ${l}.payout_id
        and o.unmatched is distinct from 'reported_before' and not ${isIgnored('o')})
      >= count(*) filter (where o.payout_id = ${l}.payout_id and o.number <= ${l}.number)
    from payout_lines o where o.tenant = $1 and o.identity = ${l}.identity))`;

/** The number of lines of some payouts, and how many of them match and do not match the records. */
export interface Matched {
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
}

async function countMatched(tx: Queryable, tenant: Tenant, payoutIds: readonly string[]): Promise<Matched> {
  const [counted] = await tx.query<Matched>({
    name: 'count_matched_payout_lines',
    text: `select count(*)::int as lines, (count(*) filter (where unmatched is not null))::int as unmatched,
             (count(*) filter (where unmatched is null and type not in ${needsNone}))::int as matched
           from payout_lines where tenant = $1 and payout_id = any ($2)`,
    values: [tenant.tenant, payoutIds],
    scope: tenant,
  });
  if (counted === undefined) throw new Error('a count without groups gives one row');
  return counted;
}

/** How many lines one statement judges at most, so that no statement runs long. */
const triedAtOnce = 1000;

/** Only one line holds a payment or refund: the one that holds it already, else the first of the lines that match it now. */
const matchAgainSql = `
with tried as materialized (
  select l.id, l.type, l.number, l.gross, l.unmatched as before, ${isRepeat('l')} as repeats, m.*
  from (select ${listOf(lineColumns)} from payout_lines o
    where tenant = $1 and payout_id = $2 and ${isOpen('o')} and number > $3 order by number limit ${triedAtOnce}) l
  cross join lateral (${matchOf('l')}) m),
ranked as (
  select t.*, row_number() over (
    partition by type, payment_id, refund_id, gross < 0, repeats order by before is not null, number) as place from tried t),
judged as (
  select k.id, k.before, k.payment_id, k.refund_id, k.dispute_id, k.awaits_refund,
    case when k.repeats then 'reported_before' when k.unmatched is null and k.type in ${onceOnly} and (k.place > 1 or exists (
        select from payout_lines h
        where h.tenant = $1 and ${holdsSame('h', 'k')} and h.id not in (select id from tried)
          and not ${holdsNothing('h')}))
      then 'paid_before' else k.unmatched end as unmatched
  from ranked k),
changed as (
  update payout_lines l
  set payment_id = j.payment_id, refund_id = j.refund_id, dispute_id = j.dispute_id, unmatched = j.unmatched,
    awaits_refund = j.awaits_refund
  from judged j
  where l.tenant = $1 and l.id = j.id and (l.payment_id, l.refund_id, l.dispute_id, l.unmatched, l.awaits_refund)
    is distinct from (j.payment_id, j.refund_id, j.dispute_id, j.unmatched, j.awaits_refund)
  returning j.before, l.unmatched)
select (count(*) filter (where before is not null and unmatched is null))::int as matched, count(*)::int as changed,
  (select max(number) from tried) as last from changed`;

const recountSql = `
update payouts o set unmatched_count = c.unmatched, match_at = case when c.lines > 0 then o.match_at end
from (select (count(*) filter (where unmatched is not null))::int as unmatched, count(*) as lines
  from payout_lines l where tenant = $1 and payout_id = $2 and ${isOpen('l')}) c
where o.tenant = $1 and o.id = $2`;

/**
 * Judges lines of some payouts again: what did not match may have become known or free since, and a pending refund may have
 * failed. A second call changes nothing more.
 * @param tx a transaction that holds the import lock @returns how many lines match now and did not before
 */
export async function matchAgain(
  tx: Queryable,
  tenant: Tenant,
  payoutIds: readonly string[],
): Promise<number> {
  const open = await tx.query<{ id: string }>({
    name: 'payouts_to_judge_again',
    text: 'select id from payouts where tenant = $1 and id = any ($2) and match_at is not null order by seq',
    values: [tenant.tenant, payoutIds],
    scope: tenant,
  });
  let newly = 0;
  for (const { id } of open) {
    let changed = 0;
    for (let after: number | null = 0; after !== null; ) {
      const tried = await matchSome(tx, tenant, id, after);
      newly += tried.matched;
      changed += tried.changed;
      after = tried.last;
    }
    if (changed > 0) {
      await tx.query({
        name: 'recount_payout',
        text: recountSql,
        values: [tenant.tenant, id],
        scope: tenant,
      });
    }
  }
  return newly;
}

async function matchSome(tx: Queryable, tenant: Tenant, payoutId: string, after: number) {
  // Unnamed, as in `insertLines`: a cached plan may date from a time with few payments.
  const [tried] = await tx.query<{ matched: number; changed: number; last: number | null }>({
    text: matchAgainSql,
    values: [tenant.tenant, payoutId, after],
    scope: tenant,
  });
  if (tried === undefined) throw new Error('a count without groups gives one row');
  return tried;
}

/** Judges the open lines of known payouts again and counts all lines. @param known those of `ids` that were imported before */
export async function matchedOf(tx: Queryable, tenant: Tenant, ids: readonly string[], known = ids) {
  const newlyMatched = known.length === 0 ? 0 : await matchAgain(tx, tenant, known);
  return { payouts: ids.length, ...(await countMatched(tx, tenant, ids)), newly_matched: newlyMatched };
}
