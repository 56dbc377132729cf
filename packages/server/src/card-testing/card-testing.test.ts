import { randomBytes } from 'node:crypto';
import type { CardTestingLimits } from '@till/contract/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backgroundContext } from '../accounts/context.ts';
import { findAccount } from '../accounts/store.ts';
import { TestData } from '../dashboard/figures/test-data.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { checkMasterKey, deriveMasterKeys } from '../vault/master-keys.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { Vault } from '../vault/vault.ts';
import { CardTesting } from './card-testing.ts';
import { cardTestingLimits, saveCardTestingLimits } from './limits.ts';
import { cardTestingMarksOf, cardTestingSince } from './reads.ts';
import { removeOldCounts } from './store.ts';

const clock = new TestClock();
const masterKeys = deriveMasterKeys(Buffer.alloc(32, 2), null);
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await checkMasterKey(database.db, masterKeys, clock.now());
});
afterAll(() => database.drop());

const strict: CardTestingLimits = {
  address: { slow_after: 2, refuse_after: 4 },
  card: { slow_after: null, refuse_after: 2 },
  link: { slow_after: 2, refuse_after: 3 },
  account: { slow_after: null, refuse_after: null },
};
const visa = '4111111111111111';

/** A shop with a payment, and two processes that serve its page. */
async function openShop(limits: CardTestingLimits | null = strict) {
  const { db } = database;
  const tenant: Tenant = await database.openTenant();
  const paymentId = await new TestData(db, tenant).pay({ at: clock.now(), status: 'requires_action' });
  if (limits !== null) await saveCardTestingLimits(db, tenant.accountId, limits, clock.now());
  const failures: unknown[] = [];
  /** The names of the statements that fail. */
  const failing = new Set<string | undefined>();
  const statements: Queryable = {
    query: (statement) =>
      failing.has(statement.name) ? Promise.reject(new Error('connection lost')) : db.query(statement),
  };
  const process = () =>
    new CardTesting({
      db: statements,
      clock,
      vault: new Vault({ db, clock, randomBytes, masterKeys }),
      onFailure: (error) => failures.push(error),
    });
  const [one, other] = [process(), process()];
  const account = await findAccount(db, tenant.accountId);
  if (account === undefined) throw new Error('it was just opened');
  const suspended: number[] = [];
  const context = () =>
    backgroundContext(account, false, clock.now(), async (wait) => {
      const before = clock.elapsed();
      const result = await wait();
      suspended.push(clock.elapsed() - before);
      return result;
    });
  const attempt = (address: string, cardNumber: string | null, linkId: string | null) => ({
    paymentId,
    address,
    cardNumber,
    linkId,
  });
  const decline = (address: string, cardNumber: string | null, linkId: string | null = null) =>
    one.declined(context(), attempt(address, cardNumber, linkId));
  const attemptWith = (
    cards: CardTesting,
    cardNumber: string | null,
    send: () => Promise<{ declined: boolean }>,
    linkId: string | null = null,
  ) => cards.attempt(context(), attempt('203.0.113.7', cardNumber, linkId), send);
  const admit = async (address: string, cardNumber: string | null, linkId: string | null = null) => {
    const sent = await other.attempt(context(), attempt(address, cardNumber, linkId), () =>
      Promise.resolve({ declined: false }),
    );
    return typeof sent !== 'string';
  };
  const processes = [one, other] as const;
  return { tenant, paymentId, processes, suspended, decline, admit, attemptWith, failures, failing };
}

const countsOf = (tenant: Tenant) =>
  database.db.query<{ kind: string; name: Buffer }>({
    text: 'select kind, name from card_declines where tenant = $1 order by kind',
    values: [tenant.tenant],
    scope: tenant,
  });

/** The distinct numbers of open attempts in a tenant's counts. */
async function openOf(tenant: Tenant): Promise<number[]> {
  const rows = await database.db.query<{ open: number }>({
    text: 'select distinct open from card_declines where tenant = $1 order by open',
    values: [tenant.tenant],
    scope: tenant,
  });
  return rows.map(({ open }) => open);
}

/** Resolves once the callback that is passed to `begin` is called. */
const reached = (begin: (begun: () => void) => unknown): Promise<void> =>
  new Promise((resolve) => {
    begin(resolve);
  });

