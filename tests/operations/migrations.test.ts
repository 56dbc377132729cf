import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { hazardsOf } from '../../packages/server/src/store/migrations/hazards.ts';
import { migrate } from '../../packages/server/src/store/migrations/migrate.ts';
import { CleanUp } from '../support/clean-up.ts';
import { freshDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant, type Reply } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  runProcess,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const released = new URL('../../packages/server/migrations/', import.meta.url);
/** The migration of the first release, which only runs on an empty database. */
const schema = '0001_schema.sql';

/** Hazards that were reviewed and accepted, by file and by words of the statement. */
const accepted: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

describe('a migration after the first release', () => {
  it('leaves servers of the previous version running, or says why it does not matter', async () => {
    const names = (await readdir(released)).filter((name) => name > schema);
    const added = await Promise.all(
      names.map(async (name) => [name, await readFile(new URL(name, released), 'utf8')] as const),
    );
    for (const [name, sql] of [...added, ...Object.entries(later)]) {
      const hazards = hazardsOf(sql);
      const reasons = Object.keys(accepted[name] ?? {});
      const open = hazards.filter(({ statement }) => !reasons.some((words) => statement.includes(words)));
      expect(open, name).toEqual([]);
      // An exception that is no longer needed has to be removed.
      for (const words of reasons)
        expect(
          hazards.some(({ statement }) => statement.includes(words)),
          words,
        ).toBe(true);
    }
  });
});

/** Migrations of a fictitious later version, in steps that do not affect the current one. */
const later: Readonly<Record<string, string>> = {
  '9001_expand.sql': `
alter table payments add column note text, add column priority int not null default 0;
alter table payments add constraint payments_priority check (priority >= 0) not valid;
alter table operations drop constraint operations_kind_check,
  add constraint operations_kind_check check (kind in (
    'charge', 'confirm', 'capture', 'void', 'expire', 'cancel', 'refund', 'track_refund', 'settle_refund', 'accept', 'defend', 'conclude', 'remove', 'adjust')) not valid;
alter table idempotency_keys add column region text not null default 'here';
create table payment_notes (tenant int not null, id text not null, text text,
  primary key (tenant, id));
`,
  '9002_index.sql': `-- no transaction
create index concurrently payments_by_note on payments (tenant, note) where note is not null;
alter table payments validate constraint payments_priority;
`,
  '9003_more.sql': `
alter table customers add column note text;
alter table events add column region text;
`,
};

/** Creates a folder with the released migrations and the later ones. */
async function releasedAndLater(cleanUp: CleanUp): Promise<URL> {
  const path = await mkdtemp(join(tmpdir(), 'till-test-migrations-'));
  cleanUp.add(() => rm(path, { recursive: true }));
  await cp(released, path, { recursive: true });
  for (const [name, sql] of Object.entries(later)) await writeFile(join(path, name), sql);
  return pathToFileURL(`${path}/`);
}

