import { formatExactTime, type Moment, millisecondsOf } from '../../lib/amounts/time.ts';
import { timeZone } from '../../lib/amounts/zone.ts';

// The log covers the last 30 days, so the year is not needed.
const format = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: timeZone(),
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(ms);

/** A moment with seconds, in the account's time zone. */
export const PreciseTime = ({ at }: { readonly at: Moment }) => (
  <time
    dateTime={new Date(millisecondsOf(at)).toISOString()}
    title={formatExactTime(at)}
    className="whitespace-nowrap tabular-nums"
  >
    {format(millisecondsOf(at))}
  </time>
);
