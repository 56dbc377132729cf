import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { shiftDeliveries } from './shift-deliveries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const now = new Date('2026-11-20T10:00:00Z');
const minuteMs = 60_000;

/** Inserts 25 pending deliveries to two endpoints: four are due at the same moment, the next four a minute later, and so on. */
async function writeDeliveries(accountId: string, livemode: boolean): Promise<void> {
  await database.db.query({
    text: `insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, next_attempt_at, created_at)
           select $1, 'we_' || n % 2, 'd_' || t.livemode || '_' || n, t.tenant, 'e_' || n, 'payment.succeeded', 'pending',
             $2::timestamptz + (60 + n / 4) * interval '1 minute', $2
           from tenants t cross join generate_series(0, 24) n where t.account_id = $1 and t.livemode = $3`,
    values: [accountId, now, livemode],
    scope: { accountId },
  });
}

const minutesLeft = async (accountId: string, livemode: boolean) => {
  const rows = await database.db.query<{ minutes: number }>({
    text: `select extract(epoch from d.next_attempt_at - $2)::int / 60 as minutes
           from deliveries d join tenants t using (tenant) where d.account_id = $1 and t.livemode = $3
           order by substring(d.id from '[0-9]+$')::int`,
    values: [accountId, now, livemode],
    scope: { accountId },
  });
  return rows.map(({ minutes }) => minutes);
};

it('each waiting delivery of test mode is brought forward once, whatever the size of a batch', async () => {
  const due = Array.from({ length: 25 }, (_none, n) => 60 + Math.floor(n / 4));
  for (const batchSize of [1, 3, 25, 100]) {
    const accountId = await database.openAccount();
    await writeDeliveries(accountId, false);
    await writeDeliveries(accountId, true);
    const by = 5 * minuteMs;
    await database.db.transaction((tx) => shiftDeliveries(tx, accountId, { by, now, batchSize }));
    expect(await minutesLeft(accountId, false)).toEqual(due.map((minutes) => minutes - 5));
    expect(await minutesLeft(accountId, true)).toEqual(due);
  }
});
