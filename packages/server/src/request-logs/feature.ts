import type { Clock } from '../lib/clock.ts';
import type { DerivedKeys } from '../lib/keys.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { keepRequestDays } from './keep-days.ts';
import { RequestRecorder } from './recorder.ts';
import { insertEntries } from './store.ts';

/** Creates the request log that accounts can read. It is written outside of the hot path. */
export function createRequestLogs({
  db,
  clock,
  keys,
  metrics,
  onIncident,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly keys: DerivedKeys;
  readonly metrics: Metrics;
  readonly onIncident: (error: unknown) => void;
}) {
  const recorder = new RequestRecorder({
    clock,
    yieldToEventLoop: () => clock.delay(0),
    hash: (text) => keys.token(`request log ${text}`),
    write: (entries) => insertEntries(db, entries),
    count: (outcome, requests) => metrics.requestLogs.inc({ outcome }, requests),
    onIncident,
  });
  return {
    note: recorder.note.bind(recorder),
    /** Starts writing. @returns a function that stops it and resolves once all buffered requests are written */
    start: () => recorder.start(),
    /** Creates the partitions of the coming days and drops those older than 30 days. */
    keepPartitions: () => keepRequestDays(db, clock.now()),
  };
}
