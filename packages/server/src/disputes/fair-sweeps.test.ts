import { afterAll, beforeAll, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { tenantIn } from '../vault/test-database.ts';
import { disputeExpiry } from './deadlines/expire-disputes.ts';
import { disputeReminders } from './deadlines/remind-disputes.ts';
import type { DisputeDependencies } from './dependencies.ts';
import { applyDisputeFacts } from './notifications/apply-facts.ts';
import { disputeRecovery } from './operations/recover-disputes.ts';
import { createDisputeKit, type DisputeKit, factsOf, noAnswer, triesOf } from './test-kit.ts';

const hourMs = 3_600_000;
let kit: DisputeKit;

beforeAll(async () => {
  kit = await createDisputeKit();
});
afterAll(() => kit.drop());

/** Copies the disputes of an account. Each copy has a payment of its own. */
async function multiplyDisputes(accountId: string, copies: number): Promise<void> {
  await multiply(kit.db, { table: 'payments', accountId, copies, isNumbered: true });
  const ids = ['id', 'upstream_id', 'payment_id'];
  await multiply(kit.db, { table: 'disputes', accountId, copies, ids, isNumbered: true });
}

/** Opens an account with one owner and disputes with an answer due in `hours`. @returns the first of them */
async function openWith(hours: number, copies = 0) {
  const shop = kit.context(await kit.openAccount());
  const { accountId } = shop;
  await kit.addStaff(accountId, `${accountId}@shop.example`);
  const respondBy = new Date(kit.clock.now().getTime() + hours * hourMs);
  const facts = factsOf(await kit.pay(shop), { respondBy });
  await applyDisputeFacts(kit.deps, shop, facts);
  await multiplyDisputes(accountId, copies);
  const present = async () => {
    const row = await kit.deps.store.findByUpstreamId(shop, facts.upstreamId);
    if (row === undefined) throw new Error('the dispute is gone');
    return row;
  };
  return { shop, present };
}

/** Makes every change of this account's disputes fail. @returns the dependencies, and the number of tries */
function failingFor(accountId: string): { deps: DisputeDependencies; tries: () => number } {
  let tries = 0;
  const settle: DisputeDependencies['store']['settle'] = (change) => {
    if (change.dispute.tenant !== tenantIn(accountId).tenant) return kit.deps.store.settle(change);
    tries += 1;
    return Promise.reject(new Error('cannot be written'));
  };
  const find: DisputeDependencies['store']['find'] = (...options) => kit.deps.store.find(...options);
  const store = { settle, find } as unknown as DisputeDependencies['store'];
  return { deps: { ...kit.deps, store }, tries: () => tries };
}

it('disputes of one account that cannot be expired delay no other account, and are retried with backoff', async () => {
  const broken = await openWith(1, 999);
  const other = await openWith(2);
  kit.clock.move(2 * hourMs);
  const { deps, tries } = failingFor(broken.shop.accountId);
  const expiry = disputeExpiry(deps);
  await expiry.poll();
  await until('the other one is accepted', async () => (await other.present()).status === 'accepted');
  expect(tries()).toBeLessThan(100);
  await expiry.run();
  expect(tries()).toBe(1000);
  kit.clock.move(14_000);
  expect(await expiry.run()).toBe(0);
  kit.clock.move(1_000);
  expect(await expiry.run()).toBe(1000);
}, 180_000);

it('reminders of one account that cannot be written delay no other account, and are retried with backoff', async () => {
  const broken = await openWith(50, 999);
  const other = await openWith(51);
  kit.clock.move(28 * hourMs);
  const { deps, tries } = failingFor(broken.shop.accountId);
  const reminders = disputeReminders(deps);
  await reminders.poll();
  await until(
    'the other account is reminded',
    async () => (await kit.mails(other.shop.accountId)).length === 2,
  );
  await reminders.run();
  expect(tries()).toBe(1000);
  expect(await reminders.run()).toBe(0);
  kit.clock.move(15_000);
  expect(await reminders.run()).toBe(1000);
}, 180_000);

it('recovery resumes an acceptance in its first poll beside 1,000 of a tenant whose processor hangs', async () => {
  const begin = async ({ shop, present }: Awaited<ReturnType<typeof openWith>>) => {
    const lease = kit.deps.lease();
    const dispute = await present();
    const upstreamKey = `${dispute.id}:a0`;
    const intent = {
      subject: dispute,
      kind: 'accept',
      upstreamKey,
      at: shop.now,
      lease,
      claim: null,
    } as const;
    expect(await kit.deps.operations.begin(intent)).toBe('begun');
    await kit.deps.operations.leaveUnknown(dispute, lease.until, kit.clock.now());
  };
  const hanging = await openWith(100);
  const other = await openWith(100);
  const { accountId } = hanging.shop;
  await begin(hanging);
  await multiplyDisputes(accountId, 999);
  await multiply(kit.db, { table: 'operations', accountId, copies: 999, ids: ['subject'] });
  await begin(other);
  const { id } = await other.present();
  const { port } = kit.processor;
  let asked = 0;
  const acceptDispute: typeof port.acceptDispute = async (connection, request) => {
    if (request.disputeId === id) return port.acceptDispute(connection, request);
    asked += 1;
    return never();
  };
  kit.processor.answers = [() => noAnswer('unknown')];
  const deps: DisputeDependencies = {
    ...kit.deps,
    connect: (account) => {
      const connected = kit.deps.connect(account);
      return connected && { ...connected, port: { ...connected.port, acceptDispute } };
    },
  };
  const recovery = disputeRecovery(deps);
  await recovery.poll();
  await until('it was asked for', async () => (await triesOf(kit, id)) === 2);
  kit.clock.move(60_000);
  await recovery.poll();
  await until('it is accepted', async () => (await other.present()).status === 'accepted');
  // A quarter of the free places, of 32.
  expect(asked).toBeLessThanOrEqual(6);
});
