import { Clock, OctagonAlert } from 'lucide-react';
import {
  formatDay,
  formatDistance,
  formatDuration,
  formatExactTime,
  formatNamedTime,
  formatTime,
  type Moment,
  millisecondsOf,
} from '../../lib/amounts/time.ts';
import { cx } from '../../lib/class-names.ts';
import { Icon } from '../buttons/icon.tsx';
import { useAccountNow } from './account-clock.tsx';

const isoOf = (moment: Moment) => new Date(millisecondsOf(moment)).toISOString();

const wordsFor = {
  absolute: formatTime,
  both: formatNamedTime,
  named: formatNamedTime,
  day: formatDay,
} as const;

/**
 * A moment in the account's time zone. `day` omits the time of day, `relative` shows the distance from now, `both`
 * shows both, and `named` adds the name of the zone.
 */
export function Time({
  at,
  show = 'absolute',
  className,
}: {
  readonly at: Moment;
  readonly show?: 'absolute' | 'named' | 'day' | 'relative' | 'both';
  readonly className?: string;
}) {
  const distance = formatDistance(at, useAccountNow());
  return (
    <time
      dateTime={isoOf(at)}
      title={formatExactTime(at)}
      className={cx('tabular-nums', show !== 'both' && show !== 'named' && 'whitespace-nowrap', className)}
    >
      {show === 'both' ? (
        <>
          <span className="inline-block max-w-full">{wordsFor.both(at)}</span>{' '}
          <span className="whitespace-nowrap text-text-3">· {distance}</span>
        </>
      ) : show === 'relative' ? (
        distance
      ) : (
        wordsFor[show](at)
      )}
    </time>
  );
}

const urgentMs = 72 * 3_600_000;

/** The time left until a deadline, and the deadline. An icon and a colour mark the last 72 hours. */
export function Countdown({
  to,
  over = 'Deadline passed',
  detail = true,
}: {
  readonly to: Moment;
  /** The text that is shown after the deadline. */
  readonly over?: string;
  /** Also shows the deadline. */
  readonly detail?: boolean;
}) {
  const left = millisecondsOf(to) - useAccountNow();
  const urgent = left < urgentMs;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 tabular-nums">
      <span className={cx('inline-flex items-center gap-1.5 font-medium', urgent && 'text-bad')}>
        <Icon of={urgent ? OctagonAlert : Clock} className="size-3.5" />
        {left <= 0 ? over : `${formatDuration(left)} left`}
      </span>
      {detail && (
        <time dateTime={isoOf(to)} title={formatExactTime(to)} className="text-text-3">
          {formatNamedTime(to)}
        </time>
      )}
    </span>
  );
}