describe('a server on whose database a later version’s migrations run', () => {
  const cleanUp = new CleanUp();
  let url: string;
  let server: RunningServer;
  let shop: Merchant;
  let db: Database;
  let folder: URL;
  const replies: Reply[] = [];
  let loading = true;

  async function load(): Promise<void> {
    const email = () => `${crypto.randomUUID()}@shop.example`;
    while (loading) {
      const paid = await shop.pay({ customer: { email: email() } });
      replies.push(
        paid,
        await shop.get(`/api/v1/payments/${paid.body.id}`),
        await shop.get('/api/v1/customers'),
      );
      replies.push(await shop.post(`/api/v1/payments/${paid.body.id}/refunds`, { amount: 1 }));
    }
  }

  beforeAll(async () => {
    url = await freshDatabase(cleanUp);
    const data = await temporaryFolder();
    cleanUp.add(data.remove);
    server = await startServer({ DATABASE_URL: url, TILL_DATA_DIR: data.path, TILL_RATE_LIMIT_RPS: '0' });
    cleanUp.add(() => server.stop('SIGKILL'));
    shop = await Merchant.openAt(server);
    db = openDatabase({ url, connections: 2, applicationName: 'a later version', onError: () => {} });
    cleanUp.add(() => db.close());
    folder = await releasedAndLater(cleanUp);
  });
  afterAll(cleanUp.run);

  it('answers everything as before, also where a table that is in use has to be waited for', async () => {
    const buyers = Promise.all([load(), load(), load()]);
    cleanUp.add(async () => {
      loading = false;
      await buyers;
    });
    await until('payments go through', () => replies.length > 12);
    // A long read makes the first attempts to change the table time out.
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select count(*) from payments');
    const migrated = migrate(db, new Date(), [], folder);
    await until('the migration waits', async () => {
      const rows = await queryDatabase(
        url,
        `select from pg_stat_activity where application_name = 'a later version' and query like 'select pg_sleep%'`,
      );
      return rows.length > 0;
    });
    const before = replies.length;
    await until('payments go through meanwhile', () => replies.length > before + 12);
    await reader.end();
    expect(await migrated).toEqual(Object.keys(later));
    const after = replies.length;
    await until('payments go through afterwards', () => replies.length > after + 24);
    loading = false;
    await buyers;
    expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 201]);
    const [row] = await queryDatabase<{ there: boolean }>(
      url,
      `select to_regclass('payments_by_note') is not null as there`,
    );
    expect(row?.there).toBe(true);
  });

  it('does not start again, nor plan anything, on the newer schema', async () => {
    const again = await runProcess(server.environment, ['serve']);
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain('9001_expand.sql');
    const plan = await runCommand(server.environment, ['migrate', '--plan', '--json']);
    expect(plan.exitCode).toBe(1);
    expect(plan.out).toContain('Start the newer version');
  });
});

describe('till migrate', () => {
  const cleanUp = new CleanUp();
  afterAll(cleanUp.run);

  it('lets one of two that start at once migrate, also where it builds an index concurrently', async () => {
    const url = await freshDatabase(cleanUp);
    const open = () => openDatabase({ url, connections: 2, applicationName: 'till', onError: () => {} });
    const both = [open(), open()];
    for (const db of both) cleanUp.add(() => db.close());
    const folder = await releasedAndLater(cleanUp);
    const applied = await Promise.all(both.map((db) => migrate(db, new Date(), [], folder)));
    expect(applied.flat()).toEqual([schema, ...Object.keys(later)]);
  });

  it('plans what is to be done, does it, and then has nothing left', async () => {
    const environment = { DATABASE_URL: await freshDatabase(cleanUp) };
    const planned = async () =>
      commandJson<{ pending: { name: string; statements: number; hazards: object[] }[] }>(environment, [
        'migrate',
        '--plan',
      ]);
    const names = (await readdir(released)).filter((name) => name.endsWith('.sql')).sort();
    const { pending } = await planned();
    expect(pending.map(({ name }) => name)).toEqual(names);
    expect(pending.every(({ statements }) => statements > 0)).toBe(true);
    expect(await commandJson(environment, ['migrate'])).toEqual({ applied: names });
    expect((await planned()).pending).toEqual([]);
    expect((await runCommand(environment, ['migrate', '--plan'])).out).toBe('The schema is up to date.\n');
    expect(await commandJson(environment, ['migrate'])).toEqual({ applied: [] });
  });

  it('refuses a database of before the first release, and says what to do', async () => {
    const url = await freshDatabase(cleanUp);
    await queryDatabase(
      url,
      `create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)`,
    );
    await queryDatabase(
      url,
      `insert into schema_migrations values ('0001_foundation.sql', 'x', now()), ('0002_payment_flows.sql', 'x', now())`,
    );
    for (const command of [['migrate'], ['migrate', '--plan'], ['serve']]) {
      const refused = await runProcess({ DATABASE_URL: url }, command);
      expect(refused.exitCode, command.join(' ')).toBe(1);
      expect(`${refused.out}${refused.err}`).toMatch(
        /made before the first release.*0001_foundation\.sql.*start this one on an empty database/,
      );
    }
  });
});
