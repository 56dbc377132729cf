import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { createTestDatabase, openAccount, testDeps } from '../test-kit.ts';
import { endDeliveriesOfDeleted } from './end-deliveries.ts';
import { createEndpoint, deleteEndpoint } from './endpoints.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

it('what waits for a deleted endpoint ends in statements of at most 10,000, the rest with the next sweep', async () => {
  const account = await openAccount(db);
  const deps = testDeps(db);
  const request = { url: 'https://shop.example/hooks', additionalEvents: false };
  const { endpoint } = await createEndpoint(deps, account, request);
  await db.query({
    text: `insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, created_at)
           select $1, $2, 'waiting_' || n, t.tenant, 'evt_' || n, 'payment.succeeded', 'pending', now()
           from generate_series(1, 25000) n cross join tenants t where t.account_id = $1 and t.livemode`,
    values: [account, endpoint.id],
    scope: { accountId: account },
  });
  const waiting = async () => {
    const [row] = await db.query<{ count: number }>({
      text: `select count(*) as count from deliveries where account_id = $1 and state = 'pending'`,
      values: [account],
      scope: { accountId: account },
    });
    return row?.count;
  };
  await deleteEndpoint(deps, account, endpoint.id);
  expect(await waiting()).toBe(15_000);
  const sizes: number[] = [];
  const counted = {
    ...db,
    query: async <Row>(statement: Parameters<typeof db.query>[0]) => {
      const rows = await db.query<Row>(statement);
      sizes.push(rows.length);
      return rows;
    },
  };
  await endDeliveriesOfDeleted(counted, systemClock.now());
  expect(sizes).toEqual([10_000, 5000]);
  expect(await waiting()).toBe(0);
});
