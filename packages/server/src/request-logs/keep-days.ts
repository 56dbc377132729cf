import type { Database } from '../store/database.ts';
import { keepPartitions } from '../store/maintenance/keep-partitions.ts';

const dayMs = 86_400_000;

/** How many days requests stay in the log. */
const retentionDays = 30;

/**
 * Creates the partitions of `request_logs` for today and the next two days, and drops those in which all rows are older than 30
 * days. Idempotent; several processes may run it concurrently.
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
