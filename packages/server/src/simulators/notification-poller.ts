import type { Clock } from '../lib/clock.ts';

/** What the simulators' sender offers of itself. */
export interface NotificationSource {
  sendDue(): Promise<number>;
  isDueWithin(ms: number): Promise<boolean>;
}

export interface NotificationPoller {
  /** Something may have been planned. Costs nothing worth naming, so that every request to a simulator may call it. */
  wake(): void;
  /** Wakes it for what was planned elsewhere: by a process that ended, or by the command line. */
  check(): Promise<void>;
  /** Resolves once nothing is being sent. */
  stop(): Promise<void>;
}

const intervalMs = 500;
const lookaheadMs = 3_000;

/** Sends what the simulators planned soon after it is due: looks twice a second while anything is about to be, else not at all. */
export function createNotificationPoller(
  clock: Pick<Clock, 'delay'>,
  source: NotificationSource,
  onError: (error: unknown) => void,
): NotificationPoller {
  const stopping = new AbortController();
  let polling: Promise<void> | undefined;
  let asked = false;

  const poll = async () => {
    do {
      await clock.delay(intervalMs, stopping.signal);
      if (stopping.signal.aborted) return;
      asked = false;
      await source.sendDue();
    } while (asked || (await source.isDueWithin(lookaheadMs)));
  };
  const wake = () => {
    asked = true;
    if (stopping.signal.aborted || polling !== undefined) return;
    polling = poll()
      .catch(onError)
      .finally(() => {
        polling = undefined;
        if (asked) wake();
      });
  };

  return {
    wake,
    async check() {
      if (await source.isDueWithin(lookaheadMs)) wake();
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}
