import {
  type CardTestingKind,
  type CardTestingLimits,
  defaultCardTestingLimits,
} from '@till/contract/dashboard';
import { bytes, int, oneOf, tenantColumns, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { MarkRow } from './reads.ts';
import type { PerKind } from './verdict.ts';

/** A key under which an attempt is counted: a kind, and a keyed hash of the counted value. */
export interface Counted {
  readonly kind: CardTestingKind;
  readonly name: Buffer;
}

export const countColumns = {
  ...tenantColumns,
  kind: oneOf<CardTestingKind>(),
  name: bytes,
  declines: int,
  since: time,
  open: int,
  opened_at: time,
  counted_at: time,
} as const;

const columnsOf = (counted: readonly Counted[]) => [
  counted.map(({ kind }) => kind),
  counted.map(({ name }) => name),
];

/** The counts that decide about an attempt. `open`: attempts being sent, including this one, for the kinds that have a limit. */
export interface Counts {
  readonly limits: CardTestingLimits;
  readonly declines: PerKind;
  readonly open: PerKind;
}

/** `now` and `since`, the start of the window, are account time; `real` is real time, for expiry and removal. */
export interface CountTimes {
  readonly now: Date;
  readonly since: Date;
  readonly real: Date;
}

/**
 * How long open attempts count after the first of them, in milliseconds: longer than any attempt takes. So attempts that an ended
 * process left open expire. If attempts overlap without a gap for this long, the open ones are forgotten once.
 */
const openMs = 120_000;

/**
 * Counts an attempt as open for each kind with a refusal limit, and reads the declines. Of concurrent attempts, each sees those
 * that were counted before it.
 */
export async function openAttempt(
  db: Queryable,
  tenant: Tenant,
  counted: readonly Counted[],
  { now, since, real }: CountTimes,
): Promise<Counts> {
  const rows = await db.query<{
    kind: CardTestingKind;
    declines: number;
    open: number;
    limits: CardTestingLimits | null;
  }>({
    name: 'open_card_attempt',
    // All attempts lock rows in the same order, so that two concurrent ones cannot deadlock.
    text: `with own as (select limits from card_testing_limits where account_id = $7),
           named as (
             select k.kind, k.name, coalesce((select limits from own), $8::jsonb) -> k.kind -> 'refuse_after' <> 'null' as bounded
             from unnest($2::text[], $3::bytea[]) as k (kind, name)),
           opened as (
             insert into card_declines as c (tenant, kind, name, declines, since, open, opened_at, counted_at)
             select $1, kind, name, 0, $4, 1, $6, $6 from named where bounded order by kind, name
             on conflict (tenant, kind, name) do update set
               declines = case when c.since > $5 then c.declines else 0 end,
               since = case when c.since > $5 then c.since else excluded.since end,
               open = case when c.since > $5 and c.opened_at > $9 then c.open else 0 end + 1,
               -- Not renewed by each attempt: else what an ended process left open would count as long as anybody tries.
               opened_at = case when c.open > 0 and c.since > $5 and c.opened_at > $9 then c.opened_at else excluded.opened_at end,
               counted_at = excluded.counted_at
             returning kind, declines, open)
           select k.kind, coalesce(o.declines, c.declines, 0) as declines, coalesce(o.open, 0) as open,
             (select limits from own) as limits
           from named k left join opened o on o.kind = k.kind
           left join card_declines c on c.tenant = $1 and c.kind = k.kind and c.name = k.name and c.since > $5`,
    values: [
      tenant.tenant,
      ...columnsOf(counted),
      now,
      since,
      real,
      tenant.accountId,
      JSON.stringify(defaultCardTestingLimits),
      new Date(real.getTime() - openMs),
    ],
    scope: tenant,
  });
  const perKind = (count: 'declines' | 'open'): PerKind =>
    Object.fromEntries(rows.map((row) => [row.kind, row[count]]));
  return {
    limits: rows[0]?.limits ?? defaultCardTestingLimits,
    declines: perKind('declines'),
    open: perKind('open'),
  };
}

/** Ends an open attempt that was not declined. A count without declines and open attempts is deleted. */
export async function closeAttempt(
  db: Queryable,
  tenant: Tenant,
  counted: readonly Counted[],
): Promise<void> {
  await db.query({
    name: 'close_card_attempt',
    text: `with held as (
             select c.kind, c.name, c.declines = 0 and c.open <= 1 as last
             from card_declines c join unnest($2::text[], $3::bytea[]) as k (kind, name) on c.kind = k.kind and c.name = k.name
             where c.tenant = $1 order by c.kind, c.name for update of c),
           removed as (
             delete from card_declines c using held h
             where c.tenant = $1 and c.kind = h.kind and c.name = h.name and h.last)
           update card_declines c set open = greatest(c.open - 1, 0) from held h
           where c.tenant = $1 and c.kind = h.kind and c.name = h.name and not h.last`,
    values: [tenant.tenant, ...columnsOf(counted)],
    scope: tenant,
  });
}

/**
 * Counts one decline. If the last window is over, a new one begins.
 * @param open 1 if this ends an attempt that is counted as open, else 0
 */
export async function countDecline(
  db: Queryable,
  tenant: Tenant,
  counted: readonly Counted[],
  { now, since, real }: CountTimes,
  open: 0 | 1,
): Promise<void> {
  await db.query({
    name: 'count_card_decline',
    text: `insert into card_declines as c (tenant, kind, name, declines, since, open, opened_at, counted_at)
           select $1, k.kind, k.name, 1, $4, 0, $6, $6 from unnest($2::text[], $3::bytea[]) as k (kind, name)
           order by k.kind, k.name
           on conflict (tenant, kind, name) do update set counted_at = excluded.counted_at,
             open = greatest(c.open - $7, 0),
             declines = case when c.since > $5 then c.declines + 1 else 1 end,
             since = case when c.since > $5 and c.declines > 0 then c.since else excluded.since end`,
    values: [tenant.tenant, ...columnsOf(counted), now, since, real, open],
    scope: tenant,
  });
}

/** Stores with the payment that an attempt to pay it was slowed down or refused. `mark.at` is account time. */
export async function markPayment(
  db: Queryable,
  tenant: Tenant,
  mark: Omit<MarkRow, 'times'> & { readonly paymentId: string },
): Promise<void> {
  await db.query({
    name: 'mark_card_testing',
    text: `insert into card_testing_marks as m (tenant, payment_id, effect, because, times, at)
           values ($1, $2, $3, $4, 1, $5)
           on conflict (tenant, payment_id, effect, because) do update set times = m.times + 1`,
    values: [tenant.tenant, mark.paymentId, mark.effect, mark.because, mark.at],
    scope: tenant,
  });
}

/** Removes counts that were last changed at or before a time, because none of them counts any more. @param before real time */
export async function removeOldCounts(db: Queryable, before: Date): Promise<void> {
  await db.query({
    name: 'remove_card_declines',
    text: 'delete from card_declines where counted_at <= $1',
    values: [before],
    scope: 'everybody',
  });
}
