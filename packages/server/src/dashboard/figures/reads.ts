import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { attemptsSince } from '../../webhooks/lists/attempts.ts';
import { type Measure, measures, ofAttempts } from './measures.ts';

/** The sum of a measure and label between two neighbouring times. */
export interface FigureSum {
  /** Index of the earlier of the two times, from 0. */
  readonly place: number;
  readonly measure: Measure;
  /** A currency, a failure code, a duration step or an endpoint, depending on the measure. */
  readonly label: string;
  readonly count: number;
  /** Minor units of what succeeded; 0 if the measure has no amounts. */
  readonly amount: number;
}

/**
 * @param figures the table, or rows of the same shape. All times are passed as $3, so that each row is read once whatever
 *   its span
 */
const sumsOf = (figures: string) => `
  select width_bucket(at, $3::timestamptz[]) - 1 as place, measure, label, sum(count)::bigint as count,
    sum(amount)::bigint as amount
  from ${figures}
  where tenant = $1 and measure = any ($2) and at >= $4 and at < $5
  group by 1, 2, 3`;

/** Sums between each time and the next. @param times at least two, oldest first, on quarter hours; the last is exclusive */
export async function readFigures(
  db: Queryable,
  tenant: Tenant,
  wanted: readonly Measure[],
  times: readonly Date[],
): Promise<FigureSum[]> {
  return db.query<FigureSum>({
    name: 'figures_between',
    text: sumsOf('figures'),
    values: [tenant.tenant, wanted, times, times[0], times.at(-1)],
    scope: tenant,
  });
}

/** Sums of webhook attempts like `readFigures`, including those that are not counted yet. In real time. */
export async function readAttempts(
  db: Queryable,
  tenant: Tenant,
  times: readonly Date[],
): Promise<FigureSum[]> {
  // If the tenant's own time is later, its attempts were counted since. Starting from the later time counts none of them
  // twice.
  const uncounted = attemptsSince({
    account: '$6',
    tenant: '$1',
    since: 'greatest($7, (select attempts_until from figures_progress where tenant = $1))',
  });
  return db.query<FigureSum>({
    name: 'figures_of_attempts',
    text: sumsOf(
      `(select tenant, measure, at, label, count, amount from figures where tenant = $1 union all ${ofAttempts(uncounted)}) f`,
    ),
    values: [
      tenant.tenant,
      measures.attempts,
      times,
      times[0],
      times.at(-1),
      tenant.accountId,
      await attemptsCountedUntil(db),
    ],
    scope: tenant,
  });
}

/**
 * The real time up to which webhook attempts are counted: the latest of all accounts. An account whose own time is earlier
 * has had no attempts since.
 */
export async function attemptsCountedUntil(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ until: Date }>({
    name: 'attempts_counted_until',
    scope: 'everybody',
    text: `select coalesce(max(attempts_until), timestamptz '1970-01-01 00:00:00Z') as until from figures_progress`,
  });
  if (row === undefined) throw new Error('a statement that sums up gives one row');
  return row.until;
}
