import type { Clock } from '../lib/clock.ts';

/** The simulators' notification sender, as the poller uses it. */
export interface NotificationSource {
  sendDue(): Promise<number>;
  isDueWithin(ms: number): Promise<boolean>;
}

export interface NotificationPoller {
  /** Called when a notification may have been scheduled. It is cheap enough to be called for every request to a simulator. */
  wake(): void;
  /** Wakes the poller if notifications were scheduled elsewhere: by a process that ended, or by the command line. */
  check(): Promise<void>;
  /** Stops polling; resolves once nothing is being sent. */
  stop(): Promise<void>;
}

const intervalMs = 500;
const lookaheadMs = 3_000;

/**
 * Sends the simulators' scheduled notifications soon after they are due. It polls twice a second while any is about to be
 * due, and otherwise not at all.
 */
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
