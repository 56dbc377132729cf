import { useEffect, useState } from 'react';
import { every, now } from '../lib/clock.ts';
import { formatDistance, formatExactTime, type Moment, millisecondsOf } from '../lib/time.ts';

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
