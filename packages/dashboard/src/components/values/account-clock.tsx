import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { every, now } from '../../lib/browser/clock.ts';

/** Milliseconds that the account's clock is ahead of this machine's: the clock of a sandbox can be moved on. */
const OffsetContext = createContext(0);

/** @param ahead milliseconds */
export const AccountClock = ({
  ahead,
  children,
}: {
  readonly ahead: number;
  readonly children: ReactNode;
}) => <OffsetContext.Provider value={ahead}>{children}</OffsetContext.Provider>;

/** For what happens to people and servers and not to payments: times below it are told by this machine's clock. */
export const RealClock = ({ children }: { readonly children: ReactNode }) => (
  <AccountClock ahead={0}>{children}</AccountClock>
);

/** The account's time in milliseconds; the component is drawn again every `step` milliseconds. */
export function useAccountNow(step = 30_000): number {
  const ahead = useContext(OffsetContext);
  const [time, setTime] = useState(now);
  useEffect(() => every(step, () => setTime(now())), [step]);
  return time + ahead;
}
