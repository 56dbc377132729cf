import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeOld, retentionMs } from './retention.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const now = new Date('2026-11-20T12:00:00Z');
const at = (days: number) => new Date(now.getTime() - days * 86_400_000);

async function keys(): Promise<string[]> {
  const { rows } = await database.pool.query<{ key: string }>(
    `select idempotency_key as key from sandbox.requests union all select id from sandbox.notifications order by key`,
  );
  return rows.map(({ key }) => key);
}

it('answers for repeats and accepted notifications go after 60 days, all others stay', async () => {
  await database.pool.query(
    `insert into sandbox.requests (merchant_account, idempotency_key, psp_reference, started_at, status, body)
     values ('acct', 'old', 'P1', $1, 200, '{}'), ('acct', 'old, at work', 'P2', $1, null, null),
       ('acct', 'young', 'P3', $2, 200, '{}')`,
    [at(61), at(59)],
  );
  await database.pool.query(
    `insert into sandbox.notifications (processor, merchant_account, id, due_at, body, sent)
     values ('processor_a', 'acct', 'AUTHORISATION:1', $1, '{}', true), ('processor_a', 'acct', 'REFUND:1:true', $1, '{}', true),
       ('processor_a', 'acct', 'AUTHORISATION:2', $1, '{}', false), ('processor_b', 'acct', 'WH-1', $2, '{}', true)`,
    [at(61), at(59)],
  );
  expect(await removeOld(database.pool, new Date(now.getTime() - retentionMs))).toBe(2);
  expect(await removeOld(database.pool, new Date(now.getTime() - retentionMs))).toBe(0);
  expect(await keys()).toEqual(['AUTHORISATION:2', 'REFUND:1:true', 'WH-1', 'old, at work', 'young']);
});

it('many go by several statements', async () => {
  await database.pool.query(
    `insert into sandbox.requests (merchant_account, idempotency_key, psp_reference, started_at, status, body)
     select 'many', n::text, 'P', $1, 200, '{}' from generate_series(1, 5001) n`,
    [at(61)],
  );
  const before = new Date(now.getTime() - retentionMs);
  expect([await removeOld(database.pool, before), await removeOld(database.pool, before)]).toEqual([5000, 1]);
});