it('declines that one process counted slow down and then refuse attempts at another', async () => {
  const shop = await openShop();
  for (const number of ['4000000000000002', '4000000000000010']) await shop.decline('203.0.113.7', number);
  expect(await shop.admit('203.0.113.7', visa)).toBe(true);
  await shop.decline('203.0.113.7', null);
  expect(await shop.admit('203.0.113.7', visa)).toBe(true);
  // During the delay the request leaves its place to others.
  expect(shop.suspended).toEqual([1000, 2000]);
  await shop.decline('203.0.113.7', null);
  expect(await shop.admit('203.0.113.7', visa)).toBe(false);
  expect(await shop.admit('203.0.113.8', visa)).toBe(true);
  const marks = await cardTestingMarksOf(database.db, shop.tenant, shop.paymentId);
  expect(marks.map(({ at: _at, ...mark }) => mark)).toEqual([
    { effect: 'slowed', because: 'address', times: 2 },
    { effect: 'refused', because: 'address', times: 1 },
  ]);
  const since = new Date(clock.now().getTime() - 60_000);
  expect(await cardTestingSince(database.db, shop.tenant, since)).toEqual({
    slowed: 2,
    refused: 1,
    payments: 1,
  });
});

it('a card is counted wherever it is tried, and an address of IPv6 by its network', async () => {
  const shop = await openShop();
  await shop.decline('2001:db8:1:2::1', visa);
  await shop.decline('203.0.113.9', visa);
  expect(await shop.admit('198.51.100.1', visa)).toBe(false);
  expect(await shop.admit('198.51.100.1', '5555444433331111')).toBe(true);
  await shop.decline('2001:db8:1:2::2', null);
  expect(await shop.admit('2001:db8:1:2:ffff::3', null)).toBe(true);
  expect(shop.suspended).toHaveLength(1);
});

it('a payment link is counted whatever the card and the address, and no other link with it', async () => {
  const shop = await openShop();
  const decline = (host: number) => shop.decline(`203.0.113.${host}`, `400000000000000${host}`, 'pl_1');
  await decline(1);
  await decline(2);
  expect(await shop.admit('203.0.113.8', visa, 'pl_1')).toBe(true);
  expect(shop.suspended).toEqual([1000]);
  await decline(3);
  expect(await shop.admit('203.0.113.8', visa, 'pl_1')).toBe(false);
  expect(await shop.admit('203.0.113.8', visa, 'pl_2')).toBe(true);
  expect(await shop.admit('203.0.113.8', visa)).toBe(true);
  expect(await cardTestingMarksOf(database.db, shop.tenant, shop.paymentId)).toMatchObject([
    { effect: 'slowed', because: 'link', times: 1 },
    { effect: 'refused', because: 'link', times: 1 },
  ]);
});

it('what was declined is over after an hour of account time', async () => {
  const shop = await openShop();
  await shop.decline('203.0.113.7', visa);
  await shop.decline('203.0.113.7', visa);
  expect(await shop.admit('203.0.113.7', visa)).toBe(false);
  clock.move(3_600_000);
  expect(await shop.admit('203.0.113.7', visa)).toBe(true);
  await shop.decline('203.0.113.7', visa);
  expect(await shop.admit('203.0.113.7', visa)).toBe(true);
});

it('declines at the same moment are all counted', async () => {
  const shop = await openShop();
  await Promise.all(Array.from({ length: 4 }, () => shop.decline('203.0.113.7', visa)));
  expect(await shop.admit('203.0.113.7', null)).toBe(false);
});

it('of attempts at the same moment no more are sent than the limit leaves', async () => {
  const shop = await openShop();
  let sent = 0;
  const decline = async () => {
    sent += 1;
    await new Promise(setImmediate);
    return { declined: true };
  };
  const attempts = Array.from({ length: 40 }, (_, index) =>
    shop.attemptWith(shop.processes[index % 2 === 0 ? 0 : 1], `40000000000000${10 + index}`, decline),
  );
  const refused = (await Promise.all(attempts)).filter((outcome) => outcome === 'refused');
  expect({ sent, refused: refused.length }).toEqual({ sent: 4, refused: 36 });
});

it('attempts that are not declined wait for each other, are all sent, and leave nothing', async () => {
  const shop = await openShop();
  const succeed = () => Promise.resolve({ declined: false });
  const attempts = Array.from({ length: 12 }, () => shop.attemptWith(shop.processes[0], visa, succeed));
  expect((await Promise.all(attempts)).filter((outcome) => outcome === 'refused')).toEqual([]);
  expect(await countsOf(shop.tenant)).toEqual([]);
});

