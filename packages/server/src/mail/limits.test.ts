import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { takeBuyerMail } from './limits.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const at = (time: string) => new Date(`2026-11-20T${time}Z`);

async function openShop(kind: 'link' | 'receipt' | 'test_receipt') {
  const { db } = database;
  const accountId = await database.openAccount();
  const take = (address: string, now: Date) =>
    db.transaction((tx) => takeBuyerMail(tx, accountId, { kind, address }, now));
  const takeMany = async (count: number, now: Date) => {
    for (let n = 0; n < count; n += 1) expect(await take(`buyer${n}@shop.example`, now)).toBeNull();
  };
  return { accountId, take, takeMany };
}

it.each(['link', 'test_receipt'] as const)(
  'an account sends 200 mails of kind %s on a UTC day, and as many on the next one',
  async (kind) => {
    const shop = await openShop(kind);
    const other = await openShop(kind);
    await shop.takeMany(200, at('10:00:00'));
    const full = { of: 'account', max: 200, retryAfterSeconds: 10 };
    expect(await shop.take('jane@shop.example', at('23:59:50'))).toEqual(full);
    expect(await other.take('jane@shop.example', at('23:59:50'))).toBeNull();
    expect(await shop.take('jane@shop.example', new Date('2026-11-21T00:00:00Z'))).toBeNull();
    // Mails of a process whose clock is behind count for the new day.
    await shop.takeMany(199, at('23:59:59'));
    expect(await shop.take('joe@shop.example', at('23:59:59'))).toMatchObject({ of: 'account' });
  },
);

it.each([
  ['link', 5],
  ['receipt', 20],
] as const)(
  'one address gets no more mails of kind %s than %i, which use up nothing of others',
  async (kind, max) => {
    const { take } = await openShop(kind);
    for (let n = 0; n < max; n += 1) expect(await take('Jane@shop.example', at('10:00:00'))).toBeNull();
    for (let n = 0; n < 200; n += 1) {
      expect(await take('jane@SHOP.example', at('10:00:00'))).toMatchObject({ of: 'address', max });
    }
    expect(await take('joe@shop.example', at('10:00:00'))).toBeNull();
  },
);

it('what one address got on another day is not kept', async () => {
  const { accountId, take, takeMany } = await openShop('link');
  await takeMany(3, at('10:00:00'));
  await take('jane@shop.example', new Date('2026-11-21T10:00:00Z'));
  const [kept] = await database.db.query<{ count: number }>({
    text: 'select count(*)::int as count from buyer_mails where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  expect(kept?.count).toBe(2);
});

it('the first mail of a day waits for no other that is being counted: they would wait for each other', async () => {
  const { accountId, take } = await openShop('link');
  await take('jane@shop.example', at('10:00:00'));
  await database.db.transaction(async (tx) => {
    await tx.query({
      text: 'select count from buyer_mails where account_id = $1 and length(to_sha256) > 0 for update',
      values: [accountId],
      scope: { accountId },
    });
    expect(await take('joe@shop.example', new Date('2026-11-21T10:00:00Z'))).toBeNull();
  });
});
