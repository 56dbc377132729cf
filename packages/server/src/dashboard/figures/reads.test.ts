import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../store/database.ts';
import type { ScopedStatement } from '../../store/scope.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../../vault/test-database.ts';
import { countFigures, rebuildFigures } from './count.ts';
import { readAttempts } from './reads.ts';
import { TestData } from './test-data.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createTestDatabase();
});
afterAll(() => kit.drop());

const hourMs = 3_600_000;

it('webhook attempts of an account are read once, also where they are counted at that moment, and others had later ones', async () => {
  const clock = new TestClock();
  const deps = { db: kit.db, clock };
  const open = async () => {
    const tenant = await kit.openTenant();
    return { tenant, data: new TestData(kit.db, tenant) };
  };
  const [one, other] = [await open(), await open()];
  const now = clock.now().getTime();
  const before = (ms: number) => new Date(now - ms);
  const endpoint = await one.data.endpoint(before(0));
  const elsewhere = await other.data.endpoint(before(0));
  const shown = async (db: Queryable) =>
    (await readAttempts(db, one.tenant, [before(24 * hourMs), before(-hourMs)]))
      .map(({ measure, label, count }) => [measure, label, count])
      .toSorted();
  await one.data.attempt(endpoint, before(2 * hourMs), 1, 200);
  await other.data.attempt(elsewhere, before(hourMs), 1, 200);
  await countFigures(deps);
  await one.data.attempt(endpoint, before(30_000), 1, 500);
  const expected = [
    ['attempts_failed', endpoint, 1],
    ['attempts_succeeded', endpoint, 1],
  ];
  expect(await shown(kit.db)).toEqual(expected);
  clock.move(120_000);
  const counting: Queryable = {
    async query<Row>(statement: ScopedStatement) {
      const rows = await kit.db.query<Row>(statement);
      if (statement.name === 'attempts_counted_until') await countFigures(deps);
      return rows;
    },
  };
  expect(await shown(counting)).toEqual(expected);
  await other.data.attempt(elsewhere, before(-10_000), 1, 200);
  await countFigures(deps);
  expect(await shown(kit.db)).toEqual(expected);
  await rebuildFigures(deps, one.tenant.accountId);
  expect(await shown(kit.db)).toEqual(expected);
});
