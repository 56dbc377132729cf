import { Clock } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { formatDuration } from '../../lib/amounts/time.ts';
import { every, now } from '../../lib/browser/clock.ts';
import { Icon } from '../buttons/icon.tsx';

const minuteMs = 60_000;

/**
 * How many milliseconds the account's clock is ahead of this machine's clock. The clock of a sandbox can be moved
 * forward.
 */
const OffsetContext = createContext(0);

/** @param ahead offset in milliseconds */
export const AccountClock = ({
  ahead,
  children,
}: {
  readonly ahead: number;
  readonly children: ReactNode;
}) => <OffsetContext.Provider value={ahead}>{children}</OffsetContext.Provider>;

/** Shows the times inside it relative to this machine's clock. */
const RealClock = ({ children }: { readonly children: ReactNode }) => (
  <AccountClock ahead={0}>{children}</AccountClock>
);

/** How many milliseconds the sandbox's clock was moved ahead; 0 if it was not moved, and in live mode. */
export const useClockAhead = (): number => useContext(OffsetContext);

/** The offset in words, rounded to the minute. */
export const aheadText = (ahead: number): string =>
  `${formatDuration(Math.round(ahead / minuteMs) * minuteMs)} ahead`;

/** A note after a real time that stands among times of the account's clock. */
export function InRealTime() {
  return useClockAhead() > 0 ? ' (real time)' : null;
}

/** A part of a page with real times, because they concern people and servers. It says so if the two clocks differ. */
export function RealTimes({ children }: { readonly children: ReactNode }) {
  const ahead = useClockAhead();
  return (
    <>
      {ahead > 0 && (
        <p role="note" className="mb-4 flex gap-2 text-sm text-text-2">
          <Icon of={Clock} className="mt-0.5 size-4" />
          <span>Times here are real time. The clock of this sandbox is {aheadText(ahead)}.</span>
        </p>
      )}
      <RealClock>{children}</RealClock>
    </>
  );
}

/** The account's time in milliseconds. The component renders again every `step` milliseconds. */
export function useAccountNow(step = 30_000): number {
  const ahead = useContext(OffsetContext);
  const [time, setTime] = useState(now);
  useEffect(() => every(step, () => setTime(now())), [step]);
  return time + ahead;
}
