import { type Query, useCall } from '../../api/calls.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/inputs.tsx';
import { SegmentedControl } from '../../components/forms/segmented-control.tsx';
import { Card } from '../../components/layout/card.tsx';
import { currencyName } from '../../lib/amounts/figures.ts';
import { timeZone } from '../../lib/amounts/zone.ts';
import { cx } from '../../lib/class-names.ts';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import {
  type ChartData,
  DeclineChart,
  LatencyChart,
  RateChart,
  SuccessChart,
  VolumeChart,
} from './chart-cards.tsx';
import { CountingNote } from './counting-note.tsx';
import { WebhookChart } from './webhook-chart.tsx';

const ranges = ['7', '30', '90'] as const;
type Range = (typeof ranges)[number];
const refreshMs = 120_000;

/** The query of the charts from the URL. Invalid values are ignored. */
function useChartQuery(): NonNullable<Query<'retrieveCharts'>> & { readonly range: Range } {
  const url = useUrlQuery();
  const range = ranges.find((one) => one === url.get('range')) ?? '30';
  const currency = url.get('currency');
  return {
    range,
    time_zone: timeZone(),
    ...(/^[A-Z]{3}$/.test(currency) ? { currency } : {}),
  };
}

/** The data of the charts. A page that calls this early loads the data in parallel with the rest. */
export const useCharts = () =>
  useCall('retrieveCharts', { query: useChartQuery() }, { every: refreshMs, keep: true });

/** Six charts over the same days. Range and currency are query parameters. */
export function Charts() {
  const query = useChartQuery();
  const { data, error, refetch, isPlaceholderData } = useCharts();
  return (
    <section aria-labelledby="charts-heading">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="charts-heading" className="text-lg font-semibold">
          Over time
        </h2>
        <ChartTools range={query.range} data={data} />
      </div>
      {data === undefined ? (
        <Card>
          {error === null ? (
            <SkeletonLines of="charts" lines={8} />
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )}
        </Card>
      ) : (
        <>
          <CountingNote complete={data.complete} />
          <div
            aria-busy={isPlaceholderData}
            className={cx(
              'grid grid-cols-1 gap-4 xl:grid-cols-2',
              isPlaceholderData && 'opacity-60 transition-opacity',
            )}
          >
            <VolumeChart data={data} />
            <SuccessChart data={data} />
            <DeclineChart data={data} />
            <RateChart data={data} />
            <LatencyChart data={data} />
            <WebhookChart webhooks={data.webhooks} />
          </div>
        </>
      )}
    </section>
  );
}

function ChartTools({ range, data }: { readonly range: Range; readonly data: ChartData | undefined }) {
  const url = useUrlQuery();
  const currencies = [
    ...new Set([...(data?.currencies ?? []), ...(data?.currency == null ? [] : [data.currency])]),
  ];
  return (
    <div className="flex flex-wrap items-center gap-2">
      {currencies.length > 1 && (
        <Field label="Currency of volume and rates" quiet className="w-auto">
          <Select
            value={data?.currency ?? ''}
            onChange={({ target }) => url.set({ currency: target.value })}
            choices={currencies.map((code) => ({ value: code, label: `${code}, ${currencyName(code)}` }))}
            className="w-auto max-w-52"
          />
        </Field>
      )}
      <SegmentedControl
        legend="Days shown"
        name="range"
        value={range}
        onChange={(next) => url.set({ range: next === '30' ? undefined : next })}
        choices={ranges.map((days) => ({ value: days, label: `${days} days` }))}
      />
    </div>
  );
}
