import { Clock, OctagonAlert } from 'lucide-react';
import {
  formatDay,
  formatDistance,
  formatDuration,
  formatExactTime,
  formatTime,
  type Moment,
  millisecondsOf,
} from '../../lib/amounts/time.ts';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import { useAccountNow } from './account-clock.tsx';

const isoOf = (moment: Moment) => new Date(millisecondsOf(moment)).toISOString();

/** A moment in the reader's time zone: `day` without the time of day, `relative` how far it is, `both` both. */
export function Time({
  at,
  show = 'absolute',
  className,
}: {
  readonly at: Moment;
  readonly show?: 'absolute' | 'day' | 'relative' | 'both';
  readonly className?: string;
}) {
  const distance = formatDistance(at, useAccountNow());
  return (
    <time
      dateTime={isoOf(at)}
      title={formatExactTime(at)}
      className={cx('whitespace-nowrap tabular-nums', className)}
    >
      {show === 'relative' ? distance : show === 'day' ? formatDay(at) : formatTime(at)}
      {show === 'both' && <span className="text-text-3"> · {distance}</span>}
    </time>
  );
}

const urgent = 72 * 3_600_000;

/** How long is left until a deadline, and when it is. Marks the last 72 hours with icon, colour and words. */
export function Countdown({
  to,
  over = 'Deadline passed',
  detail = true,
}: {
  readonly to: Moment;
  /** What to say afterwards. */
  readonly over?: string;
  /** Also says the moment itself. */
  readonly detail?: boolean;
}) {
  const left = millisecondsOf(to) - useAccountNow();
  const hurry = left < urgent;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 tabular-nums">
      <span className={cx('inline-flex items-center gap-1.5 font-medium', hurry && 'text-bad')}>
        <Icon of={hurry ? OctagonAlert : Clock} className="size-3.5" />
        {left <= 0 ? over : `${formatDuration(left)} left`}
      </span>
      {detail && (
        <time dateTime={isoOf(to)} title={formatExactTime(to)} className="text-text-3">
          {formatTime(to)}
        </time>
      )}
    </span>
  );
}
