import { type Charts, declineLayers, rateMonths } from '@till/contract/dashboard';
import { disputesByPaymentSpan, type SpanSum } from '../../disputes/spans.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { endpointStates } from '../../webhooks/lists/deliveries.ts';
import type { Calendar, CalendarSpan } from '../figures/calendar.ts';
import { type Measure, measures, stepMs } from '../figures/measures.ts';
import { type FigureSum, readAttempts, readFigures } from '../figures/reads.ts';
import { endOfQuarter } from './key-figures.ts';
import { perPlace } from './per-place.ts';

/** What the charts are drawn for. */
export interface ChartOptions {
  readonly days: number;
  /** Null for the currency with the most payments. */
  readonly currency: string | null;
  /** Account time. */
  readonly now: Date;
  readonly realNow: Date;
  readonly seesEndpoints: boolean;
}

const labelsOf = (spans: readonly CalendarSpan[]) => spans.map(({ label }) => label);
/** When each span begins, and when the last one ends. */
const timesOf = (spans: readonly CalendarSpan[], end: Date) => [...spans.map(({ from }) => from), end];

const count = (sum: FigureSum) => sum.count;
const amount = (sum: FigureSum) => sum.amount;
const of =
  (...wanted: readonly Measure[]) =>
  ({ measure }: FigureSum) =>
    wanted.includes(measure);

/** Labels by their count, greatest first. Labels with a count of zero are left out. */
function ranked(sums: readonly FigureSum[]): string[] {
  const counts = new Map<string, number>();
  for (const { label, count: more } of sums) counts.set(label, (counts.get(label) ?? 0) + more);
  return [...counts]
    .filter(([, sum]) => sum > 0)
    .toSorted(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))
    .map(([label]) => label);
}

function layersOf(sums: readonly FigureSum[], places: number): Charts['declines'] {
  const codes = ranked(sums);
  const named = codes.slice(0, declineLayers);
  const layer = (code: string, belongs: (sum: FigureSum) => boolean) => ({
    code,
    payments: perPlace(places, sums.filter(belongs), count),
  });
  return [
    ...named.map((code) => layer(code, ({ label }) => label === code)),
    ...(codes.length > named.length ? [layer('other', ({ label }) => !named.includes(label))] : []),
  ];
}

/** The duration that a share of the requests did not exceed. @param steps of one day, the shortest first */
export function percentile(
  steps: readonly { readonly step: number; readonly requests: number }[],
  share: number,
): number | null {
  const all = steps.reduce((sum, { requests }) => sum + requests, 0);
  let counted = 0;
  for (const { step, requests } of steps) {
    counted += requests;
    if (counted >= share * all && counted > 0) return stepMs(step);
  }
  return null;
}

/** @param times when each day begins, and when the last one ends */
async function latencyOf(db: Queryable, tenant: Tenant, labels: string[], times: readonly Date[]) {
  const sums = await readFigures(db, tenant, measures.requests, times);
  const steps = sums
    .map((sum) => ({ place: sum.place, step: Number(sum.label), requests: sum.count }))
    .toSorted((one, other) => one.step - other.step);
  const perDay = labels.map((_, day) => steps.filter(({ place }) => place === day));
  return {
    days: labels,
    requests: perPlace(labels.length, sums, count),
    p50: perDay.map((ofDay) => percentile(ofDay, 0.5)),
    p95: perDay.map((ofDay) => percentile(ofDay, 0.95)),
    p99: perDay.map((ofDay) => percentile(ofDay, 0.99)),
  };
}

