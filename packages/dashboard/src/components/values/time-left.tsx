import { Clock, OctagonAlert } from 'lucide-react';
import {
  formatDistance,
  formatDuration,
  formatExactTime,
  type Moment,
  millisecondsOf,
} from '../../lib/amounts/time.ts';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import { useAccountNow } from './account-clock.tsx';
import { Time } from './time.tsx';

/**
 * The time left until something ends, and the moment at which it ends. It highlights the last `urgentMs` milliseconds,
 * whereas `Countdown` highlights the last three days.
 */
export function TimeLeft({
  to,
  over,
  urgentMs = 0,
}: {
  readonly to: Moment;
  /** The text that is shown after the end. */
  readonly over: string;
  readonly urgentMs?: number;
}) {
  const left = millisecondsOf(to) - useAccountNow();
  const urgent = left < urgentMs;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <span className={cx('inline-flex items-center gap-1.5 font-medium', urgent && 'text-bad')}>
        <Icon of={urgent ? OctagonAlert : Clock} className="size-3.5" />
        {left <= 0 ? over : `${formatDuration(left)} left`}
      </span>
      <Time at={to} show="named" className="text-text-3" />
    </span>
  );
}

const stepMs = 1000;
const minuteMs = 60_000;

/** The distance to a moment in the near future, in seconds during the last minute. */
export function NextTime({ at }: { readonly at: Moment }) {
  const time = useAccountNow(stepMs);
  const left = millisecondsOf(at) - time;
  const words =
    Math.abs(left) >= minuteMs
      ? formatDistance(at, time)
      : left > 0
        ? `in ${Math.ceil(left / 1000)} s`
        : 'any moment';
  return (
    <time
      dateTime={new Date(millisecondsOf(at)).toISOString()}
      title={formatExactTime(at)}
      className="whitespace-nowrap tabular-nums"
    >
      {words}
    </time>
  );
}
