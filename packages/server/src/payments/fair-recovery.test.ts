import { afterAll, beforeAll, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { paymentRecovery } from './recover-payments.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

/** A payment without an answer, which recovery may ask about at once. */
async function unanswered(shop: Shop): Promise<string> {
  kit.processor.answers.charge = async () => noAnswer;
  expect((await shop.pay('k')).status).toBe(503);
  await kit.db.query({
    text: `update operations set tries = 2, next_try_at = $2 where account_id = $1 and state = 'unknown'`,
    values: [shop.context().accountId, kit.clock.now()],
  });
  return (await shop.paymentOf('k')).id;
}

it('a lost answer is found out in the first sweep beside 1,000 of a tenant whose processor hangs', async () => {
  const hanging = await Shop.open(kit, 'processor_b');
  const other = await Shop.open(kit, 'processor_b');
  const { accountId } = hanging.context();
  await unanswered(hanging);
  await multiply(kit.db, { table: 'payments', accountId, copies: 999, isNumbered: true });
  await multiply(kit.db, { table: 'operations', accountId, copies: 999, ids: ['id', 'payment_id'] });
  let asked = 0;
  const recovery = paymentRecovery(kit.payments);
  kit.processor.answers.charge = ({ accountId: id }) => {
    if (id !== accountId) return Promise.resolve(chargedAs('PSP1'));
    asked += 1;
    return never();
  };
  await recovery.look();
  await until('the tenant has all of its places', async () => asked === 6);

  // One whose answer is lost only now.
  await unanswered(other);
  kit.processor.answers.charge = async ({ accountId: id }) =>
    id === accountId ? never() : chargedAs('PSP1');
  await recovery.look();
  await until('the other tenant is served', async () => (await other.paymentOf('k')).status === 'succeeded');
  expect(asked).toBe(6);
});
