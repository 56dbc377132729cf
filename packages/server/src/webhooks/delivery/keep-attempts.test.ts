import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../store/database.ts';
import { createTestDatabase } from '../test-kit.ts';
import { keepAttemptPartitions } from './keep-attempts.ts';

let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

const start = Date.parse('2026-11-20T12:00:00Z');
const dayMs = 86_400_000;
const after = (days: number) => new Date(start + days * dayMs);

async function record(at: Date): Promise<void> {
  await db.query({
    text: `insert into delivery_attempts (account_id, endpoint_id, delivery_id, number, tenant, event_id, url,
             request_headers, duration_ms, at, account_at)
           values ('acct', 'we', 'dlv', 1, 1, 'evt', '', '{}', 1, $1, $1)`,
    values: [at],
    scope: 'everybody',
  });
}

/** The stored attempts: each with its partition and its day, counted from the start. */
async function kept(): Promise<[table: string, day: number][]> {
  const rows = await db.query<{ name: string; at: Date }>({
    text: `select tableoid::regclass::text as name, at from delivery_attempts where account_id = 'acct' order by at`,
    scope: 'everybody',
  });
  return rows.map(({ name, at }) => [name, (at.getTime() - start) / dayMs]);
}

describe('the attempts', () => {
  it('of 30 days are kept, older ones are dropped by the week', async () => {
    // Two processes run it at once.
    await Promise.all([keepAttemptPartitions(db, after(0)), keepAttemptPartitions(db, after(0))]);
    for (let day = 0; day <= 60; day += 1) {
      await keepAttemptPartitions(db, after(day));
      await record(after(day));
      const rows = await kept();
      expect(rows.map(([table]) => table)).not.toContain('delivery_attempts_other');
      const days = rows.map(([, at]) => at);
      expect(days.filter((one) => one > day - 30)).toHaveLength(Math.min(30, day + 1));
      // A week is dropped once all of it is old.
      expect(Math.min(...days)).toBeGreaterThanOrEqual(day - 37);
    }
  });

  it('of a time that no partition was made for are kept as long', async () => {
    await record(after(200));
    await keepAttemptPartitions(db, after(200));
    await keepAttemptPartitions(db, after(229));
    expect(await kept()).toEqual([['delivery_attempts_other', 200]]);
    await keepAttemptPartitions(db, after(231));
    expect(await kept()).toEqual([]);
  });
});
