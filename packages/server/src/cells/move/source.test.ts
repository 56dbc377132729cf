import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/accounts.ts';
import { presentTenant } from '../../accounts/store.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LogFields } from '../../lib/log/log.ts';
import { type Database, isUnavailable, openDatabase } from '../../store/database.ts';
import { Outage } from '../../store/reach/outage.ts';
import { createMigratedDatabase, type MigratedDatabase } from '../../store/test-migrated.ts';
import { withSession } from './sessions.ts';
import { fence, noteWrites } from './source.ts';
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

it('what is refused of an account that is being moved is 503 and one quiet line', async () => {
  const deps = { db, clock: systemClock, randomBytes };
  const shop = await createAccount(deps, {
    name: 'Shop',
    processor: 'processor_b',
    environment: 'sandbox',
  });
  const { accountId, tenant } = presentTenant(shop);
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
