import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { createTestDatabase, TestClock } from '../vault/test-database.ts';
import { createApiKey } from './api-keys.ts';
import { takeFromDay } from './limits.ts';
import { readRestriction } from './restriction.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('what was taken yesterday and moved nothing is not given back to today', async () => {
  const { db } = database;
  const clock = new TestClock();
  const accountId = await database.openAccount();
  const asked = { permissions: ['refunds:write' as const], max_daily: 1000 };
  const { id: keyId } = await createApiKey({ db, clock, randomBytes }, accountId, { restriction: asked });
  const account = await findAccount(db, accountId);
  if (account === undefined) throw new Error('it was just opened');
  const restriction = readRestriction(asked, clock.now());
  const take = (amount: number) =>
    takeFromDay(
      db,
      { ...backgroundContext(account, false, clock.now()), keyId, restriction },
      { amount, currency: 'EUR' },
    );
  const giveBack = await take(600);
  await giveBack();
  const late = await take(1000);
  clock.move(86_400_000);
  await take(1000);
  await late();
  await expect(take(1)).rejects.toThrow('it has moved 1000');
});
