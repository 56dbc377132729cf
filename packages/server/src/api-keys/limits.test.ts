import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { createTestDatabase, TestClock } from '../vault/test-database.ts';
import { createApiKey, rollApiKey } from './api-keys.ts';
import { takeFromDay } from './limits.ts';
import { readRestriction } from './restriction.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A key that may move 10.00 per day. */
async function limitedKey() {
  const { db } = database;
  const clock = new TestClock();
  const deps = { db, clock, randomBytes };
  const accountId = await database.openAccount();
  const asked = { permissions: ['refunds:write' as const], max_daily: 1000 };
  const { id } = await createApiKey(deps, accountId, { restriction: asked });
  const account = await findAccount(db, accountId);
  if (account === undefined) throw new Error('it was just opened');
  const restriction = readRestriction(asked, clock.now());
  const take = (amount: number, keyId = id) =>
    takeFromDay(
      db,
      { ...backgroundContext(account, false, clock.now()), keyId, restriction },
      { amount, currency: 'EUR' },
    );
  return { deps, clock, id, take };
}

it('what was taken yesterday and moved nothing is not given back to today', async () => {
  const { clock, take } = await limitedKey();
  const giveBack = await take(600);
  await giveBack();
  const late = await take(1000);
  clock.move(86_400_000);
  await take(1000);
  await late();
  await expect(take(1)).rejects.toThrow('it has moved 1000');
});

it('a key that was rolled has what is left of the day of the first one, and shares it with the old one while that lasts', async () => {
  const { deps, id, take } = await limitedKey();
  await take(600);
  const second = await rollApiKey(deps, id, { expiresInSeconds: 3600 });
  await expect(take(500, second.id)).rejects.toThrow('it has moved 600');
  const giveBack = await take(300, second.id);
  await expect(take(200)).rejects.toThrow('it has moved 900');
  await giveBack();
  const third = await rollApiKey(deps, second.id, { expiresInSeconds: 0 });
  await take(400, third.id);
  await expect(take(1, third.id)).rejects.toThrow('it has moved 1000');
});
