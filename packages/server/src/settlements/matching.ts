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
 * SQL of what a line `i` of a report means on record, and why it does not fit, in one row. Amounts of chargebacks differ from
 * ours by fees and rates of the issuer, so they are not compared. A processor may call a reversal that no dispute is known of a
 * chargeback: then it is the payment's.
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
      then 'not_succeeded' end as unmatched
from (values (1)) as line (n)
left join lateral (${paymentOfReport(i)}) p on ${i}.type not in ('fee', 'refund', 'adjustment')
left join lateral (${refundOfReport(i)}) r on ${i}.type = 'refund'
left join lateral (${disputeOfReport(i, 'p.id')}) d on ${i}.type in ('chargeback', 'chargeback_reversed')`;

const onceOnly = `('payment', 'refund')`;

/**
 * SQL for whether a line `other` books the same payment or refund as a line `l`. A refund that is reversed at the processor is
 * booked once more, the other way.
 */
export const holdsSame = (other: string, l: string): string =>
  `${other}.payment_id = ${l}.payment_id and ${other}.type = ${l}.type and ${l}.type in ${onceOnly}
     and ${other}.refund_id is not distinct from ${l}.refund_id and (${other}.gross < 0) = (${l}.gross < 0)`;

/** How many lines of some payouts there are, and how many of them fit and do not fit what is on record. */
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

/** Lines that are tried in one statement, so that none is long. */
const triedAtOnce = 1000;

/** A payment or refund is held by one line: of several that find it now the first one, unless a line of another time holds it. */
const matchAgainSql = `
with tried as materialized (
  select l.id, l.type, l.number, l.gross, m.*
  from (select ${listOf(lineColumns)} from payout_lines
    where tenant = $1 and payout_id = $2 and unmatched is not null and number > $3 order by number limit ${triedAtOnce}) l
  cross join lateral (${matchOf('l')}) m),
ranked as (
  select t.*, row_number() over (partition by type, payment_id, refund_id, gross < 0 order by number) as place from tried t),
judged as (
  select k.id, k.payment_id, k.refund_id, k.dispute_id,
    case when k.unmatched is null and k.type in ${onceOnly} and (k.place > 1 or exists (
        select from payout_lines h
        where h.tenant = $1 and ${holdsSame('h', 'k')} and h.id not in (select id from tried)
          and h.unmatched is distinct from 'paid_before'))
      then 'paid_before' else k.unmatched end as unmatched
  from ranked k),
changed as (
  update payout_lines l
  set payment_id = j.payment_id, refund_id = j.refund_id, dispute_id = j.dispute_id, unmatched = j.unmatched
  from judged j
  where l.tenant = $1 and l.id = j.id and (l.payment_id, l.refund_id, l.dispute_id, l.unmatched)
    is distinct from (j.payment_id, j.refund_id, j.dispute_id, j.unmatched)
  returning l.unmatched),
matched as (select count(*)::int as lines from changed where unmatched is null),
counted as (
  update payouts o set unmatched_count = o.unmatched_count - m.lines,
    match_at = case when o.unmatched_count > m.lines then o.match_at end
  from matched m where o.tenant = $1 and o.id = $2 and m.lines > 0)
select m.lines as matched, (select max(number) from tried) as last from matched m`;

/**
 * Tries the lines of some payouts that did not match again: what they are about may have become known since. Twice is as once.
 * @param tx a transaction that waited for other imports @returns how many lines match that did not
 */
export async function matchAgain(
  tx: Queryable,
  tenant: Tenant,
  payoutIds: readonly string[],
): Promise<number> {
  const unmatched = await tx.query<{ id: string }>({
    name: 'payouts_that_do_not_match',
    text: 'select id from payouts where tenant = $1 and id = any ($2) and unmatched_count > 0 order by seq',
    values: [tenant.tenant, payoutIds],
    scope: tenant,
  });
  let newly = 0;
  for (const { id } of unmatched) {
    for (let after: number | null = 0; after !== null; ) {
      const tried = await matchSome(tx, tenant, id, after);
      newly += tried.matched;
      after = tried.last;
    }
  }
  return newly;
}

async function matchSome(tx: Queryable, tenant: Tenant, payoutId: string, after: number) {
  // Without a name, as where lines are inserted: payments may have become many since.
  const [tried] = await tx.query<{ matched: number; last: number | null }>({
    text: matchAgainSql,
    values: [tenant.tenant, payoutId, after],
    scope: tenant,
  });
  if (tried === undefined) throw new Error('a count without groups gives one row');
  return tried;
}

/** Has lines that did not match tried again, and counts. @param known payouts among them that were there before */
export async function matchedOf(tx: Queryable, tenant: Tenant, ids: readonly string[], known = ids) {
  const newlyMatched = known.length === 0 ? 0 : await matchAgain(tx, tenant, known);
  return { payouts: ids.length, ...(await countMatched(tx, tenant, ids)), newly_matched: newlyMatched };
}
