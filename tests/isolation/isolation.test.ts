import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope, ScopedStatement } from '../../packages/server/src/store/scope.ts';
import { CleanUp } from '../support/clean-up.ts';
import { lookAround, openShop, type Shop, startReceiver } from './tour.ts';
import { startWorld, type World } from './world.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let world: World;
let own: Shop;
let foreign: Shop;
/** What was sent to read for the two shops, each text once for each of them. */
let reads: { readonly own: ScopedStatement[]; readonly foreign: ScopedStatement[] };

const isRead = ({ text }: ScopedStatement) =>
  /^\s*(select|with)\b/i.test(text) &&
  !/\b(insert into|update \w+ (\w+ )?set|delete from|for update)\b/i.test(text);
const touchesTenants = ({ text }: ScopedStatement) =>
  tenantTables.some((table) => new RegExp(`\\b${table}\\b`).test(text));
let tenantTables: string[] = [];

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
    expect(await lookAround(shop)).toEqual([]);
    const { account } = shop.ids;
    const sent = world.statements.slice(before).filter((one) => isRead(one) && touchesTenants(one));
    const about = sent.filter((one) => JSON.stringify(one.values ?? []).includes(`"${account}"`));
    return [...new Map(about.map((one) => [one.text, one])).values()];
  };
  reads = { own: await sentFor(own), foreign: await sentFor(foreign) };
}, 120_000);

const run = async (statement: ScopedStatement) => JSON.stringify(await world.db.query<object>(statement));
/** Without the names of prepared statements, whose text would be another one. */
const unnamed = ({ name: _name, ...statement }: ScopedStatement): ScopedStatement => statement;

/** The condition on account and mode, where it is one that a person could forget. */
const condition = /\b(?:\w+\.)?(?:account_id = \$1(?!\d)|livemode = \$2(?!\d))/g;
const withoutConditions = (statement: ScopedStatement): ScopedStatement => ({
  ...unnamed(statement),
  text: statement.text.replaceAll(condition, 'true'),
});
const asOwner = (statement: ScopedStatement): ScopedStatement => ({
  ...unnamed(statement),
  scope: 'everybody',
});

/** A parameter that nothing uses any more has no type: then it is shown with one. */
function typed({ text, values = [], ...rest }: ScopedStatement): ScopedStatement {
  const [first, second] = values;
  const uses = [
    `$1::${Array.isArray(first) ? 'text[]' : 'text'}`,
    ...(typeof second === 'boolean' ? ['$2::boolean'] : []),
  ];
  return {
    ...rest,
    values,
    text: `with unused as (select ${uses.join(', ')}) ${text.replace(/^\s*with\b/i, ',').replace(/^\s*select/i, 'select')}`,
  };
}

describe('with the conditions on account and mode removed', () => {
  it('every reading statement still answers with the rows of its own account alone', async () => {
    const bound = reads.own.filter(({ text }) => text.search(condition) !== -1);
    expect(bound.length).toBeGreaterThan(60);
    const different: string[] = [];
    let leaking = 0;
    for (const statement of bound) {
      const broken = typed(withoutConditions(statement));
      const right = await run(unnamed(statement));
      if ((await run(broken)) !== right) different.push(statement.text);
      // As it would be without row-level security: the test would be worth nothing otherwise.
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
  const test = [{ accountId: account, livemode: false }];
  for (const table of tenantTables) {
    const [mode] = await world.db.query<{ there: boolean }>({
      text: `select exists (select from information_schema.columns
               where table_name = $1 and column_name = 'livemode') as there`,
      values: [table],
      scope: 'anybody',
    });
    const isOwn = `account_id = $1${mode?.there === true ? ' and not livemode' : ''}`;
    const owned = await count(`select count(*)::int as count from ${table} where ${isOwn}`, 'everybody', [
      account,
    ]);
    const all = await count(`select count(*)::int as count from ${table}`, 'everybody');
    foreignRows += all - owned;
    expect(await count(`select count(*)::int as count from ${table}`, test), table).toBe(owned);
    const changed = `with changed as (update ${table} set account_id = account_id returning 1)
      select count(*)::int as count from changed`;
    expect(await count(changed, test), `${table}, changed`).toBe(owned);
    // A statement without an account fails, rather than finding nothing.
    if (all > 0) await expect(count(`select count(*)::int as count from ${table}`), table).rejects.toThrow();
  }
  expect(tenantTables.length).toBeGreaterThan(30);
  expect(foreignRows).toBeGreaterThan(80);
});
