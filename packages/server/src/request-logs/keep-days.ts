import type { Database } from '../store/database.ts';
import { keepPartitions } from '../store/maintenance/keep-partitions.ts';

const dayMs = 86_400_000;

/** How long a request's log is kept. */
const retentionDays = 30;

/**
 * Makes the partitions of `request_logs` for today and the next two days, and drops those in which everything is older
 * than 30 days. May be repeated, and run by several processes at once.
 */
export const keepRequestDays = (db: Database, now: Date): Promise<void> =>
  keepPartitions(
    db,
    {
      table: 'request_logs',
      spanMs: dayMs,
      ahead: 2,
      retentionMs: retentionDays * dayMs,
      lockNumber: 7_110_416,
    },
    now,
  );
