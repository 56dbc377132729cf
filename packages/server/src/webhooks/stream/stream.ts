import { eventsAfter } from '../../events/events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

const eventsAtOnce = 100;
const pollIntervalMs = 500;
/** Shorter than what proxies usually grant a silent connection. */
const heartbeatMs = 15_000;

export interface StreamDependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** Whether the key that opened the stream still may read. */
  readonly isAllowed: () => Promise<boolean>;
  /** Whether an account's events are in another database by now. */
  readonly isElsewhere: (accountId: string) => boolean;
  /** Whether the server is to stop: that of a cell is closed only once all requests of the home server have ended. */
  readonly draining: () => boolean;
}

/**
 * The account's events after a place in its log, and then each as it comes, as server-sent events (WHATWG HTML, 9.2).
 * The id of each is its place, and the stream begins with one, so that a client that comes back with `Last-Event-ID` misses
 * nothing. A silent stream carries a comment every 15 seconds and ends once its key may no longer read, or the account has
 * moved: the client comes back, and is led to where it is.
 * @param signal ends the stream
 */
export async function* streamEvents(
  deps: StreamDependencies,
  tenant: Tenant,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { db, clock } = deps;
  let place = after;
  let checkedAt = clock.elapsed();
  // The place to come back to for a client whose connection ends before the first event.
  yield `id: ${place}\nretry: 1000\n\n`;
  while (!signal.aborted && !deps.draining()) {
    const events = await eventsAfter(db, tenant, place, eventsAtOnce);
    // Asked when they were read: some may be removed already, and some not yet.
    if (deps.isElsewhere(tenant.accountId)) return;
    for (const { seq, type, body } of events) {
      yield `id: ${seq}\nevent: ${type}\ndata: ${body}\n\n`;
      place = seq;
    }
    if (clock.elapsed() - checkedAt >= heartbeatMs) {
      if (!(await deps.isAllowed())) return;
      checkedAt = clock.elapsed();
      yield ': still here\n\n';
    }
    await clock.delay(pollIntervalMs, signal);
  }
}
