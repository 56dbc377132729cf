import { Clock, OctagonAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  formatDistance,
  formatDuration,
  formatExactTime,
  type Moment,
  millisecondsOf,
} from '../../lib/amounts/time.ts';
import { every, now } from '../../lib/browser/clock.ts';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import { useAccountNow } from './account-clock.tsx';
import { Time } from './time.tsx';

/**
 * How long something still lasts, and until when. Calmer than `Countdown`, which is for deadlines of three days: only
 * the last `hurryMs` milliseconds are marked.
 */
export function TimeLeft({
  to,
  over,
  hurryMs = 0,
}: {
  readonly to: Moment;
  /** What to say afterwards. */
  readonly over: string;
  readonly hurryMs?: number;
}) {
  const left = millisecondsOf(to) - useAccountNow();
  const hurry = left < hurryMs;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <span className={cx('inline-flex items-center gap-1.5 font-medium', hurry && 'text-bad')}>
        <Icon of={hurry ? OctagonAlert : Clock} className="size-3.5" />
        {left <= 0 ? over : `${formatDuration(left)} left`}
      </span>
      <Time at={to} className="text-text-3" />
    </span>
  );
}

const stepMs = 1000;
const minuteMs = 60_000;

/** How far a moment of the real clock is, to the second within a minute; a sandbox clock that was moved on does not count. */
export function RealTime({ at }: { readonly at: Moment }) {
  const [time, setTime] = useState(now);
  useEffect(() => every(stepMs, () => setTime(now())), []);
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
