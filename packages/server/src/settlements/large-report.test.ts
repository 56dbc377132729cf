import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../store/tenant.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { openShop, reportOf } from './test-kit.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** More lines than one statement inserts or judges again. */
const many = 2500;
const psps = Array.from({ length: many }, (_none, n) => `PSP${n}`);

/** Inserts the payments of all PSP references at once. */
const payAll = (tenant: Tenant) =>
  database.db.query({
    text: `insert into payments (tenant, id, seq, status, version, event_count, amount, currency, capture_method,
             method_type, brand, last4, request, created_at, upstream)
           select $1, 'pay_' || lpad(n::text, 24, '0'), n + 1, 'succeeded', 1, 1, 4990, 'EUR', 'automatic',
             'card', 'visa', '1111', '{}', now(), json_build_object('psp', 'PSP' || n)
           from generate_series(0, $2::int - 1) n`,
    values: [tenant.tenant, many],
    scope: tenant,
  });

const linesKept = async (tenant: Tenant) => {
  const [row] = await database.db.query<{ lines: number }>({
    text: 'select count(*)::int as lines from payout_lines where tenant = $1',
    values: [tenant.tenant],
    scope: tenant,
  });
  return row?.lines;
};

it('an import that ends between its statements leaves nothing, and the same file again is imported once', async () => {
  const shop = await openShop(database, clock);
  const report = new TextEncoder().encode(reportOf(7, ...psps));
  let readings = 0;
  async function* ending() {
    readings += 1;
    yield report.subarray(0, -1000);
    if (readings === 2) throw new Error('killed');
    yield report.subarray(-1000);
  }
  await expect(shop.imports(ending)).rejects.toThrow('killed');
  expect(await linesKept(shop.tenant)).toBe(0);
  expect(await shop.imports(ending)).toMatchObject({ payouts: 1, lines: many, repeated: false });
  expect(await shop.imports(ending)).toMatchObject({ payouts: 1, lines: many, repeated: true });
  expect(await linesKept(shop.tenant)).toBe(many);
});

it('lines that take several statements are all tried again, and a corrected report replaces all of them', async () => {
  const shop = await openShop(database, clock);
  const report = reportOf(7, ...psps);
  expect(await shop.imports(report)).toMatchObject({ matched: 0, unmatched: many });
  await payAll(shop.tenant);
  expect(await shop.imports(report)).toMatchObject({ matched: many, unmatched: 0, newly_matched: many });
  expect(await shop.imports(reportOf(7, ...psps.slice(1)))).toMatchObject({
    corrected: 1,
    matched: many - 1,
  });
  expect(await linesKept(shop.tenant)).toBe(many - 1);
  expect(await shop.payouts()).toMatchObject([{ count: 0 }]);
});
