import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { checkRowSecurity, prepareRowSecurity } from '../../packages/server/src/store/row-security.ts';
import { type Scope, settingsOf } from '../../packages/server/src/store/scope.ts';
import type { TenantId } from '../../packages/server/src/store/tenant.ts';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

type OneTenant = { readonly tenant: TenantId };

const [one, other] = ['acct_one', 'acct_other'];
let url: string;
let db: Database;

const open = (address: string, isScoped: boolean): Database => {
  const database = openDatabase({
    url: address,
    // One connection, so that every statement runs after the previous one has set its scope.
    connections: 1,
    applicationName: 'row-level security',
    isScoped: () => isScoped,
    onError: () => {},
  });
  cleanUp.add(() => database.close());
  return database;
};

/** Two accounts, the first one in both modes, with one table of tenants and one of accounts. */
const things = `insert into accounts (account_id, name, processor, environment, activation, store_payment_method_default,
    clock_offset_ms, created_at)
  select id, 'Shop', 'processor_a', 'sandbox', 'active', true, 0, now() from unnest(array['acct_one', 'acct_other']) as id;
  insert into tenants (tenant, account_id, livemode) overriding system value
    values (1, 'acct_one', false), (2, 'acct_one', true), (3, 'acct_other', false);
  create table things (tenant int not null, name text not null unique);
  insert into things values (1, 'a'), (2, 'b'), (3, 'c');
  alter table things enable row level security;
  create policy own_rows on things using (tenant + 0 = any ((select current_setting('till.tenants')::int[])::int[]));
  create table notes (account_id text not null, name text not null unique);
  insert into notes values ('acct_one', 'x'), ('acct_other', 'y');
  alter table notes enable row level security;
  create policy own_rows on notes using (account_id || '' = any ((select scoped_accounts())::text[]))`;

const [ownTest, ownLive, foreign] = [1, 2, 3].map((tenant) => ({ tenant: tenant as TenantId })) as [
  OneTenant,
  OneTenant,
  OneTenant,
];

beforeAll(async () => {
  url = await migratedDatabase(cleanUp);
  await queryDatabase(url, things);
  expect(await prepareRowSecurity(open(url, false))).toBeNull();
  db = open(url, true);
});

/** Reads names with a statement that is restricted by nothing but its scope. */
const namesIn = async (database: Pick<Database, 'query'>, scope: Scope, table = 'things') => {
  const rows = await database.query<{ name: string }>({
    text: `select name from ${table} order by name`,
    scope,
  });
  return rows.map(({ name }) => name).join('');
};

const insert = (database: Pick<Database, 'query'>, scope: OneTenant, name: string) =>
  database.query({
    text: 'insert into things values ($1, $2)',
    values: [scope.tenant, name],
    scope,
  });

describe('the scope of a statement', () => {
  const of = (tenants: string, accounts: string) => ({ role: 'till_tenant', tenants, accounts });

  it('is a tenant or an account, as a context or a row names it, or several', () => {
    expect(settingsOf(ownTest)).toEqual(of('{1}', '{}'));
    const context = { ...ownLive, accountId: one, livemode: true };
    expect(settingsOf(context)).toEqual(of('{2}', '{}'));
    expect(settingsOf({ accountId: one })).toEqual(of('', '{acct_one}'));
    expect(settingsOf([ownTest, foreign, ownTest])).toEqual(of('{1,3}', '{}'));
    expect(settingsOf([ownTest, { accountId: other }])).toEqual(of('{1}', '{acct_other}'));
  });

  it('is nobody, everybody, or nothing that a connection has to be set to', () => {
    for (const nobody of [[], 'nobody'] as const) expect(settingsOf(nobody)).toEqual(of('', ''));
    expect(settingsOf('everybody')).toEqual({ role: 'none', tenants: '', accounts: '' });
    expect(settingsOf('anybody')).toBeNull();
  });

  it('is empty for a malformed account id, without failing the others of a batch', () => {
    for (const accountId of ['pay_1', "acct_x'},{", `acct_a,${other}`, '']) {
      expect(settingsOf({ accountId }), accountId).toEqual(of('', '{}'));
      expect(settingsOf([{ accountId }, { accountId: one }]), accountId).toEqual(of('', '{acct_one}'));
    }
  });
});

