import { type Charts, declineLayers, rateMonths } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { Calendar, CalendarSpan } from '../figures/calendar.ts';
import { stepMs } from '../figures/store.ts';
import {
  attemptsByDay,
  type DayOfDeclines,
  type DayOfRequests,
  declinesByDay,
  disputesByPaymentSpan,
  endpointStates,
  paymentsByDay,
  paymentsBySpan,
  refundsBySpan,
  requestsByDay,
  type SpanSum,
} from './figures-store.ts';
import { endOfQuarter } from './key-figures.ts';
import { perPlace } from './per-place.ts';

/** What the charts are drawn for. */
export interface ChartOptions {
  readonly days: number;
  /** Null: the one with most payments. */
  readonly currency: string | null;
  /** Account time. */
  readonly now: Date;
  readonly realNow: Date;
  readonly seesEndpoints: boolean;
}

const labelsOf = (spans: readonly CalendarSpan[]) => spans.map(({ label }) => label);
const beginnings = (spans: readonly CalendarSpan[]) => spans.map(({ from }) => from);

/** Names by the sum of a number, the greatest first; those without any are left out. */
function ranked<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  numberOf: (row: Row) => number,
): string[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + numberOf(row));
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .toSorted(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))
    .map(([name]) => name);
}

function layersOf(rows: readonly DayOfDeclines[], places: number): Charts['declines'] {
  const count = ({ payments }: DayOfDeclines) => payments;
  const codes = ranked(rows, (row) => row.failure_code, count);
  const named = codes.slice(0, declineLayers);
  const layer = (code: string, belongs: (row: DayOfDeclines) => boolean) => ({
    code,
    payments: perPlace(places, rows.filter(belongs), count),
  });
  return [
    ...named.map((code) => layer(code, (row) => row.failure_code === code)),
    ...(codes.length > named.length ? [layer('other', (row) => !named.includes(row.failure_code))] : []),
  ];
}

/** The duration that a share of the requests did not exceed. @param steps of one day, the shortest first */
export function percentile(steps: readonly Omit<DayOfRequests, 'day'>[], share: number): number | null {
  const all = steps.reduce((sum, { requests }) => sum + requests, 0);
  let counted = 0;
  for (const { step, requests } of steps) {
    counted += requests;
    if (counted >= share * all && counted > 0) return stepMs(step);
  }
  return null;
}

async function latencyOf(db: Queryable, tenant: Tenant, days: readonly CalendarSpan[]) {
  const rows = await requestsByDay(db, tenant, beginnings(days));
  const perDay = days.map((_, day) => rows.filter((row) => row.day === day));
  return {
    days: labelsOf(days),
    requests: perPlace(days.length, rows, ({ requests }) => requests),
    p50: perDay.map((steps) => percentile(steps, 0.5)),
    p95: perDay.map((steps) => percentile(steps, 0.95)),
    p99: perDay.map((steps) => percentile(steps, 0.99)),
  };
}

async function webhooksOf(db: Queryable, tenant: Tenant, days: readonly CalendarSpan[]) {
  const [endpoints, attempts] = await Promise.all([
    endpointStates(db, tenant),
    attemptsByDay(db, tenant, beginnings(days)),
  ]);
  return {
    days: labelsOf(days),
    endpoints: endpoints.map(({ id, url, status, pending, oldest_pending_at: oldest }) => {
      const own = attempts.filter(({ endpoint_id: endpoint }) => endpoint === id);
      return {
        id,
        url,
        status,
        first_attempts: perPlace(days.length, own, (row) => row.first_attempts),
        first_succeeded: perPlace(days.length, own, (row) => row.first_succeeded),
        retries: own.reduce((sum, row) => sum + row.retries, 0),
        retries_succeeded: own.reduce((sum, row) => sum + row.retries_succeeded, 0),
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
  const [payments, refunds, disputes] = await Promise.all([
    paymentsBySpan(db, tenant, spans),
    refundsBySpan(db, tenant, spans, 'payment'),
    disputesByPaymentSpan(db, tenant, spans),
  ]);
  const each = <Row extends { readonly name: string; readonly currency: string }>(
    rows: readonly Row[],
    value: (row: Row) => number,
  ) =>
    months.map(({ label }) => {
      const row = rows.find((one) => one.name === label && one.currency === currency);
      return row === undefined ? 0 : value(row);
    });
  const count = (row: SpanSum) => row.count;
  const amount = (row: SpanSum) => row.amount;
  return {
    labels: labelsOf(months),
    payments: each(payments, (row) => row.payments),
    amount: each(payments, (row) => row.volume),
    refunds: each(refunds, count),
    refunded: each(refunds, amount),
    disputes: each(disputes, count),
    disputed: each(disputes, amount),
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
  const row = { days: beginnings(days), to: endOfQuarter(options.now) };
  const [payments, declines] = await Promise.all([
    paymentsByDay(db, tenant, row),
    declinesByDay(db, tenant, row),
  ]);
  const currencies = ranked(
    payments,
    (one) => one.currency,
    ({ approved, declined, unfinished }) => approved + declined + unfinished,
  );
  const currency = options.currency ?? currencies[0] ?? null;
  const [months, latency, webhooks] = await Promise.all([
    ratesOf(db, tenant, { now: options.now, currency }, calendar),
    latencyOf(db, tenant, realDays),
    options.seesEndpoints ? webhooksOf(db, tenant, realDays) : null,
  ]);
  const collected = payments.filter((one) => one.currency === currency);
  return {
    currencies,
    currency,
    days: labelsOf(days),
    volume: {
      payments: perPlace(days.length, collected, ({ succeeded }) => succeeded),
      amount: perPlace(days.length, collected, ({ amount }) => amount),
    },
    success: {
      approved: perPlace(days.length, payments, ({ approved }) => approved),
      declined: perPlace(days.length, payments, ({ declined }) => declined),
      unfinished: perPlace(days.length, payments, ({ unfinished }) => unfinished),
    },
    declines: layersOf(declines, days.length),
    months,
    latency,
    webhooks,
  };
}
