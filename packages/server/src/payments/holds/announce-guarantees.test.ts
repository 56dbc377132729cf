import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { advanceClock } from '../../accounts/store.ts';
import { createMoneyKit, type MoneyKit, Shop } from '../test-kit.ts';
import { announceGuarantees } from './announce-guarantees.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let kit: MoneyKit;
let shop: Shop;
beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());
beforeEach(async () => {
  shop = await Shop.open(kit);
  await kit.db.query({
    text: `with person as (
             insert into users (id, email, email_folded, password_hash, created_at) values ($1, $1, $1, '', $2))
           insert into memberships (account_id, user_id, role, created_at) values ($3, $1, 'owner', $2)`,
    values: [`usr_${shop.context().accountId}`, kit.clock.now(), shop.context().accountId],
    scope: 'everybody',
  });
});

/** Inserts a hold of 49.90. @param ms until its guarantee ends (account time) @param days from then until the hold expires */
async function hold(ms: number, currency = 'EUR', days = 26): Promise<void> {
  const { tenant, now } = shop.context();
  const end = new Date(now.getTime() + ms);
  await kit.db.query({
    text: `insert into payments (tenant, id, seq, status, version, event_count, amount, currency, capture_method,
             method_type, request, upstream, created_at, authorization_guaranteed_until, authorization_expires)
           select $1::int, 'pay_' || gen_random_uuid(), coalesce(max(seq), 0) + 1, 'authorized', 1, 1, 4990, $2, 'manual',
             'card', '{}', '{}', $3, $4, $4::timestamptz + $5 * interval '1 day' from payments where tenant = $1`,
    values: [tenant, currency, now, end, days],
    scope: { tenant },
  });
}

async function mails(): Promise<{ subject: string; text: string }[]> {
  const { accountId } = shop.context();
  return kit.db.query<{ subject: string; text: string }>({
    text: 'select subject, text from mails where account_id = $1 order by created_at, id',
    values: [accountId],
    scope: { accountId },
  });
}

it('one mail names the holds whose guarantee ends within 24 hours, by currency, and each once', async () => {
  await hold(23 * hourMs);
  await hold(20 * hourMs);
  await hold(10 * hourMs, 'JPY');
  await hold(25 * hourMs);
  await hold(-hourMs);
  await Promise.all([announceGuarantees(kit.payments), announceGuarantees(kit.payments)]);
  await announceGuarantees(kit.payments);
  const [mail, ...more] = await mails();
  expect(more).toEqual([]);
  expect(mail?.subject).toBe('[Test] 3 holds lose the guarantee within 24 hours');
  expect(mail?.text).toContain('99.80 in 2');
  expect(mail?.text).toContain('4990 in 1');
});

it('holds that were made anew, which do not end 26 days after their guarantee, are named too', async () => {
  for (const days of [20, 3]) await hold(20 * hourMs, 'EUR', days);
  await announceGuarantees(kit.payments);
  expect((await mails()).map(({ subject }) => subject)).toEqual([
    '[Test] 2 holds lose the guarantee within 24 hours',
  ]);
});

it('what comes after a notice is named 12 hours ahead at the latest, by the clock of the account', async () => {
  await hold(20 * hourMs);
  await announceGuarantees(kit.payments);
  await hold(30 * hourMs);
  const { accountId } = shop.context();
  const advance = (by: number) =>
    advanceClock(kit.db, accountId, { by, max: 365 * dayMs, now: kit.clock.now() });
  await advance(11 * hourMs);
  await announceGuarantees(kit.payments);
  expect(await mails()).toHaveLength(1);
  await advance(2 * hourMs);
  await announceGuarantees(kit.payments);
  const subjects = (await mails()).map(({ subject }) => subject);
  expect(subjects).toHaveLength(2);
  expect(new Set(subjects)).toEqual(new Set(['[Test] 1 hold loses the guarantee within 24 hours']));
});
