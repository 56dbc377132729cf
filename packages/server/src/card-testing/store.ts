import {
  type CardTestingKind,
  type CardTestingLimits,
  defaultCardTestingLimits,
} from '@till/contract/dashboard';
import { bytes, int, oneOf, tenantColumns, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { MarkRow } from './reads.ts';
import type { Declines } from './verdict.ts';

/** What an attempt is counted by: a kind, and a keyed hash of what it was. */
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
  counted_at: time,
} as const;

const columnsOf = (counted: readonly Counted[]) => [
  counted.map(({ kind }) => kind),
  counted.map(({ name }) => name),
];

/** The account's limits, and what was declined since a time. @param since account time */
export async function readCounts(
  db: Queryable,
  tenant: Tenant,
  counted: readonly Counted[],
  since: Date,
): Promise<{ readonly limits: CardTestingLimits; readonly declines: Declines }> {
  const rows = await db.query<{
    kind: CardTestingKind;
    declines: number;
    limits: CardTestingLimits | null;
  }>({
    name: 'read_card_declines',
    text: `select k.kind, coalesce(c.declines, 0) as declines, l.limits
           from unnest($2::text[], $3::bytea[]) as k (kind, name)
           left join card_declines c on c.tenant = $1 and c.kind = k.kind and c.name = k.name and c.since > $4
           left join card_testing_limits l on l.account_id = $5`,
    values: [tenant.tenant, ...columnsOf(counted), since, tenant.accountId],
    scope: tenant,
  });
  return {
    limits: rows[0]?.limits ?? defaultCardTestingLimits,
    declines: Object.fromEntries(rows.map(({ kind, declines }) => [kind, declines])),
  };
}

/**
 * Counts one decline. Where the last window is over, a new one begins.
 * @param times `now` and `since` in account time, `real` for removal
 */
export async function countDecline(
  db: Queryable,
  tenant: Tenant,
  counted: readonly Counted[],
  { now, since, real }: { readonly now: Date; readonly since: Date; readonly real: Date },
): Promise<void> {
  await db.query({
    name: 'count_card_decline',
    // In one order for all, so that two declines at once wait for each other instead of for ever.
    text: `insert into card_declines as c (tenant, kind, name, declines, since, counted_at)
           select $1, k.kind, k.name, 1, $4, $6 from unnest($2::text[], $3::bytea[]) as k (kind, name)
           order by k.kind, k.name
           on conflict (tenant, kind, name) do update set counted_at = excluded.counted_at,
             declines = case when c.since > $5 then c.declines + 1 else 1 end,
             since = case when c.since > $5 then c.since else excluded.since end`,
    values: [tenant.tenant, ...columnsOf(counted), now, since, real],
    scope: tenant,
  });
}

/** Keeps with the payment that an attempt at it was slowed down or refused. @param at account time */
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

/** Removes counts of which the latest decline is older: none of them counts any more. @param before real time */
export async function removeOldCounts(db: Queryable, before: Date): Promise<void> {
  await db.query({
    name: 'remove_card_declines',
    text: 'delete from card_declines where counted_at <= $1',
    values: [before],
    scope: 'everybody',
  });
}
