import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { mostMails, takeLinkMail } from './mail-limits.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const at = (time: string) => new Date(`2026-11-20T${time}Z`);

async function openShop() {
  const { db } = database;
  const accountId = await database.openAccount();
  const take = (address: string, now: Date) =>
    db.transaction((tx) => takeLinkMail(tx, accountId, address, now));
  const takeMany = async (count: number, now: Date) => {
    for (let n = 0; n < count; n += 1) await take(`buyer${n}@shop.example`, now);
  };
  return { accountId, take, takeMany };
}

it('an account sends so many mails with links on a UTC day, and as many on the next one', async () => {
  const shop = await openShop();
  const other = await openShop();
  await shop.takeMany(mostMails.ofAccount, at('10:00:00'));
  await expect(shop.take('jane@shop.example', at('23:59:50'))).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'An account sends at most 200 mails with payment links on one UTC day.',
    retryAfterSeconds: 10,
  });
  await other.take('jane@shop.example', at('23:59:50'));
  await shop.take('jane@shop.example', new Date('2026-11-21T00:00:00Z'));
  // A process whose clock is behind adds to the day that has begun.
  await shop.takeMany(mostMails.ofAccount - 1, at('23:59:59'));
  await expect(shop.take('joe@shop.example', at('23:59:59'))).rejects.toThrow('at most 200');
});

it('what one address got on another day is not kept', async () => {
  const { accountId, take, takeMany } = await openShop();
  await takeMany(3, at('10:00:00'));
  await take('jane@shop.example', new Date('2026-11-21T10:00:00Z'));
  const [kept] = await database.db.query<{ count: number }>({
    text: 'select count(*)::int as count from payment_link_mails where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  expect(kept?.count).toBe(2);
});
