import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../store/database.ts';
import { createMigratedDatabase } from '../../store/migrations/test-migrated.ts';
import { prepareRowSecurity } from '../../store/row-security.ts';
import type { Scope } from '../../store/scope.ts';
import { endOfDeletedSql } from '../endpoints/end-deliveries.ts';
import { claimHintedSql, claimSweepSql, finishSql } from './delivery-sql.ts';

let database: { readonly url: string; drop(): Promise<void> };
let db: Database;

const run = (text: string) => db.query({ text, scope: 'everybody' });

/** Inserts pending deliveries of this many accounts, each of which has one endpoint. */
const insertPending = (accounts: number, each: number) =>
  run(`insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, created_at)
    select 'acct_' || n % ${accounts}, 'we_' || n % ${accounts}, 'dlv_' || n, n % ${accounts}, 'evt_' || n,
      'payment.succeeded', 'pending', now()
    from generate_series(1, ${accounts * each}) n`);

beforeAll(async () => {
  database = await createMigratedDatabase('delivery_plans_test');
  const options = { url: database.url, connections: 1, applicationName: 'till test', prefersIndexes: true };
  db = openDatabase({ ...options, isScoped: () => true, onError: () => {} });
  expect(await prepareRowSecurity(db)).toBeNull();
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

/** The plan of a statement as it is planned for this scope. */
async function planOf(sql: string, values: unknown[], scope: Scope): Promise<string> {
  const text = `explain (costs off) ${sql}`;
  const rows = await db.query<{ 'QUERY PLAN': string }>({ text, values, scope, byIndex: true });
  return rows.map((row) => row['QUERY PLAN'].trim()).join('\n');
}

const limits = [new Date(), new Date(), 48, '{}', '{}', false, 96, 64, '{}'];

/**
 * Expects that an attempt's outcome is recorded by the delivery's whole key, without a scan of all deliveries of the
 * accounts in scope.
 */
async function expectRecordedByKey(): Promise<void> {
  const plan = await planOf(finishSql, ['[]'], [{ accountId: 'acct_0' }, { accountId: 'acct_1' }]);
  expect(plan).not.toMatch(/Hash Join|Merge Join|deliveries_pending/);
  const condition = plan.split('Index Scan using deliveries_pkey on deliveries d\n')[1];
  expect(condition).toMatch(
    /^Index Cond: \(\(account_id = i\.account_id\) AND \(endpoint_id = i\.endpoint_id\) AND \(id = i\.id\)\)\n/,
  );
}

describe('where a thousand accounts have had a few deliveries each', () => {
  beforeAll(async () => {
    await insertPending(1000, 15);
    await run('analyze deliveries');
  });
  afterAll(() => run('truncate deliveries'));

  it('a claim of some accounts reads none of the endpoints that they deleted', async () => {
    const plan = await planOf(claimHintedSql, [...limits, ['acct_0']], 'everybody');
    expect(plan).toMatch(/using webhook_endpoints_present on webhook_endpoints e/);
  });

  it('what an attempt brought is recorded on the delivery of that key alone, under row-level security', () =>
    expectRecordedByKey());
});

describe('however many deliveries an account has had, and however many wait', () => {
  beforeAll(async () => {
    await insertPending(200, 100);
    // Makes the index of pending deliveries larger than its rows need, as it is after a backlog.
    await run(`update deliveries set state = 'succeeded'`);
    await run(`insert into deliveries (account_id, endpoint_id, id, tenant, event_id, event_type, state, created_at)
      select 'acct_0', 'we_dead', 'dlv_dead' || n, 0, 'evt_' || n, 'payment.succeeded', 'pending', now()
      from generate_series(1, 3000) n`);
    await run('analyze deliveries');
  });

  it.each([
    ['of some accounts', claimHintedSql, ['acct_0']],
    ['of all accounts', claimSweepSql, ''],
  ])('a claim %s reads what is pending in the order in which it is due', async (_whose, sql, more) => {
    const plan = await planOf(sql, [...limits, more], 'everybody');
    const claimed = plan.split('LockRows\n')[1] ?? '';
    expect(claimed).toMatch(/^->\s+Index Scan using deliveries_pending on deliveries/);
    expect(plan).not.toMatch(/Sort Key: .*next_attempt_at/);
  });

  it('the sweep of deleted endpoints walks what is pending by endpoint, and reads no other endpoint', async () => {
    const plan = await planOf(endOfDeletedSql, [new Date(), 10_000], 'everybody');
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Sort/);
    expect(plan).toMatch(
      /Index Cond: \(ROW\(account_id, endpoint_id\) > ROW\(w\.account_id, w\.endpoint_id\)\)/,
    );
    expect(plan).toMatch(/Index Scan using webhook_endpoints_\w+ on webhook_endpoints/);
    expect(plan).toMatch(/LockRows\n->\s+Index Scan using deliveries_pending on deliveries/);
  });

  it('what an attempt brought is recorded on the delivery of that key alone, under row-level security', () =>
    expectRecordedByKey());
});