describe('a connection', () => {
  it('is set again for another tenant or account', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await namesIn(db, ownTest)).toBe('a');
      expect(await namesIn(db, foreign)).toBe('c');
      expect(await namesIn(db, ownLive)).toBe('b');
      expect(await namesIn(db, [ownTest, ownLive])).toBe('ab');
      expect(await namesIn(db, { accountId: one }, 'notes')).toBe('x');
    }
    const each = await Promise.all([namesIn(db, ownTest), namesIn(db, foreign), namesIn(db, ownLive)]);
    expect(each).toEqual(['a', 'c', 'b']);
  });

  it('that is set to a tenant shows what its account has in both modes', async () => {
    for (const scope of [ownTest, ownLive]) expect(await namesIn(db, scope, 'notes')).toBe('x');
    expect(await namesIn(db, foreign, 'notes')).toBe('y');
  });

  it('shows nothing and takes nothing of another tenant, and refuses a statement that names none', async () => {
    await expect(
      db.query({
        text: 'insert into things values ($1, $2)',
        values: [foreign.tenant, 'foreign'],
        scope: ownTest,
      }),
    ).rejects.toThrow(/row-level security/);
    for (const scope of ['nobody', { accountId: one }] as const) {
      await expect(db.query({ text: 'select name from things', scope })).rejects.toThrow();
    }
    await expect(db.query({ text: 'select name from notes', scope: 'nobody' })).rejects.toThrow();
    const changed = await db.query({
      text: 'update things set name = name returning name',
      scope: [ownTest, ownLive],
    });
    expect(changed).toHaveLength(2);
  });

  it('knows what is set after a statement failed, and after a transaction was rolled back', async () => {
    await expect(insert(db, ownTest, 'a')).rejects.toThrow(/unique/);
    expect(await namesIn(db, ownTest)).toBe('a');
    // The first statement with another scope fails. The scope that it set on the connection remains.
    await expect(insert(db, foreign, 'a')).rejects.toThrow(/unique/);
    expect(await namesIn(db, foreign)).toBe('c');
    const failing = db.transaction(async (tx) => {
      expect(await namesIn(tx, ownLive)).toBe('b');
      await insert(tx, ownTest, 'd');
      throw new Error('not after all');
    });
    await expect(failing).rejects.toThrow('not after all');
    expect(await namesIn(db, ownLive)).toBe('b');
    expect(await namesIn(db, foreign)).toBe('c');
    await db.transaction(async (tx) => insert(tx, foreign, 'e'));
    expect(await namesIn(db, foreign)).toBe('ce');
    expect(await namesIn(db, ownTest)).toBe('a');
  });
});

describe('a policy', () => {
  it('is a condition of no index: what a statement names finds its rows, however few others have', async () => {
    const tables = await queryDatabase<{ tablename: string }>(
      url,
      `select distinct tablename from pg_policies where tablename not in ('things', 'notes') order by 1`,
    );
    expect(tables.length).toBeGreaterThan(30);
    const plans = await db.transaction(async (tx) => {
      await tx.query({ text: 'set local enable_seqscan = off', scope: 'anybody' });
      const found: string[] = [];
      for (const { tablename } of tables) {
        const text = `explain (costs off) select * from ${tablename}`;
        const rows = await tx.query<{ 'QUERY PLAN': string }>({ text, scope: [ownTest, { accountId: one }] });
        found.push([tablename, ...rows.map((row) => row['QUERY PLAN'])].join('\n'));
      }
      return found;
    });
    for (const plan of plans) expect(plan).toMatch(/Filter: .*= ANY/);
    expect(plans.filter((plan) => plan.includes('Index Cond'))).toEqual([]);
  });
});

describe('where the user of the database may not take the role', () => {
  it('it says how an administrator grants it, and works afterwards', async () => {
    const [user, password] = [`limited_${randomBytes(4).toString('hex')}`, randomBytes(8).toString('hex')];
    await queryDatabase(url, `create role ${user} login password '${password}'`);
    cleanUp.add(() => queryDatabase(url, `drop owned by ${user}; drop role ${user}`));
    const limited = openDatabase({
      url,
      connections: 1,
      applicationName: 'row-level security',
      onError: () => {},
    });
    cleanUp.add(() => limited.close());
    await limited.query({ text: `set session authorization ${user}`, scope: 'everybody' });
    const fault = await prepareRowSecurity(limited);
    expect(fault).toContain('grant till_tenant to');
    expect(await checkRowSecurity(limited)).toBe(fault);
    await queryDatabase(url, `grant till_tenant to ${user}`);
    expect(await checkRowSecurity(limited)).toBeNull();
    expect(await prepareRowSecurity(limited)).toBeNull();
    // A member that may not `set role`, as PostgreSQL makes the creator of a role.
    await queryDatabase(url, `grant till_tenant to ${user} with set false`);
    expect(await prepareRowSecurity(limited)).toBe(fault);
  });
});
