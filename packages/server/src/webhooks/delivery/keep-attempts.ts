import type { Database } from '../../store/database.ts';
import { keepPartitions } from '../../store/maintenance/keep-partitions.ts';

const dayMs = 86_400_000;

/**
 * Creates the partitions of `delivery_attempts` for this week and the next two, and drops those in which every attempt is
 * older than 30 days. Safe to repeat, and to run in several processes at once.
 */
export const keepAttemptPartitions = (db: Database, now: Date): Promise<void> =>
  keepPartitions(
    db,
    {
      table: 'delivery_attempts',
      spanMs: 7 * dayMs,
      ahead: 2,
      retentionMs: 30 * dayMs,
      lockNumber: 7_110_414,
    },
    now,
  );
