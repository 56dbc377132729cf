import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { checkRowSecurity, prepareRowSecurity } from '../../packages/server/src/store/row-security.ts';
import { type Scope, settingsOf } from '../../packages/server/src/store/scope.ts';
import { CleanUp } from '../support/clean-up.ts';
import { freshDatabase, queryDatabase } from '../support/fresh-database.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const [one, other] = ['acct_one', 'acct_other'];
let url: string;
let db: Database;

const open = (address: string, isScoped: boolean): Database => {
  const database = openDatabase({
    url: address,
    // One connection, so that every statement meets the scope that the one before set.
    connections: 1,
    applicationName: 'row-level security',
    isScoped: () => isScoped,
    onError: () => {},
  });
  cleanUp.add(() => database.close());
  return database;
};

const things = `create table things (account_id text not null, livemode boolean not null, name text not null unique);
  insert into things values ('acct_one', false, 'a'), ('acct_one', true, 'b'), ('acct_other', false, 'c');
  alter table things enable row level security;
  create policy own_rows on things using (account_id = any (
    case when livemode then (select current_setting('till.live')::text[]) else (select current_setting('till.test')::text[]) end))`;

beforeAll(async () => {
  url = await freshDatabase(cleanUp);
  await queryDatabase(url, things);
  expect(await prepareRowSecurity(open(url, false))).toBeNull();
  db = open(url, true);
});

/** Nothing in the statement but its scope says whose rows it may read. */
const namesIn = async (database: Pick<Database, 'query'>, scope: Scope) => {
  const rows = await database.query<{ name: string }>({
    text: 'select name from things order by name',
    scope,
  });
  return rows.map(({ name }) => name).join('');
};
const namesOf = (database: Pick<Database, 'query'>, accountId: string, livemode: boolean | null = null) =>
  namesIn(database, { accountId, livemode });

const insert = (database: Pick<Database, 'query'>, account: string, name: string) =>
  database.query({
    text: 'insert into things values ($1, $2, $3)',
    values: [account, false, name],
    scope: { accountId: account, livemode: false },
  });

describe('the scope of a statement', () => {
  const of = (test: string, live: string) => ({ role: 'till_tenant', test: `{${test}}`, live: `{${live}}` });

  it('is an account in one mode or in both, as a context or a row names it, or several', () => {
    expect(settingsOf({ accountId: one, livemode: true })).toEqual(of('', one));
    expect(settingsOf({ account_id: one, livemode: false })).toEqual(of(one, ''));
    expect(settingsOf({ accountId: one, livemode: null })).toEqual(of(one, one));
    expect(settingsOf({ account_id: one })).toEqual(of(one, one));
    const rows = [
      { account_id: one, livemode: false },
      { account_id: other, livemode: true },
      { account_id: one, livemode: false },
    ];
    expect(settingsOf(rows)).toEqual(of(one, other));
  });

  it('is nobody, everybody, or nothing that a connection has to be set to', () => {
    for (const nobody of [[], 'nobody'] as const) {
      expect(settingsOf(nobody)).toEqual({ role: 'till_tenant', test: '', live: '' });
    }
    expect(settingsOf('everybody')).toEqual({ role: 'none', test: '', live: '' });
    expect(settingsOf('anybody')).toBeNull();
  });

  it('is empty for a malformed account id, without failing the others of a batch', () => {
    for (const accountId of ['pay_1', "acct_x'},{", `acct_a,${other}`, '']) {
      expect(settingsOf({ accountId, livemode: false }), accountId).toEqual(of('', ''));
      const both = [
        { accountId, livemode: null },
        { accountId: one, livemode: null },
      ];
      expect(settingsOf(both), accountId).toEqual(of(one, one));
    }
  });
});

describe('a connection', () => {
  it('is set again for another account or mode', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await namesOf(db, one, false)).toBe('a');
      expect(await namesOf(db, other, false)).toBe('c');
      expect(await namesOf(db, one, true)).toBe('b');
      expect(await namesOf(db, one)).toBe('ab');
    }
    const both = await Promise.all([
      namesOf(db, one, false),
      namesOf(db, other, false),
      namesOf(db, one, true),
    ]);
    expect(both).toEqual(['a', 'c', 'b']);
  });

  it('shows nothing and takes nothing of another account, and refuses a statement that names none', async () => {
    await expect(
      db.query({
        text: 'insert into things values ($1, false, $2)',
        values: [other, 'foreign'],
        scope: { accountId: one, livemode: false },
      }),
    ).rejects.toThrow(/row-level security/);
    await expect(db.query({ text: 'select name from things', scope: 'nobody' })).rejects.toThrow();
    const changed = await db.query({
      text: 'update things set name = name returning name',
      scope: { accountId: one, livemode: null },
    });
    expect(changed).toHaveLength(2);
  });

  it('knows what is set after a statement failed, and after a transaction was rolled back', async () => {
    await expect(insert(db, one, 'a')).rejects.toThrow(/unique/);
    expect(await namesOf(db, one, false)).toBe('a');
    // The first statement of another scope fails: the scope of the connection is not undone with it.
    await expect(insert(db, other, 'a')).rejects.toThrow(/unique/);
    expect(await namesOf(db, other, false)).toBe('c');
    const failing = db.transaction(async (tx) => {
      expect(await namesOf(tx, one, true)).toBe('b');
      await insert(tx, one, 'd');
      throw new Error('not after all');
    });
    await expect(failing).rejects.toThrow('not after all');
    expect(await namesOf(db, one, true)).toBe('b');
    expect(await namesOf(db, other, false)).toBe('c');
    await db.transaction(async (tx) => insert(tx, other, 'e'));
    expect(await namesOf(db, other, false)).toBe('ce');
    expect(await namesOf(db, one, false)).toBe('a');
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
    // A member who may not take it, as PostgreSQL makes who has made a role.
    await queryDatabase(url, `grant till_tenant to ${user} with set false`);
    expect(await prepareRowSecurity(limited)).toBe(fault);
  });
});
