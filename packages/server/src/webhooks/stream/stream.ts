import { eventsAfter } from '../../events/events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

const eventsAtOnce = 100;
const pollIntervalMs = 500;
/** Shorter than the time for which proxies usually keep a silent connection open. */
const heartbeatMs = 15_000;

export interface StreamDependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** Whether the key that opened the stream may still read. */
  readonly isAllowed: () => Promise<boolean>;
  /** Whether the account's events have been moved to another database. */
  readonly isElsewhere: (accountId: string) => boolean;
  /** Whether the server is shutting down. The server of a cell is closed only once all requests of the home server have ended. */
  readonly draining: () => boolean;
}

/**
 * Streams the account's events after a place in its log, and then each new one, as server-sent events (WHATWG HTML, 9.2).
 * The id of each is its place, and the stream begins with an id, so that a client that reconnects with `Last-Event-ID`
 * misses nothing. Every 15 seconds the stream sends a comment, or ends if its key may no longer read. It also ends once the
 * account has moved; the client then reconnects and is routed to the account's database.
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
  // Gives a client whose connection ends before the first event a place to resume from.
  yield `id: ${place}\nretry: 1000\n\n`;
  while (!signal.aborted && !deps.draining()) {
    const events = await eventsAfter(db, tenant, place, eventsAtOnce);
    // Checked after the read: if the account is moving, some events may be removed already and others not yet.
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
