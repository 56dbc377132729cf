import { type ReactNode, useState } from 'react';
import type { Answer } from '../../api/calls.ts';
import { BarChart, StackedBar } from '../../components/charts/bar-chart.tsx';
import { LineChart } from '../../components/charts/line-chart.tsx';
import { SegmentedControl } from '../../components/forms/segmented-control.tsx';
import { dayLabel, greatest, monthLabel, percentOf, percentText, sum } from '../../lib/amounts/figures.ts';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { failureText } from '../../lib/wording/failure-texts.ts';
import { countOf, countText } from '../../lib/wording/plural.ts';

export type ChartData = Answer<'retrieveCharts'>;

/** A chart in a card, with a summary and a note that says what is counted. */
export function ChartCard({
  summary,
  definition,
  tools,
  children,
}: {
  /** Undefined if there is no data. */
  readonly summary: string | undefined;
  readonly definition: ReactNode;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col rounded-lg border border-line bg-surface px-4 py-3.5 shadow-sm sm:px-5">
      {children}
      {tools !== undefined && <div className="mt-3">{tools}</div>}
      {summary !== undefined && <p className="mt-3 text-sm text-text-2">{summary}</p>}
      <p className="mt-auto pt-2 text-sm text-text-3">{definition}</p>
    </div>
  );
}

/** Shown instead of a chart that has no data. */
export const NoChart = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <figure className="min-w-0">
    <figcaption className="mb-2 font-medium">{title}</figcaption>
    <p className="py-10 text-center text-text-2">{children}</p>
  </figure>
);

const days = (data: ChartData) => data.days.map(dayLabel);
const noPayments = 'No payments in this time.';

/** Volume and number of successful payments in one currency. */
export function VolumeChart({ data }: { readonly data: ChartData }) {
  const [unit, setUnit] = useState('amount');
  const { currency, volume } = data;
  const total = sum(volume.payments);
  if (currency === null || total === 0) {
    return (
      <ChartCard
        summary={undefined}
        definition="Payments that succeeded, by the day on which they were made."
      >
        <NoChart title={currency === null ? 'Volume' : `Volume in ${currency}`}>{noPayments}</NoChart>
      </ChartCard>
    );
  }
  const money = (amount: number) => formatMoney(amount, currency, language());
  const max = greatest(volume.amount);
  const summary = `${money(sum(volume.amount))} from ${countOf(total, 'payment')}; the most on ${dayLabel(data.days[max?.place ?? 0] ?? '')} with ${money(max?.value ?? 0)}.`;
  const byAmount = unit === 'amount';
  return (
    <ChartCard
      summary={summary}
      definition="Payments that succeeded, by the day on which they were made, before refunds. One currency only."
      tools={
        <SegmentedControl
          legend="Show the volume as"
          name="volume-unit"
          value={unit}
          onChange={setUnit}
          choices={[
            { value: 'amount', label: 'Amount' },
            { value: 'payments', label: 'Number' },
          ]}
        />
      }
    >
      <BarChart
        title={byAmount ? `Volume in ${currency}` : `Payments in ${currency}`}
        labels={days(data)}
        series={[
          byAmount
            ? { name: 'Volume', values: volume.amount }
            : { name: 'Payments', values: volume.payments },
        ]}
        format={byAmount ? money : countText}
        whole
        summary={summary}
      />
    </ChartCard>
  );
}

/** The success rate, and the share of payments that expired or were abandoned. */
export function SuccessChart({ data: { days: dates, success } }: { readonly data: ChartData }) {
  const { approved, declined, unfinished } = success;
  const rates = approved.map((value, day) => percentOf(value, value + (declined[day] ?? 0)));
  const left = unfinished.map((value, day) =>
    percentOf(value, value + (approved[day] ?? 0) + (declined[day] ?? 0)),
  );
  const [good, bad, lost] = [sum(approved), sum(declined), sum(unfinished)];
  const rate = percentOf(good, good + bad);
  const title = 'Success rate';
  const definition =
    'Succeeded, authorized and voided payments among those and the failed ones, in all currencies. What expired or was abandoned is no decline: its share of all payments has a line of its own.';
  if (good + bad + lost === 0) {
    return (
      <ChartCard summary={undefined} definition={definition}>
        <NoChart title={title}>{noPayments}</NoChart>
      </ChartCard>
    );
  }
  const summary = `${rate === null ? 'No payment came to a decision' : `${percentText(rate)} of ${countOf(good + bad, 'payment')} succeeded`}; ${countText(lost)} more expired or ${lost === 1 ? 'was' : 'were'} abandoned.`;
  return (
    <ChartCard summary={summary} definition={definition}>
      <LineChart
        title={title}
        labels={dates.map(dayLabel)}
        series={[
          { name: 'Success rate', values: rates },
          { name: 'Expired or abandoned', values: left },
        ]}
        format={percentText}
        summary={summary}
      />
    </ChartCard>
  );
}

