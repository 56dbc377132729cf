import { useQueryClient } from '@tanstack/react-query';
import { CloudOff } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { formatClock } from '../../lib/amounts/time.ts';
import { every, now } from '../../lib/browser/clock.ts';
import { type Outage, outage, tryAgain, tryAgainOnline } from '../../lib/browser/connection.ts';
import { Button } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';
import { announce } from './announcer.tsx';

const clockTime = (ms: number) => formatClock(new Date(ms).toISOString());

/**
 * While the server cannot be reached, says since when, how old the page is and when the next attempt follows. Reloads
 * all data once the server is back. Renders nothing otherwise.
 */
export function ConnectionBanner() {
  const lost = useSyncExternalStore(outage.subscribe, outage.get);
  const queries = useQueryClient();
  const wasLost = useRef(false);
  useEffect(tryAgainOnline, []);
  useEffect(() => {
    if (lost !== null && !wasLost.current) {
      announce(`The server cannot be reached since ${clockTime(lost.since)}. It is tried again by itself.`);
    }
    if (lost === null && wasLost.current) {
      announce('The server can be reached again.');
      void queries.invalidateQueries();
    }
    wasLost.current = lost !== null;
  }, [lost, queries]);
  return lost === null ? null : <Banner lost={lost} />;
}

function Banner({ lost }: { readonly lost: Outage }) {
  const shown = useOldestData();
  const [moment, setMoment] = useState(now());
  useEffect(() => every(1000, () => setMoment(now())), []);
  const seconds = Math.max(0, Math.ceil((lost.nextTryAt - moment) / 1000));
  return (
    <section
      aria-label="Connection"
      data-no-print=""
      className="fixed inset-x-2 top-2 z-65 mx-auto flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border border-warn bg-warn-soft px-3 py-2 text-sm shadow-float"
    >
      <span className="text-warn">
        <Icon of={CloudOff} className="size-4.5" />
      </span>
      <p className="min-w-0 flex-1">
        <b className="font-semibold">
          The server cannot be reached since <bdi>{clockTime(lost.since)}</bdi>.
        </b>{' '}
        {shown !== undefined && (
          <>
            What you see is as of <bdi>{clockTime(shown)}</bdi>.{' '}
          </>
        )}
        <span className="text-text-2 tabular-nums">
          {seconds === 0 ? 'Trying again…' : `Trying again in ${seconds} s.`}
        </span>
      </p>
      <Button size="sm" onClick={() => void tryAgain()}>
        Try now
      </Button>
    </section>
  );
}

/** When the oldest data on the page was loaded, in milliseconds since 1970. */
function useOldestData(): number | undefined {
  const shown = useQueryClient()
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => state.dataUpdatedAt)
    .filter((at) => at > 0);
  return shown.length === 0 ? undefined : Math.min(...shown);
}
