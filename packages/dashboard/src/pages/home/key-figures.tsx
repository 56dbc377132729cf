import { ChartNoAxesColumn } from 'lucide-react';
import { useState } from 'react';
import { type Answer, useCall } from '../../api/calls.ts';
import { Button, ButtonLink } from '../../components/buttons/button.tsx';
import { Sparkline } from '../../components/charts/sparkline.tsx';
import { Stat, type Trend } from '../../components/charts/stat.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { LoadingText, Skeleton } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Money } from '../../components/values/money.tsx';
import {
  type Change,
  changeOf,
  currencyName,
  percentOf,
  percentText,
  pointsOf,
} from '../../lib/amounts/figures.ts';
import { timeZone } from '../../lib/amounts/zone.ts';
import { countOf } from '../../lib/wording/plural.ts';
import { usePaths } from '../../navigation/navigation.tsx';
import { CountingNote } from './counting-note.tsx';

type Figures = Answer<'retrieveKeyFigures'>['data'][number];
type Compared = Figures['today'];

const refreshMs = 60_000;
/** The number of currencies that are shown by default. */
const first = 3;

/** The key figures. A page that calls this early loads them in parallel with the rest. */
export const useKeyFigures = () =>
  useCall('retrieveKeyFigures', { query: { time_zone: timeZone() } }, { every: refreshMs });

/**
 * Volume, success, refunds and disputes, with a row for each currency: amounts of different currencies are never added
 * up.
 */
export function KeyFigures() {
  const { data, error, refetch } = useKeyFigures();
  const [all, setAll] = useState(false);
  if (data === undefined) {
    return error === null ? (
      <Loading />
    ) : (
      <Card>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Card>
    );
  }
  if (data.data.length === 0) return data.complete ? <Nothing /> : <CountingNote complete={false} />;
  const shown = all ? data.data : data.data.slice(0, first);
  return (
    <div className="flex flex-col gap-4">
      <CountingNote complete={data.complete} />
      {shown.map((figures) => (
        <CurrencyRow key={figures.currency} figures={figures} only={data.data.length === 1} />
      ))}
      {shown.length < data.data.length && (
        <Button size="sm" className="self-start" onClick={() => setAll(true)}>
          Show all {data.data.length} currencies
        </Button>
      )}
      <p className="text-sm text-text-3">
        Arrows compare with the same time before: yesterday, the 7 or 30 days before, each up to this time of
        day. Volume is what succeeded, before refunds. Days begin at midnight in the time zone of the account.
      </p>
    </div>
  );
}

const withGood = (change: Change | undefined, upIsGood: boolean): Trend | undefined =>
  change && { ...change, good: change.up === upIsGood };

const rateOf = ({ approved, declined }: Compared['now']) => percentOf(approved, approved + declined);

function CurrencyRow({ figures, only }: { readonly figures: Figures; readonly only: boolean }) {
  const { currency, today, days_7: week, days_30: month } = figures;
  const [rate, rateBefore] = [rateOf(month.now), rateOf(month.before)];
  const { now, before } = month;
  return (
    <section aria-label={`Key figures in ${currencyName(currency)}`}>
      {!only && (
        <h3 className="mb-2 font-medium">
          {currency} <span className="font-normal text-text-3">{currencyName(currency)}</span>
        </h3>
      )}
      <div className={grid}>
        <Volume label="Volume today" span={today} currency={currency} />
        <Volume label="Volume, 7 days" span={week} currency={currency} />
        <Volume label="Volume, 30 days" span={month} currency={currency} daily={figures.daily_volume} />
        <Stat
          label="Success rate, 30 days"
          value={rate === null ? '–' : percentText(rate)}
          trend={withGood(pointsOf(rate, rateBefore), true)}
          detail={
            rate === null
              ? 'no payment was tried'
              : `${countOf(now.declined, 'decline')} of ${countOf(now.approved + now.declined, 'payment')}`
          }
        />
        <Stat
          label="Refunds, 30 days"
          value={<Money amount={now.refunded} currency={currency} />}
          trend={withGood(changeOf(now.refunded, before.refunded), false)}
          detail={countOf(now.refunds, 'refund')}
        />
        <Stat
          label="Disputes, 30 days"
          value={<Money amount={now.disputed} currency={currency} />}
          trend={withGood(changeOf(now.disputed, before.disputed), false)}
          detail={countOf(now.disputes, 'dispute')}
        />
      </div>
    </section>
  );
}

const Volume = ({
  label,
  span: { now, before },
  currency,
  daily,
}: {
  readonly label: string;
  readonly span: Compared;
  readonly currency: string;
  readonly daily?: readonly number[];
}) => (
  <Stat
    label={label}
    value={<Money amount={now.volume} currency={currency} />}
    trend={withGood(changeOf(now.volume, before.volume), true)}
    detail={
      <span className="flex items-end justify-between gap-2">
        <span className="whitespace-nowrap">{countOf(now.payments, 'payment')}</span>
        {daily !== undefined && <Sparkline values={daily} width={88} height={22} />}
      </span>
    }
  />
);

function Nothing() {
  const paths = usePaths();
  return (
    <Card flush>
      <EmptyState
        icon={ChartNoAxesColumn}
        title="No payments in the last 60 days"
        actions={<ButtonLink to={paths.payments}>Open payments</ButtonLink>}
      >
        Volume, success rate, refunds and disputes are summed up here as soon as there are some.
      </EmptyState>
    </Card>
  );
}

/** Volumes in one row and their outcomes in the next; a single row on wide screens. */
const grid = 'grid grid-cols-1 gap-3 min-[22rem]:grid-cols-2 md:grid-cols-3 2xl:grid-cols-6';

const places = ['one', 'two', 'three', 'four', 'five', 'six'];

const Loading = () => (
  <div className={grid}>
    <LoadingText of="key figures" />
    {places.map((place) => (
      <Stat
        key={place}
        label={<Skeleton className="h-3.5 w-24" />}
        value={<Skeleton className="h-5 w-28" />}
        detail={<Skeleton className="h-3.5 w-16" />}
      />
    ))}
  </div>
);
