import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/accounts.ts';
import { currentTenant } from '../../accounts/store.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LogFields } from '../../lib/log/log.ts';
import { type Database, isUnavailable, openDatabase } from '../../store/database.ts';
import { createMigratedDatabase, type MigratedDatabase } from '../../store/migrations/test-migrated.ts';
import { Outage } from '../../store/reach/outage.ts';
import { TestClock } from '../../vault/test-database.ts';
import { withSession } from './sessions.ts';
import { dropIdleTriggers, endDeparture, fence, noteWrites, whenAnswered } from './source.ts';
import { movedTables } from './tables.ts';

let database: MigratedDatabase;
let db: Database;
let outage: Outage;
const lines: { readonly level: string; readonly message: string; readonly fields?: LogFields }[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase('fence');
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, ...(fields && { fields }) });
  outage = new Outage({ error: at('error'), warn: at('warn'), info: at('info') }, systemClock.elapsed);
  const options = { url: database.url, connections: 4, applicationName: 'till test', onError: () => {} };
  db = openDatabase({ ...options, outage });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const openShop = () =>
  createAccount(
    { db, clock: systemClock, randomBytes },
    { name: 'Shop', processor: 'processor_b', environment: 'sandbox' },
  );

it.each([
  ['until its answer is there', 3],
  ['for a second at most', Number.POSITIVE_INFINITY],
])('a processor that is asked for the account is waited for %s', async (_title, answersAfter) => {
  const shop = await openShop();
  const clock = new TestClock();
  const write = (text: string, ...values: unknown[]) =>
    db.query({ text, values: [shop.test_tenant, ...values], scope: 'everybody' });
  await write(
    `insert into operations (tenant, subject, kind, upstream_key, state, created_at, lease_owner, lease_until, next_try_at)
     values ($1, 'pay_1', 'capture', 'key', 'intent', now(), 1, $2, $2)`,
    new Date(clock.now().getTime() + 60_000),
  );
  let waits = 0;
  clock.whileWaiting = async () => {
    waits += 1;
    if (waits === answersAfter) await write('delete from operations where tenant = $1');
  };
  const account = { accountId: shop.account_id, tenants: [shop.test_tenant, shop.live_tenant] } as const;
  await withSession(db, (session) => whenAnswered(session, clock, account, 1_000));
  expect(waits).toBe(Math.min(answersAfter, 50));
});

it('what is refused of an account that is being moved is 503 and one quiet line', async () => {
  const shop = await openShop();
  const { accountId, tenant } = currentTenant(shop);
  const account = { accountId, tenants: [shop.test_tenant, shop.live_tenant] } as const;
  await withSession(db, async (session) => {
    const tables = (await movedTables(session)).filter(({ name }) => name === 'customers');
    await noteWrites(session, systemClock, account, tables);
    expect(await fence(session, systemClock, accountId, 1_000)).toBe(true);
  });
  const write = async () => {
    try {
      await db.query({
        text: 'insert into customers (tenant) values ($1)',
        values: [tenant],
        scope: 'everybody',
      });
    } catch (error) {
      return error;
    }
    throw new Error('it was not refused');
  };
  const errors = await Promise.all([write(), write(), write()]);
  expect(errors.map(isUnavailable)).toEqual([true, true, true]);
  expect(errors.map((error) => outage.explains(error))).toEqual([true, true, true]);
  expect(outage.explains(new AggregateError(errors))).toBe(true);
  expect(outage.explains(new AggregateError([...errors, new Error('another')]))).toBe(false);
  expect(lines).toEqual([
    {
      level: 'info',
      message: 'what an account writes is refused while it is moved',
      fields: { account: accountId },
    },
  ]);
});

it('triggers of departures that have ended are dropped once nobody reads their tables; those of others stay', async () => {
  const [gone, leaving] = [await openShop(), await openShop()];
  const triggersOf = async ({ account_id: id }: typeof gone) => {
    const text = `select tgname from pg_trigger where tgname like 'departing_%_' || $1`;
    return (await db.query({ text, values: [id], scope: 'everybody' })).length;
  };
  await withSession(db, async (session) => {
    const tables = (await movedTables(session)).filter(({ name }) => name === 'customers');
    for (const { account_id: accountId, test_tenant, live_tenant } of [gone, leaving]) {
      await noteWrites(session, systemClock, { accountId, tenants: [test_tenant, live_tenant] }, tables);
    }
    await endDeparture(session, gone.account_id);
    await withSession(db, async (backup) => {
      await backup.query({ text: 'begin' });
      await backup.query({ text: 'select from customers' });
      await dropIdleTriggers(session);
      expect(await triggersOf(gone)).toBe(2);
    });
    // PostgreSQL may not have noticed yet that the connection has ended.
    await expect.poll(async () => dropIdleTriggers(session).then(() => triggersOf(gone))).toBe(0);
    expect(await triggersOf(leaving)).toBe(2);
  });
});