it('those who wait for the attempts of one address do not fill the link for others', async () => {
  const shop = await openShop({ ...strict, link: { slow_after: null, refuse_after: 8 } });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (begun: () => void) => async () => {
    begun();
    await held;
    return { declined: false };
  };
  const [process] = shop.processes;
  const running: Promise<unknown>[] = [];
  const begin = (index: number, begun: () => void) => {
    running.push(shop.attemptWith(process, `40000000000000${10 + index}`, hold(begun), 'pl_1'));
  };
  await Promise.all([0, 1, 2, 3].map((index) => reached((begun) => begin(index, begun))));
  for (let index = 4; index < 60; index += 1) begin(index, () => {});
  const others = [1, 2, 3].map((host) => shop.admit(`198.51.100.${host}`, null, 'pl_1'));
  expect(await Promise.all(others)).toEqual([true, true, true]);
  release();
  const ended = await Promise.all(running);
  expect(ended.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => ({ declined: false })));
});

it('what a card came to is answered where it cannot be counted, and what stays open is forgotten', async () => {
  const shop = await openShop();
  shop.failing.add('close_card_attempt').add('count_card_decline');
  const outcomes = await Promise.all(
    [true, false].map((declined) => shop.attemptWith(shop.processes[0], null, async () => ({ declined }))),
  );
  expect(outcomes).toEqual([{ declined: true }, { declined: false }]);
  expect(shop.failures).toHaveLength(2);
});

it('an attempt that cannot be marked is not sent, and not open either', async () => {
  const shop = await openShop();
  for (let count = 0; count < 2; count += 1) await shop.decline('203.0.113.7', null);
  shop.failing.add('mark_card_testing');
  const send = () => Promise.reject(new Error('sent'));
  await expect(shop.attemptWith(shop.processes[0], visa, send)).rejects.toThrow('connection lost');
  expect(await openOf(shop.tenant)).toEqual([0]);
});

it('what an ended process left open counts for two minutes, however often others try meanwhile', async () => {
  const shop = await openShop();
  const [process] = shop.processes;
  const never = (begun: () => void) => () => {
    begun();
    return new Promise<never>(() => {});
  };
  await Promise.all([1, 2].map(() => reached((begun) => shop.attemptWith(process, visa, never(begun)))));
  expect(await shop.admit('198.51.100.1', visa)).toBe(false);
  clock.move(60_000);
  expect(await shop.admit('198.51.100.1', visa)).toBe(false);
  clock.move(60_000);
  expect(await shop.admit('198.51.100.1', visa)).toBe(true);
});

it('neither card nor address nor link stands in the database, and what no longer counts goes', async () => {
  const shop = await openShop(null);
  await shop.decline('203.0.113.77', visa, 'pl_1');
  const rows = await countsOf(shop.tenant);
  expect(rows.map(({ kind, name }) => [kind, name.length])).toEqual([
    ['account', 32],
    ['address', 32],
    ['card', 32],
    ['link', 32],
  ]);
  const another = await openShop(null);
  await another.decline('203.0.113.77', visa);
  // The same card has another name in another account, so it cannot be tracked from shop to shop.
  const [name] = await database.db.query({
    text: 'select count(distinct name)::int as names from card_declines where kind = $1 and tenant = any ($2)',
    values: ['card', [shop.tenant.tenant, another.tenant.tenant]],
    scope: [shop.tenant, another.tenant],
  });
  expect(name).toEqual({ names: 2 });
  await removeOldCounts(database.db, clock.now());
  expect(await countsOf(shop.tenant)).toEqual([]);
});

it('limits are those of the account, else the defaults; a refusal does not come before the delay', async () => {
  const shop = await openShop(null);
  const { accountId } = shop.tenant;
  expect(await cardTestingLimits(database.db, accountId)).toMatchObject({
    card: { slow_after: 5, refuse_after: 10 },
    link: { slow_after: 30, refuse_after: 100 },
  });
  const wrong = { ...strict, card: { slow_after: 3, refuse_after: 2 } };
  await expect(saveCardTestingLimits(database.db, accountId, wrong, clock.now())).rejects.toMatchObject({
    param: 'card.refuse_after',
  });
  await saveCardTestingLimits(database.db, accountId, strict, clock.now());
  expect(await cardTestingLimits(database.db, accountId)).toEqual(strict);
});
