import { afterAll, beforeAll, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import type { OperationStore } from '../operations/store.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import { tenantIn } from '../vault/test-database.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { expirePayments, paymentExpiry } from './operations/expire.ts';
import { paymentRecovery } from './operations/recoveries.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

/** Makes a payment without an answer that is due for recovery at once. */
async function unanswered(shop: Shop): Promise<string> {
  kit.processor.answers.charge = async () => noAnswer;
  expect((await shop.pay('k')).status).toBe(503);
  await kit.db.query({
    text: `update operations set tries = 2, next_try_at = $2 where tenant in (select tenant from tenants where account_id = $1) and state = 'unknown'`,
    values: [shop.context().accountId, kit.clock.now()],
    scope: 'everybody',
  });
  return (await shop.paymentOf('k')).id;
}

it('recovery settles a lost answer in its first poll beside 1,000 of a tenant whose processor hangs', async () => {
  const hanging = await Shop.open(kit, 'processor_b');
  const other = await Shop.open(kit, 'processor_b');
  const { accountId } = hanging.context();
  await unanswered(hanging);
  await multiply(kit.db, { table: 'payments', accountId, copies: 999, isNumbered: true });
  await multiply(kit.db, { table: 'operations', accountId, copies: 999, ids: ['subject'] });
  let asked = 0;
  const recovery = paymentRecovery(kit.payments);
  kit.processor.answers.charge = ({ accountId: id }) => {
    if (id !== accountId) return Promise.resolve(chargedAs('PSP1'));
    asked += 1;
    return never();
  };
  await recovery.poll();
  await until('the tenant has all of its places', async () => asked === 6);

  // This payment loses its answer only now.
  await unanswered(other);
  kit.processor.answers.charge = async ({ accountId: id }) =>
    id === accountId ? never() : chargedAs('PSP1');
  await recovery.poll();
  await until('the other tenant is served', async () => (await other.paymentOf('k')).status === 'succeeded');
  expect(asked).toBe(6);
});

const minuteMs = 60_000;

/** Makes a payment that waits for its buyer. */
async function waiting(shop: Shop): Promise<void> {
  kit.processor.answers.charge = async () => ({
    kind: 'requires_action',
    action: 'processor_a_redirect',
    redirectUrl: 'https://bank.example/challenge',
    facts: idsOnly({ psp: 'PSP1' }),
  });
  expect((await shop.pay('k')).status).toBe(201);
}

/** Dependencies with which the expiry of this account's payments fails. `tries` counts the attempts. */
function failingFor(accountId: string): { deps: PaymentDependencies; tries: () => number } {
  let tries = 0;
  const { operations } = kit.payments;
  const begin: OperationStore['begin'] = (intent) => {
    if (intent.subject.tenant !== tenantIn(accountId).tenant) return operations.begin(intent);
    tries += 1;
    return Promise.reject(new Error('no id can carry the time'));
  };
  const takeOver: OperationStore['takeOver'] = (...request) => operations.takeOver(...request);
  const end: OperationStore['end'] = (...row) => operations.end(...row);
  const { pastFence } = operations;
  const failing = { begin, takeOver, end, pastFence } as unknown as OperationStore;
  return { deps: { ...kit.payments, operations: failing }, tries: () => tries };
}

const statusOf = async (shop: Shop) => (await shop.paymentOf('k')).status;

it('payments of one account that cannot be expired delay no other account, and are retried with backoff', async () => {
  const broken = await Shop.open(kit);
  const other = await Shop.open(kit);
  const { accountId } = broken.context();
  await waiting(broken);
  await multiply(kit.db, { table: 'payments', accountId, copies: 999, isNumbered: true });
  kit.clock.move(minuteMs);
  await waiting(other);
  kit.processor.answers.cancel = async () => ({ kind: 'cancelled' });
  kit.clock.move(15 * minuteMs);
  const { deps, tries } = failingFor(accountId);
  const expiry = paymentExpiry(deps);
  await expiry.poll();
  await until('the other account’s payment is expired', async () => (await statusOf(other)) === 'failed');
  expect(tries()).toBeLessThan(100);
  await expiry.run();
  expect(tries()).toBe(1000);
  // Each gap is twice as long as the one before.
  for (const [afterSeconds, expected] of [
    [14, 1000],
    [1, 2000],
    [29, 2000],
    [1, 3000],
    [59, 3000],
    [1, 4000],
  ] as const) {
    kit.clock.move(afterSeconds * 1000);
    await expiry.run();
    expect([afterSeconds, tries()]).toEqual([afterSeconds, expected]);
  }
  // Once nothing fails any more, the payments expire.
  kit.clock.move(60 * minuteMs);
  await expirePayments(kit.payments);
  expect(await statusOf(broken)).toBe('failed');
}, 180_000);

it('a payment is expired in the first poll beside 1,000 of a tenant whose processor hangs', async () => {
  const hanging = await Shop.open(kit);
  const other = await Shop.open(kit);
  const { accountId } = hanging.context();
  await waiting(hanging);
  await multiply(kit.db, { table: 'payments', accountId, copies: 999, isNumbered: true });
  kit.clock.move(1000);
  await waiting(other);
  let asked = 0;
  kit.processor.answers.cancel = async (connection) => {
    if (connection.accountId !== accountId) return { kind: 'cancelled' };
    asked += 1;
    return never();
  };
  kit.clock.move(16 * minuteMs);
  await paymentExpiry(kit.payments).poll();
  await until('the other account’s payment is expired', async () => (await statusOf(other)) === 'failed');
  expect(asked).toBeLessThanOrEqual(6);
});

it('moving one account’s clock expires payments of that account only', async () => {
  const moved = await Shop.open(kit);
  const other = await Shop.open(kit);
  await waiting(moved);
  await waiting(other);
  kit.clock.move(16 * minuteMs);
  kit.processor.answers.cancel = async () => ({ kind: 'cancelled' });
  expect(await expirePayments(kit.payments, moved.context())).toBe(1);
  expect([await statusOf(moved), await statusOf(other)]).toEqual(['failed', 'requires_action']);
});