/** The reasons for which issuers declined. */
export function DeclineChart({ data: { days: dates, declines } }: { readonly data: ChartData }) {
  const title = 'Decline reasons';
  const definition =
    'Failed payments by their reason, the six most frequent apart. Without expired and abandoned ones.';
  const nameOf = (code: string) => (code === 'other' ? 'All others' : failureText(code).title);
  const [first] = declines;
  const total = sum(declines.flatMap(({ payments }) => payments));
  if (first === undefined) {
    return (
      <ChartCard summary={undefined} definition={definition}>
        <NoChart title={title}>No payment was declined in this time.</NoChart>
      </ChartCard>
    );
  }
  const share = percentOf(sum(first.payments), total) ?? 0;
  const summary = `${countOf(total, 'decline')}; most often “${nameOf(first.code)}” with ${percentText(share)}.`;
  return (
    <ChartCard summary={summary} definition={definition}>
      <StackedBar
        title={title}
        labels={dates.map(dayLabel)}
        series={declines.map(({ code, payments }) => ({ name: nameOf(code), values: payments }))}
        format={countText}
        whole
        summary={summary}
      />
    </ChartCard>
  );
}

/** Refund and dispute rates by month of payment. */
export function RateChart({ data: { currency, months } }: { readonly data: ChartData }) {
  const title = currency === null ? 'Refund and dispute rate' : `Refund and dispute rate in ${currency}`;
  const definition =
    'By the month in which the payment was made: refunds that succeeded and disputes, among the payments that succeeded. Requests for information do not count. Recent months still grow.';
  if (currency === null || sum(months.payments) === 0) {
    return (
      <ChartCard summary={undefined} definition={definition}>
        <NoChart title={title}>No payments in the last six months.</NoChart>
      </ChartCard>
    );
  }
  const rates = (counts: readonly number[], wholes: readonly number[]) =>
    counts.map((part, month) => percentOf(part, wholes[month] ?? 0));
  const overall = (counts: readonly number[], wholes: readonly number[]) =>
    percentText(percentOf(sum(counts), sum(wholes)) ?? 0);
  const summary = `In six months ${overall(months.refunded, months.amount)} of the volume was refunded (${countOf(sum(months.refunds), 'refund')}), and ${overall(months.disputed, months.amount)} disputed (${countOf(sum(months.disputes), 'dispute')}).`;
  return (
    <ChartCard summary={summary} definition={definition}>
      <BarChart
        title={title}
        labels={months.labels.map(monthLabel)}
        series={[
          { name: 'Refunds, by number', values: rates(months.refunds, months.payments) },
          { name: 'Refunds, by value', values: rates(months.refunded, months.amount) },
          { name: 'Disputes, by number', values: rates(months.disputes, months.payments) },
          { name: 'Disputes, by value', values: rates(months.disputed, months.amount) },
        ]}
        format={percentText}
        summary={summary}
      />
    </ChartCard>
  );
}

/** Response times of the API. */
export function LatencyChart({ data: { latency } }: { readonly data: ChartData }) {
  const title = 'API response time';
  const definition =
    'Of all requests with your API keys, as the server measured them: half, 95 % and 99 % were faster. Exact to about 5 %.';
  const total = sum(latency.requests);
  if (total === 0) {
    return (
      <ChartCard summary={undefined} definition={definition}>
        <NoChart title={title}>No requests in this time.</NoChart>
      </ChartCard>
    );
  }
  const slowest = greatest(latency.p99);
  const usual = latency.p50.findLast((value) => value !== null) ?? 0;
  const ms = (value: number) => `${countText(value)} ms`;
  const summary = `${countOf(total, 'request')}; lately half of them took at most ${ms(usual)}. The slowest day was ${dayLabel(latency.days[slowest?.place ?? 0] ?? '')}, with 99 % within ${ms(slowest?.value ?? 0)}.`;
  return (
    <ChartCard summary={summary} definition={definition}>
      <LineChart
        title={title}
        labels={latency.days.map(dayLabel)}
        series={[
          { name: 'Half (p50)', values: latency.p50 },
          { name: '95 % (p95)', values: latency.p95 },
          { name: '99 % (p99)', values: latency.p99 },
        ]}
        format={ms}
        whole
        summary={summary}
      />
    </ChartCard>
  );
}
