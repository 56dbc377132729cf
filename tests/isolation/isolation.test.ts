import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scope, type ScopedStatement, settingsOf } from '../../packages/server/src/store/scope.ts';
import type { TenantId } from '../../packages/server/src/store/tenant.ts';
import { CleanUp } from '../support/clean-up.ts';
import { openShop, readEverything, type Shop, startReceiver } from './tour.ts';
import { startWorld, type World } from './world.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let world: World;
let own: Shop;
let foreign: Shop;
/** Returns the tenant of an account in test mode. */
async function tenantOf(account: string): Promise<number> {
  const [row] = await world.db.query<{ tenant: number }>({
    text: 'select tenant from tenants where account_id = $1 and not livemode',
    values: [account],
    scope: 'nobody',
  });
  return row?.tenant ?? 0;
}
/** The reading statements of the two shops, each text once per shop. */
let reads: { readonly own: ScopedStatement[]; readonly foreign: ScopedStatement[] };

const isRead = ({ text }: ScopedStatement) =>
  /^\s*(select|with)\b/i.test(text) &&
  !/\b(insert into|update \w+ (\w+ )?set|delete from|for update)\b/i.test(text);
const touchesTenants = ({ text }: ScopedStatement) =>
  tenantTables.some((table) => new RegExp(`\\b${table}\\b`).test(text));
let tenantTables: string[] = [];
/**
 * Tables of accounts that are queried before the account is known, and therefore have no policy (decision
 * 0018).
 */
const lookedUpFirst = [
  'account_cells',
  'account_moves',
  'arrivals',
  'departed_rows',
  'departures',
  'cell_keys',
  'accounts',
  'api_keys',
  'connections',
  'memberships',
  'tenants',
];

beforeAll(async () => {
  world = await startWorld(cleanUp);
  const hook = await startReceiver(cleanUp);
  [own, foreign] = [
    await openShop(world.place, 'processor_a', hook),
    await openShop(world.place, 'processor_a', hook),
  ];
  const policies = await world.db.query<{ name: string }>({
    text: `select tablename as name from pg_policies where schemaname = 'public' group by tablename`,
    scope: 'anybody',
  });
  tenantTables = policies.map(({ name }) => name);
  const sentFor = async (shop: Shop) => {
    const before = world.statements.length;
    expect(await readEverything(shop)).toEqual([]);
    const { account = '' } = shop.ids;
    const tenant = await tenantOf(account);
    const sent = world.statements.slice(before).filter((one) => isRead(one) && touchesTenants(one));
    const isAbout = ({ scope, values = [] }: ScopedStatement) =>
      (typeof scope === 'object' && settingsOf(scope)?.tenants === `{${tenant}}`) ||
      JSON.stringify(values).includes(`"${account}"`);
    const about = sent.filter(isAbout);
    return [...new Map(about.map((one) => [one.text, one])).values()];
  };
  reads = { own: await sentFor(own), foreign: await sentFor(foreign) };
  // Otherwise the jobs would change data between the reads that the tests compare.
  await world.endJobs();
}, 120_000);

const run = async (statement: ScopedStatement) => JSON.stringify(await world.db.query<object>(statement));
/** Removes the names of prepared statements, since a changed text needs another name. */
const unnamed = ({ name: _name, ...statement }: ScopedStatement): ScopedStatement => statement;

/** The condition on tenant or account, in the form in which a developer could forget it. */
const condition = /\b(?:\w+\.)?(tenant|account_id) = \$(\d+)/g;
const typeOf = { tenant: 'int', account_id: 'text' } as const;

/**
 * Removes the conditions. PostgreSQL cannot infer the type of a parameter that is no longer used, so a CTE
 * uses it with a type.
 */
function withoutConditions({ name: _name, text, ...rest }: ScopedStatement): ScopedStatement {
  const uses = [...text.matchAll(condition)].map(
    ([, column, number]) => `$${number}::${typeOf[column as keyof typeof typeOf]}`,
  );
  const broken = text.replaceAll(condition, 'true');
  return {
    ...rest,
    text: `with unused as (select ${[...new Set(uses)].join(', ')}) ${broken.replace(/^\s*with\b/i, ',').replace(/^\s*select/i, 'select')}`,
  };
}
const asOwner = (statement: ScopedStatement): ScopedStatement => ({
  ...unnamed(statement),
  scope: 'everybody',
});

describe('with the conditions on tenant and account removed', () => {
  it('every reading statement still answers with the rows of its own account alone', async () => {
    const bound = reads.own.filter(({ text }) => text.search(condition) !== -1);
    expect(bound.length).toBeGreaterThan(60);
    const different: string[] = [];
    let leaking = 0;
    for (const statement of bound) {
      const broken = withoutConditions(statement);
      const right = await run(unnamed(statement));
      if ((await run(broken)) !== right) different.push(statement.text);
      // The result without row-level security has to differ for some statements: otherwise the test proves
      // nothing.
      const unbound = await run(asOwner(broken)).catch(() => 'the rows of too many');
      if (unbound !== right) leaking += 1;
    }
    expect(different).toEqual([]);
    expect(leaking).toBeGreaterThan(25);
  });
});

it('every statement on tenant rows has a scope, also where no rows matched', () => {
  const sent = world.statements.filter(touchesTenants);
  expect(sent.length).toBeGreaterThan(300);
  const nobodys = sent
    .filter((one) => one.scope === 'nobody' || (Array.isArray(one.scope) && one.scope.length === 0))
    .map(({ text }) => text);
  expect([...new Set(nobodys)]).toEqual([]);
});

it('every tenant table lets one account alone read and change its rows', async () => {
  const { account = '' } = own.ids;
  let foreignRows = 0;
  const count = async (text: string, scope: Scope = 'nobody', values: unknown[] = []): Promise<number> => {
    const [row] = await world.db.query<{ count: number }>({ text, values, scope });
    return row?.count ?? -1;
  };
  const tenant = (await tenantOf(account)) as TenantId;
  const ofAccounts = new Set(
    (
      await world.db.query<{ name: string }>({
        text: `select table_name as name from information_schema.columns where column_name = 'account_id'`,
        scope: 'anybody',
      })
    ).map(({ name }) => name),
  );
  for (const table of tenantTables) {
    const [key, value] = ofAccounts.has(table) ? ['account_id', account] : ['tenant', tenant];
    const owned = await count(`select count(*)::int as count from ${table} where ${key} = $1`, 'everybody', [
      value,
    ]);
    const all = await count(`select count(*)::int as count from ${table}`, 'everybody');
    foreignRows += all - owned;
    expect(await count(`select count(*)::int as count from ${table}`, { tenant }), table).toBe(owned);
    const changed = `with changed as (update ${table} set ${key} = ${key} returning 1)
      select count(*)::int as count from changed`;
    expect(await count(changed, { tenant }), `${table}, changed`).toBe(owned);
    // A statement without an account has to fail rather than find nothing.
    if (all > 0) await expect(count(`select count(*)::int as count from ${table}`), table).rejects.toThrow();
  }
  const owned = await world.db.query<{ name: string }>({
    text: `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
             and a.attname in ('tenant', 'account_id') and not a.attisdropped`,
    scope: 'anybody',
  });
  const protectedTables = owned.map(({ name }) => name).filter((name) => !lookedUpFirst.includes(name));
  expect(tenantTables.toSorted()).toEqual(protectedTables.toSorted());
  expect(foreignRows).toBeGreaterThan(80);
});