async function webhooksOf(db: Queryable, tenant: Tenant, labels: string[], times: readonly Date[]) {
  const [endpoints, attempts] = await Promise.all([
    endpointStates(db, tenant),
    readAttempts(db, tenant, times),
  ]);
  return {
    days: labels,
    endpoints: endpoints.map(({ id, name, url, status, pending, oldest_pending_at: oldest }) => {
      const own = (...wanted: readonly Measure[]) =>
        attempts.filter(({ label }) => label === id).filter(of(...wanted));
      const all = (sums: readonly FigureSum[]) => sums.reduce((sum, one) => sum + one.count, 0);
      return {
        id,
        name,
        url,
        status,
        first_attempts: perPlace(labels.length, own('attempts_succeeded', 'attempts_failed'), count),
        first_succeeded: perPlace(labels.length, own('attempts_succeeded'), count),
        retries: all(own('retries_succeeded', 'retries_failed')),
        retries_succeeded: all(own('retries_succeeded')),
        pending,
        oldest_pending_at: oldest && isoSeconds(oldest),
      };
    }),
  };
}

async function ratesOf(
  db: Queryable,
  tenant: Tenant,
  { now, currency }: { readonly now: Date; readonly currency: string | null },
  calendar: Calendar,
): Promise<Charts['months']> {
  const months = calendar.months(now, rateMonths);
  const end = endOfQuarter(now);
  const spans = months.map(({ label, from }, index) => ({
    name: label,
    from,
    to: months[index + 1]?.from ?? end,
  }));
  const [sums, disputes] = await Promise.all([
    readFigures(db, tenant, ['payments_succeeded', 'refunds_by_payment'], timesOf(months, end)),
    disputesByPaymentSpan(db, tenant, spans),
  ]);
  const each = (measure: Measure, value: (sum: FigureSum) => number) =>
    perPlace(
      months.length,
      sums.filter((sum) => sum.measure === measure && sum.label === currency),
      value,
    );
  const ofDisputes = (value: (row: SpanSum) => number) =>
    months.map(({ label }) => {
      const row = disputes.find((one) => one.name === label && one.currency === currency);
      return row === undefined ? 0 : value(row);
    });
  return {
    labels: labelsOf(months),
    payments: each('payments_succeeded', count),
    amount: each('payments_succeeded', amount),
    refunds: each('refunds_by_payment', count),
    refunded: each('refunds_by_payment', amount),
    disputes: ofDisputes((row) => row.count),
    disputed: ofDisputes((row) => row.amount),
  };
}

/** The numbers behind the six charts. */
export async function readCharts(
  db: Queryable,
  tenant: Tenant,
  options: ChartOptions,
  calendar: Calendar,
): Promise<Omit<Charts, 'complete'>> {
  const days = calendar.days(options.now, options.days);
  const realDays = calendar.days(options.realNow, options.days);
  const sums = await readFigures(
    db,
    tenant,
    [...measures.payments, ...measures.declines],
    timesOf(days, endOfQuarter(options.now)),
  );
  const payments = sums.filter(of(...measures.payments));
  const currencies = ranked(payments);
  const currency = options.currency ?? currencies[0] ?? null;
  const realTimes = timesOf(realDays, endOfQuarter(options.realNow));
  const [months, latency, webhooks] = await Promise.all([
    ratesOf(db, tenant, { now: options.now, currency }, calendar),
    latencyOf(db, tenant, labelsOf(realDays), realTimes),
    options.seesEndpoints ? webhooksOf(db, tenant, labelsOf(realDays), realTimes) : null,
  ]);
  const collected = payments.filter(
    ({ measure, label }) => measure === 'payments_succeeded' && label === currency,
  );
  const countOf = (...wanted: readonly Measure[]) =>
    perPlace(days.length, payments.filter(of(...wanted)), count);
  return {
    currencies,
    currency,
    days: labelsOf(days),
    volume: {
      payments: perPlace(days.length, collected, count),
      amount: perPlace(days.length, collected, amount),
    },
    success: {
      approved: countOf('payments_succeeded', 'payments_held'),
      declined: countOf('payments_declined'),
      unfinished: countOf('payments_unfinished'),
    },
    declines: layersOf(sums.filter(of('declines')), days.length),
    months,
    latency,
    webhooks,
  };
}
