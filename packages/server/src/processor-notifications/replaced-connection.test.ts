import { afterAll, beforeAll, expect, it } from 'vitest';
import { retryOpenWork } from '../connections/open-work.ts';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import { about, createApplier, createTestDatabase, openAccount, receive, start, stored } from './test-kit.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

it('a notification belongs to the merchant account whose secrets verified it', async () => {
  const shop = await openAccount(db, 'processor_a');
  await receive(db, shop, [about('pay_1')]);
  const senders: (string | null)[] = [];
  const { run } = createApplier(db, async (_context, _effect, sender) => {
    senders.push(sender);
    return 'applied';
  });
  expect(await run()).toBe(1);
  expect(senders).toEqual(['test:Shop']);
});

it('one received before the connection was replaced waits: no other account is asked about it', async () => {
  const shop = await openAccount(db, 'processor_a');
  await receive(db, shop, [about('pay_2')]);
  const other = createApplier(db, undefined, 0, 'test:Other');
  expect(await other.run()).toBe(0);
  expect(other.seen).toEqual([]);
  expect(await stored(db, shop)).toMatchObject([{ state: 'received', tries: 1 }]);
  const restored = createApplier(db);
  restored.moveTo(60_000);
  expect(await restored.run()).toBe(1);
  expect(await stored(db, shop)).toMatchObject([{ state: 'applied' }]);
});

it('a parked one is applied once the credentials are back', async () => {
  const shop = await openAccount(db, 'processor_a');
  await receive(db, shop, [about('pay_3')]);
  const other = createApplier(db, undefined, 0, 'test:Other');
  const hour = 3_600_000;
  for (let passed = 0; passed <= 24; passed += 1) {
    other.moveTo(passed * hour);
    await other.run();
  }
  expect(await stored(db, shop)).toMatchObject([{ state: 'parked', tries: 20 }]);
  const tenant = tenantIn(shop);
  await retryOpenWork(db, tenant, new Date(start.getTime() + 24 * hour));
  const restored = createApplier(db);
  restored.moveTo(25 * hour);
  await restored.run();
  expect(await stored(db, shop)).toMatchObject([{ state: 'applied' }]);
});
