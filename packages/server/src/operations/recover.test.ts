import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import { OperationWaits } from '../lib/waiting/operation-waits.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { createTestDatabase, TestClock, type TestDatabase, tenantIn } from '../vault/test-database.ts';
import { lanes, type OperationKind, operationKinds } from './operation.ts';
import { operationRecovery, type Recover } from './recover.ts';
import { OperationStore } from './store.ts';

const clock = new TestClock();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.db.query({ text: 'delete from operations', scope: 'everybody' }));
afterAll(() => database.drop());

/** Inserts an unanswered operation that has been due for `dueSince` milliseconds. @returns its subject */
async function open(accountId: string, kind: OperationKind, dueSince: number): Promise<string> {
  const subject = `${kind}_of_${accountId}_000000`;
  await database.db.query({
    text: `insert into operations (tenant, subject, kind, upstream_key, state, tries, created_at,
             lease_owner, lease_until, next_try_at)
           values ($1, $2, $3, 'key', 'unknown', 2, $4, 0, '-infinity', $4)`,
    values: [tenantIn(accountId).tenant, subject, kind, new Date(clock.now().getTime() - dueSince)],
    scope: tenantIn(accountId),
  });
  return subject;
}

const sweepOf = (recover: Recover) =>
  operationRecovery(
    {
      db: database.db,
      clock,
      operations: new OperationStore({ db: database.db, clock }, 1),
      waits: new OperationWaits(clock),
      lease: () => ({ owner: 1, until: new Date(clock.now().getTime() + 195_000) }),
      onIncident: () => {},
    },
    Object.fromEntries(operationKinds.map((kind) => [kind, recover])),
  );

it.each(Object.entries(lanes))(
  '1,000 %s of a tenant that hang and are due longest delay nothing else of that tenant',
  async (lane, [hanging]) => {
    const accountId = await database.openAccount();
    await open(accountId, hanging, 60_000);
    await multiply(database.db, { table: 'operations', accountId, copies: 999, ids: ['subject'] });
    const others = Object.entries(lanes).flatMap(([name, [kind]]) => (name === lane ? [] : [kind]));
    const subjects = await Promise.all(others.map((kind) => open(accountId, kind, 0)));
    const asked: string[] = [];
    let hung = 0;
    const recovery = sweepOf(async (operation) => {
      if (operation.kind !== hanging) return asked.push(operation.subject) > 0;
      hung += 1;
      return never();
    });
    await recovery.poll();
    await until('all lanes are looked at', async () => asked.length === others.length && hung > 0);
    expect([...asked].sort()).toEqual([...subjects].sort());
  },
);

it.each(['end', 'leaveUnknown', 'leaveToRecovery'] as const)(
  '%s of who held an operation before changes nothing of it, once recovery of the same process has taken it over',
  async (what) => {
    const tenant = tenantIn(await database.openAccount());
    const id = await open(tenant.accountId, 'capture', 0);
    const row = { tenant: tenant.tenant, id };
    const operations = new OperationStore({ db: database.db, clock }, 1);
    const [before, now] = [60_000, 120_000].map((ms) => new Date(clock.now().getTime() + ms)) as [Date, Date];
    const take = (end: Date, at: Date) => operations.takeOver(row, ['capture'], { owner: 1, until: end }, at);
    const read = () =>
      database.db.query({
        text: 'select * from operations where tenant = $1',
        values: [row.tenant],
        scope: tenant,
      });
    await take(before, clock.now());
    await take(now, before);
    const taken = await read();
    await (what === 'end' ? operations.end(row, before) : operations[what](row, before, clock.now()));
    expect(await read()).toEqual(taken);
    await (what === 'end' ? operations.end(row, now) : operations[what](row, now, clock.now()));
    expect(await read()).not.toEqual(taken);
  },
);
