import { afterAll, beforeAll, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import { notificationQueue } from './apply-notifications.ts';
import { about, createApplier, createTestDatabase, openAccount, receive, stored, until } from './test-kit.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

it('a notification is applied in the next poll beside 1,000 of an account where applying hangs', async () => {
  const hanging = await openAccount(db, 'processor_a');
  const other = await openAccount(db, 'processor_a');
  await receive(db, hanging, [about('pay_1')]);
  let isHanging = false;
  const { deps } = createApplier(db, async ({ accountId }) => {
    if (accountId !== hanging) return 'applied';
    isHanging = true;
    return never();
  });
  const queue = notificationQueue(deps);
  await queue.poll();
  await until('one never ends', async () => isHanging);
  await multiply(db, { table: 'processor_notifications', accountId: hanging, copies: 1000 });
  await db.query({
    text: `update processor_notifications set state = 'received', tries = 0, next_try_at = received_at
           where tenant in (select tenant from tenants where account_id = $1) and id <> (select min(id) from processor_notifications where tenant in (select tenant from tenants where account_id = $1))`,
    values: [hanging],
    scope: 'everybody',
  });
  await receive(db, other, [about('pay_2')]);
  await queue.poll();
  await until('the other one is applied', async () => (await stored(db, other))[0]?.state === 'applied');
  // An account that waits does not make another one wait.
  await receive(db, other, [about('pay_3')]);
  await queue.applyTenant(tenantIn(other));
  expect((await stored(db, other)).map(({ state }) => state)).toEqual(['applied', 'applied']);
});

it('a queue of one processor leaves the notifications of the other one to theirs', async () => {
  const [shopA, shopB] = [await openAccount(db, 'processor_a'), await openAccount(db, 'processor_b')];
  await receive(db, shopA, [about('pay_4')]);
  await receive(db, shopB, [about('pay_5')], { processor: 'processor_b' });
  // Work at processor_b never ends.
  const { deps } = createApplier(db, async ({ accountId }) => (accountId === shopB ? never() : 'applied'));
  await notificationQueue(deps, 'processor_b').poll();
  await notificationQueue(deps, 'processor_a').run();
  expect((await stored(db, shopA))[0]?.state).toBe('applied');
  expect((await stored(db, shopB))[0]?.state).toBe('received');
});
