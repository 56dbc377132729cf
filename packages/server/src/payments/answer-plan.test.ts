import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareRowSecurity } from '../store/row-security.ts';
import { tenantRole } from '../store/scope.ts';
import { createTestDatabase, findTenant } from '../vault/test-database.ts';
import { firstStatements } from './commits.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let plan: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const scope = await findTenant(db, await database.openAccount(), false);
  expect(await prepareRowSecurity(db)).toBeNull();
  const rows = await db.transaction(async (tx) => {
    const query = <Row = unknown>(text: string) => tx.query<Row>({ text, scope });
    // The same settings as on the connections of requests. Under row-level security an index serves only some conditions.
    await query('set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan');
    await query(`set local till.tenants = '{${scope.tenant}}'; set local role ${tenantRole}`);
    await query(`prepare first_answer (json) as ${firstStatements.plain.text}`);
    return query<{ 'QUERY PLAN': string }>(`explain (costs off) execute first_answer ('[]')`);
  });
  plan = rows.map((row) => row['QUERY PLAN'].replace(/^[ >-]+/, '')).join('\n');
});
afterAll(() => database.drop());

it('the answer of a payment looks its idempotency record up by its key, under row-level security', () => {
  const condition = plan.split(/Index Scan using idempotency_keys_pkey on idempotency_keys \w+\n/)[1];
  expect(condition).toMatch(/^Index Cond: \(\(tenant = (\w+)\.tenant\) AND \(digest = \1\.idem_digest\)\)\n/);
});
