import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { holdsNothing, holdsSame, isOpen, isRepeat } from './matching.ts';
import type { PayoutRow } from './row.ts';

/** How many lines one statement changes at most, so that no statement runs long. */
const changedAtOnce = 10_000;

/**
 * A statement on the lines of one payout. Its `$1` to `$4` are tenant, payout, and the numbers after which and up to which a
 * batch goes.
 */
interface Batches {
  readonly name: string;
  readonly sql: string;
  readonly payoutId: string;
  readonly lines: number;
}

/** Runs a statement on all lines of a payout, in bounded batches. @param more values of `$5` and so on */
export async function onLines(
  tx: Queryable,
  tenant: Tenant,
  { name, sql, payoutId, lines }: Batches,
  ...more: unknown[]
): Promise<void> {
  for (let after = 0; after < lines; after += changedAtOnce) {
    await tx.query({
      name,
      text: sql,
      values: [tenant.tenant, payoutId, after, after + changedAtOnce, ...more],
      scope: tenant,
    });
  }
}

const inBatch = (alias: string) =>
  `${alias}.payout_id = $2 and ${alias}.number > $3 and ${alias}.number <= $4`;

/** Deletes all lines of a payout. */
export const removeLines = (
  tx: Queryable,
  tenant: Tenant,
  payoutId: string,
  lines: number,
): Promise<void> => {
  const sql = `delete from payout_lines l where l.tenant = $1 and ${inBatch('l')}`;
  return onLines(tx, tenant, { name: 'remove_payout_lines', sql, payoutId, lines });
};

/**
 * SQL of the payouts with lines that do not count because lines of a payout, in a batch, hold the same payment, refund or
 * transaction.
 */
const waitingForLines = `
  select l.payout_id from payout_lines g join payout_lines l on l.tenant = $1 and ${holdsSame('l', 'g')}
  where g.tenant = $1 and ${inBatch('g')} and l.payout_id <> $2 and ${holdsNothing('l')}
  union select l.payout_id from payout_lines g join payout_lines l on l.tenant = $1 and l.identity = g.identity
  where g.tenant = $1 and ${inBatch('g')} and l.payout_id <> $2 and ${holdsNothing('l')}`;

/**
 * Deletes the lines of a payout that a later report corrects. Payouts whose lines did not count because of these lines become due
 * at once. @param now real time
 */
export async function removeCorrected(
  tx: Queryable,
  tenant: Tenant,
  { id: payoutId, lines_count: lines }: Pick<PayoutRow, 'id' | 'lines_count'>,
  now: Date,
): Promise<void> {
  const freeing = {
    name: 'judge_payouts_again',
    sql: `update payouts o set match_at = $5 where o.tenant = $1 and o.match_at > $5 and o.id in (${waitingForLines})`,
  };
  await onLines(tx, tenant, { ...freeing, payoutId, lines }, now);
  await removeLines(tx, tenant, payoutId, lines);
}

interface Counted extends Pick<PayoutRow, 'unmatched_count'> {
  /** Lines to judge again: they do not match, or their refund is pending. */
  readonly open: number;
}

/**
 * Marks the lines of a payout whose transaction is in another report, and then those whose payment or refund is held by another
 * line: an earlier line of this payout, or a line of another payout.
 * @param later payouts of the same report that are marked after this one; their lines hold nothing yet
 */
export async function markHeld(
  tx: Queryable,
  tenant: Tenant,
  { id: payoutId, lines }: { readonly id: string; readonly lines: number },
  later: readonly string[],
): Promise<Counted> {
  const isLater = (alias: string) => `${alias}.payout_id = any ($5::text[])`;
  const repeats = {
    name: 'mark_reported_before',
    sql: `update payout_lines l set unmatched = 'reported_before' where l.tenant = $1 and ${inBatch('l')} and ${isRepeat('l', isLater)}`,
  };
  await onLines(tx, tenant, { ...repeats, payoutId, lines }, later);
  const paid = {
    name: 'mark_paid_before',
    sql: `update payout_lines l set unmatched = 'paid_before'
           where l.tenant = $1 and ${inBatch('l')} and l.unmatched is null and exists (
             select from payout_lines o where o.tenant = $1 and ${holdsSame('o', 'l')}
               and case when o.payout_id = $2 then o.number < l.number else not ${holdsNothing('o')} and not ${isLater('o')} end)`,
  };
  await onLines(tx, tenant, { ...paid, payoutId, lines }, later);
  const [counted] = await tx.query<Counted>({
    name: 'count_open_payout_lines',
    text: `select (count(*) filter (where unmatched is not null))::int as unmatched_count, count(*)::int as open
           from payout_lines l where tenant = $1 and payout_id = $2 and ${isOpen('l')}`,
    values: [tenant.tenant, payoutId],
    scope: tenant,
  });
  if (counted === undefined) throw new Error('a count without groups gives one row');
  return counted;
}
