import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { every, now } from '../../lib/browser/clock.ts';

/** Milliseconds by which the account's clock is ahead of this machine's: a sandbox's clock can be moved forward. */
const OffsetContext = createContext(0);

/** @param ahead milliseconds */
export const AccountClock = ({
  ahead,
  children,
}: {
  readonly ahead: number;
  readonly children: ReactNode;
}) => <OffsetContext.Provider value={ahead}>{children}</OffsetContext.Provider>;

/** For what concerns people and servers, not payments: times inside it are relative to this machine's clock. */
export const RealClock = ({ children }: { readonly children: ReactNode }) => (
  <AccountClock ahead={0}>{children}</AccountClock>
);

/** The account's time in milliseconds; the component is rendered again every `step` milliseconds. */
export function useAccountNow(step = 30_000): number {
  const ahead = useContext(OffsetContext);
  const [time, setTime] = useState(now);
  useEffect(() => every(step, () => setTime(now())), [step]);
  return time + ahead;
}
