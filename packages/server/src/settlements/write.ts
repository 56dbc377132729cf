import type { PayoutKey, ReportLine } from '../processors/port/settlement.ts';
import {
  bigint,
  cte,
  int,
  jsonRows,
  listOf,
  only,
  parametersOf,
  rowsOfJson,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { numbered } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { onLines } from './lines.ts';
import { matchOf } from './matching.ts';
import { lineColumns, type PayoutRow, payoutColumns, type ReportRow, reportColumns } from './row.ts';

/** Takes the tenant's import lock, which is held until the transaction ends: only one import of a tenant runs at a time. */
export async function lockImports(tx: Queryable, tenant: Tenant): Promise<void> {
  await tx.query({
    name: 'lock_settlements',
    text: `select pg_advisory_xact_lock(hashtext('settlements'), $1)`,
    values: [tenant.tenant],
    scope: tenant,
  });
}

/** Like `lockImports`, without waiting. @returns false if another import holds the lock */
export async function tryLockImports(tx: Queryable, tenant: Tenant): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>({
    name: 'try_lock_settlements',
    text: `select pg_try_advisory_xact_lock(hashtext('settlements'), $1) as locked`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row?.locked === true;
}

/** Finds the earlier import of the same file. @returns undefined if it was never imported */
export async function findReport(
  db: Queryable,
  tenant: Tenant,
  sha256: Buffer,
): Promise<ReportRow | undefined> {
  const [row] = await db.query<ReportRow>({
    name: 'find_settlement_report',
    text: `select ${listOf(reportColumns)} from settlement_reports where tenant = $1 and sha256 = $2`,
    values: [tenant.tenant, sha256],
    scope: tenant,
  });
  return row;
}

export async function insertReport(tx: Queryable, tenant: Tenant, report: ReportRow): Promise<void> {
  await tx.query({
    name: 'insert_settlement_report',
    text: `insert into settlement_reports (${listOf(reportColumns)}) values (${parametersOf(reportColumns)})`,
    values: valuesOf(reportColumns, report),
    scope: tenant,
  });
}

const matchedBy = only(
  lineColumns,
  'upstream_payment',
  'named_payment',
  'named_refund',
  'original_amount',
  'original_currency',
);

/** Input columns of a line to insert, including those that it is matched by. */
const lineInput = {
  tenant: lineColumns.tenant,
  id: text,
  payout_id: text,
  number: int,
  type: lineColumns.type,
  gross: bigint,
  fee: bigint,
  upstream_reference: text,
  at: time,
  ...matchedBy,
  identity: lineColumns.identity,
} as const;

export interface NewLine {
  readonly id: string;
  readonly payoutId: string;
  readonly number: number;
  readonly read: ReportLine;
}

const insertLinesSql = `
insert into payout_lines (${listOf(lineInput)}, payment_id, refund_id, dispute_id, unmatched, awaits_refund)
select ${listOf(lineInput, 'i')}, m.payment_id, m.refund_id, m.dispute_id, m.unmatched, m.awaits_refund
from ${rowsOfJson(lineInput).replace(' as r (', ' as i (')} cross join lateral (${matchOf('i')}) m`;

/** Inserts lines, matched to the records, of payouts that are not inserted yet. */
export async function insertLines(tx: Queryable, tenant: Tenant, lines: readonly NewLine[]): Promise<void> {
  const rows = lines.map(({ id, payoutId, number, read }) => {
    const { type, gross, fee, at, original } = read;
    if (type === 'paid_out') throw new Error('the transfer to the bank is no line of its payout');
    const more = {
      id,
      payout_id: payoutId,
      number,
      type,
      gross,
      fee,
      at,
      upstream_reference: read.upstreamReference,
      upstream_payment: read.upstreamPayment,
      named_payment: read.payment,
      named_refund: read.refund,
      original_amount: original?.amount ?? null,
      original_currency: original?.currency ?? null,
      identity: read.identity,
    };
    return [{ tenant: tenant.tenant }, more] as const;
  });
  // Unnamed, so that it is planned each time: a plan from a time with few payments would scan all of them for each line.
  await tx.query({
    text: insertLinesSql,
    values: [jsonRows(lineInput, rows)],
    scope: tenant,
  });
}

/** Finds the payout with the same key if it was imported before. */
export async function findKnown(
  tx: Queryable,
  tenant: Tenant,
  provider: PayoutRow['provider'],
  { merchantAccount, reference, currency }: PayoutKey,
): Promise<PayoutRow | undefined> {
  const [row] = await tx.query<PayoutRow>({
    name: 'find_known_payout',
    text: `select ${listOf(payoutColumns)} from payouts
           where tenant = $1 and provider = $2 and merchant_account = $3 and reference = $4 and currency = $5`,
    values: [tenant.tenant, provider, merchantAccount, reference, currency],
    scope: tenant,
  });
  return row;
}

/** The sums over the lines of one payout. */
export type Sums = Pick<PayoutRow, 'gross' | 'fees' | 'lines_count' | 'digest'>;

/** Sums up the lines of a payout. The digest covers only the report's content, because what the lines match may change. */
export async function sumLines(tx: Queryable, tenant: Tenant, payoutId: string): Promise<Sums> {
  const [sums] = await tx.query<Sums>({
    name: 'sum_payout_lines',
    text: `select coalesce(sum(gross), 0)::bigint as gross, coalesce(sum(fee), 0)::bigint as fees, count(*)::int as lines_count,
             coalesce(md5(string_agg(line, '' order by line)), '') as digest
           from (select gross, fee,
               md5(jsonb_build_array(type, gross, fee, upstream_reference, at at time zone 'UTC', ${listOf(matchedBy)})::text) as line
             from payout_lines where tenant = $1 and payout_id = $2) l`,
    values: [tenant.tenant, payoutId],
    scope: tenant,
  });
  if (sums === undefined) throw new Error('a sum without groups gives one row');
  return sums;
}

const newPayouts = cte('new_payouts', { ...payoutColumns, seq: bigint });

export async function insertPayout(tx: Queryable, tenant: Tenant, payout: PayoutRow): Promise<void> {
  await tx.query({
    name: 'insert_payout',
    text: `with input as (select 1 as n, i.* from (values (${parametersOf(payoutColumns)})) as v
             (${listOf(payoutColumns)}) cross join lateral (select ${Object.entries(payoutColumns)
               .map(([name, { sql }]) => `v.${name}::${sql} as ${name}`)
               .join(', ')}) i),
           ${numbered(newPayouts.name, 'payouts', cte('input', { n: int, ...payoutColumns }))}
           insert into payouts (${listOf(payoutColumns)}, seq) select ${listOf(payoutColumns)}, seq from new_payouts`,
    values: valuesOf(payoutColumns, payout),
    scope: tenant,
  });
}

/** Replaces a payout by a later report of it: moves the new lines to it. The caller has removed the old lines. */
export async function correctPayout(
  tx: Queryable,
  tenant: Tenant,
  {
    known,
    written,
    sums,
    arrivalDate,
    matchAt,
  }: {
    known: Pick<PayoutRow, 'id'>;
    written: { readonly id: string; readonly lines: number };
    sums: Sums & Pick<PayoutRow, 'unmatched_count'>;
    arrivalDate: string;
    matchAt: Date | null;
  },
): Promise<void> {
  const moving = {
    name: 'move_payout_lines',
    sql: `update payout_lines set payout_id = $5
           where tenant = $1 and payout_id = $2 and number > $3 and number <= $4`,
  };
  await onLines(tx, tenant, { ...moving, payoutId: written.id, lines: written.lines }, known.id);
  await tx.query({
    name: 'correct_payout',
    text: `update payouts set gross = $3, fees = $4, lines_count = $5, unmatched_count = $6, digest = $7,
             arrival_date = $8, corrections = corrections + 1, match_tries = 0, match_at = $9
           where tenant = $1 and id = $2`,
    values: [
      tenant.tenant,
      known.id,
      sums.gross,
      sums.fees,
      sums.lines_count,
      sums.unmatched_count,
      sums.digest,
      arrivalDate,
      matchAt,
    ],
    scope: tenant,
  });
}
