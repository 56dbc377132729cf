import { afterAll, beforeAll, expect, it } from 'vitest';
import { FanOut } from '../events/fan-out.ts';
import { multiply } from '../jobs/test-kit.ts';
import type { Database } from '../store/database.ts';
import type { ScopedStatement } from '../store/scope.ts';
import type { TenantId } from '../store/tenant.ts';
import { PaymentStore } from './store.ts';
import { chargedAs, createMoneyKit, type MoneyKit, Shop } from './test-kit.ts';

let kit: MoneyKit;

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

async function addEndpoints(accountId: string, count: number): Promise<void> {
  await kit.db.query({
    text: `insert into webhook_endpoints (account_id, id, url, secret, key_version, additional_events, status, created_at)
           values ($1, 'we_000000000000000000000000', 'https://shop.example', '', 1, false, 'active', $2)`,
    values: [accountId, kit.clock.now()],
    scope: { accountId },
  });
  await multiply(kit.db, { table: 'webhook_endpoints', accountId, copies: count - 1 });
}

it('payments of an account with thousands of endpoints share no batch with other accounts', async () => {
  const wide = await Shop.open(kit);
  const plain = await Shop.open(kit);
  const { tenant, accountId } = wide.context();
  await addEndpoints(accountId, 3000);
  const commits: TenantId[][] = [];
  const db: Database = {
    ...kit.db,
    query: <Row>(statement: ScopedStatement) => {
      if (statement.name === 'insert_payments') {
        const rows = JSON.parse(String(statement.values?.[0])) as { tenant: TenantId }[];
        commits.push(rows.map((row) => row.tenant));
      }
      return kit.db.query<Row>(statement);
    },
  };
  const fanOut = new FanOut(kit.db);
  await fanOut.refresh();
  const store = new PaymentStore(db, (one) => fanOut.of(one));
  const payments = { ...kit.payments, store };
  const [attacker, other] = [wide, plain].map(
    (shop) => new Shop({ ...kit, payments }, shop.context().accountId, 'processor_a'),
  );
  if (attacker === undefined || other === undefined) throw new Error('no shops');
  kit.processor.answers.charge = async () => chargedAs('PSP1');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_one, n) => [attacker.pay(`k${n}`), other.pay(`k${n}`)]).flat(),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  const ofWide = commits.filter((tenants) => tenants.includes(tenant));
  expect(ofWide).toEqual(Array.from({ length: 10 }, () => [tenant]));
  // Nevertheless every endpoint gets all its deliveries.
  const [row] = await kit.db.query<{ count: number }>({
    text: 'select count(*) as count from deliveries where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  expect(row?.count).toBe(30_000);
});
