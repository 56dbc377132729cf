import { formatExactTime, type Moment, millisecondsOf } from '../../lib/amounts/time.ts';

// Of the last 30 days: the year is not needed.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** A moment to the second, in the reader's time zone. */
export const PreciseTime = ({ at }: { readonly at: Moment }) => (
  <time
    dateTime={new Date(millisecondsOf(at)).toISOString()}
    title={formatExactTime(at)}
    className="whitespace-nowrap tabular-nums"
  >
    {format.format(millisecondsOf(at))}
  </time>
);
