import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock } from '../vault/test-database.ts';
import { createApiKey, listApiKeys } from './api-keys.ts';
import { KeyUse } from './key-use.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('notes when a key was used last, at most once a minute', async () => {
  const { db } = database;
  const clock = new TestClock();
  const accountId = await database.openAccount();
  const { id: keyId } = await createApiKey({ db, clock, randomBytes }, accountId, { name: ' Shop ' });
  const use = new KeyUse(db, clock.now);
  const lastUse = async () => {
    await use.write();
    return (await listApiKeys(db, accountId))[0]?.last_used_at ?? null;
  };
  expect(await lastUse()).toBeNull();
  const first = clock.now();
  use.note({ accountId, keyId });
  expect(await lastUse()).toEqual(first);
  clock.move(59_000);
  use.note({ accountId, keyId });
  expect(await lastUse()).toEqual(first);
  clock.move(1000);
  use.note({ accountId, keyId });
  expect(await lastUse()).toEqual(clock.now());
  clock.move(120_000);
  expect(await lastUse()).not.toEqual(clock.now());
  expect((await listApiKeys(db, accountId))[0]?.name).toBe('Shop');
});
