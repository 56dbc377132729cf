import { Clock, OctagonAlert } from 'lucide-react';
import { cx } from '../lib/class-names.ts';
import { formatDuration, type Moment, millisecondsOf } from '../lib/time.ts';
import { useAccountNow } from './account-clock.tsx';
import { Icon } from './icon.tsx';
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
