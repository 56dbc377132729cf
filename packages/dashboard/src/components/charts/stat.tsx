import { TrendingDown, TrendingUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';

export interface Trend {
  /** E.g. "+4.2 %". */
  readonly text: string;
  readonly up: boolean;
  /** Whether the change is good; undefined if it is neither good nor bad. */
  readonly good?: boolean | undefined;
}

/** One figure with its name, the change since the previous period and an optional sparkline. */
export function Stat({
  label,
  value,
  trend,
  detail,
  children,
}: {
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly trend?: Trend | undefined;
  readonly detail?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="@container flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3 shadow-sm">
      <div className="text-sm text-text-2">{label}</div>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {/* A long amount is shown in smaller type, and is broken if it still does not fit. */}
        <span className="min-w-0 text-[min(var(--text-xl),12cqi)] font-semibold tabular-nums [&_bdi]:[overflow-wrap:anywhere] [&_bdi]:whitespace-normal">
          {value}
        </span>
        {trend !== undefined && (
          <span
            className={cx(
              'inline-flex items-center gap-1 text-sm font-medium tabular-nums',
              trend.good === undefined ? 'text-text-2' : trend.good ? 'text-good' : 'text-bad',
            )}
          >
            <Icon of={trend.up ? TrendingUp : TrendingDown} className="size-3.5" />
            {trend.text}
          </span>
        )}
      </div>
      {detail !== undefined && <div className="text-sm text-text-3">{detail}</div>}
      {children !== undefined && <div className="mt-1">{children}</div>}
    </div>
  );
}
