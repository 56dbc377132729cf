import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { queryDatabase, siblingUrl } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runProcess,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

/** Where Debian's packages put PostgreSQL's programs. */
const packages = '/usr/lib/postgresql';

/** The newest version installed that Till supports, undefined where there is none. */
async function installed(): Promise<string | undefined> {
  const versions = await readdir(packages).catch(() => []);
  const newest = versions
    .map(Number)
    .filter((version) => version >= 15 && version <= 18)
    .sort((a, b) => a - b)
    .at(-1);
  return newest === undefined ? undefined : join(packages, String(newest), 'bin');
}

/** PostgreSQL refuses root, and initdb wants an account with a name. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const nobody = passwd.split('\n').find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = nobody?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

const programs = await installed();
const cleanUp = new CleanUp();
let url: string;
let dataDir: string;
let server: RunningServer;

async function startPostgres(bin: string): Promise<string> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const account = await unprivileged();
  const as = { ...account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  const cluster = join(folder.path, 'cluster');
  await mkdir(cluster, { mode: 0o700 });
  for (const path of [folder.path, cluster]) if (account) await chown(path, account.uid, account.gid);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', cluster, '-U', 'till', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder.path}`];
  const child: ChildProcess = spawn(join(bin, 'postgres'), ['-D', cluster, ...settings], {
    ...as,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  cleanUp.add(() => {
    child.kill('SIGINT');
    return ended;
  });
  const admin = `postgresql://till@/postgres?host=${folder.path}`;
  await until('PostgreSQL answers', () =>
    queryDatabase(admin, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return admin;
}

beforeAll(async () => {
  if (programs === undefined) return;
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  dataDir = folder.path;
  const admin = await startPostgres(programs);
  await queryDatabase(admin, 'create database shop');
  url = siblingUrl(admin, 'shop');
  await serve();
});
afterAll(cleanUp.run);

const settingsFor = (databaseUrl: string) => ({ DATABASE_URL: databaseUrl, TILL_DATA_DIR: dataDir });

/** Starts the Till server of this file (again). */
async function serve(): Promise<void> {
  server = await startServer(settingsFor(url));
  const started = server;
  cleanUp.add(() => started.stop('SIGKILL'));
}

async function expectRefused(databaseUrl: string, ...words: string[]): Promise<void> {
  const settings = { ...settingsFor(databaseUrl), PORT: '0', TILL_METRICS_ADDR: 'off' };
  const result = await runProcess(settings, ['serve']);
  expect(result.exitCode).toBe(1);
  expect(result.out).toBe('');
  // For the operator: what is wrong, without a stack and without the password.
  for (const word of words) expect(result.err).toContain(word);
  expect(result.err).not.toMatch(/^\s+at /m);
  expect(result.err).not.toContain('hunter2');
}

/** Skipped, with the reason, where the machine has no PostgreSQL of its own. */
const onRealServer = it.skipIf(programs === undefined);
const missing = programs === undefined ? ` (skipped: none under ${packages})` : '';

describe(`a PostgreSQL server of the operator's own${missing}`, () => {
  onRealServer('is migrated, takes payments, and is what `till db url` names', async () => {
    expect(server.printed().out).toContain('sk_test_');
    const shop = await Merchant.openAt(server);
    const reply = await shop.pay({ amount: 250 });
    expect(reply.status).toBe(201);
    const { charges } = await shop.ledger();
    expect(charges).toEqual([{ reference: reply.body.id, amount: 250, currency: 'EUR', status: 'captured' }]);
    expect(await commandJson(server.environment, ['db', 'url'])).toEqual({ url });
    expect(await readdir(dataDir)).not.toContain('postgres');
  });

  onRealServer('keeps its data over a restart of the Till server, which leaves it running', async () => {
    const shop = await Merchant.openAt(server);
    const payment = await shop.pay();
    expect(await server.stop()).toBe(0);
    expect(await queryDatabase(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await serve();
    expect(server.printed().out).not.toContain('sk_test_');
    const found = await shop.at(server).get(`/api/v1/payments/${payment.body.id}`);
    expect(found.body).toEqual(payment.body);
  });

  onRealServer('is refused where it may lose what it acknowledged, with every setting at fault', async () => {
    const settings = ['fsync', 'full_page_writes', 'synchronous_commit'];
    const change = async (statement: (setting: string) => string, value: string) => {
      for (const setting of settings) await queryDatabase(url, statement(setting));
      await queryDatabase(url, 'select pg_reload_conf()');
      await until(`they are ${value}`, async () => {
        const rows = await queryDatabase(
          url,
          'select 1 from pg_settings where name = any ($1) and setting = $2',
          [settings, value],
        );
        return rows.length === settings.length;
      });
    };
    await change((setting) => `alter system set ${setting} = off`, 'off');
    try {
      await expectRefused(url, ...settings.map((setting) => `${setting}=off`));
    } finally {
      await change((setting) => `alter system reset ${setting}`, 'on');
    }
  });

  onRealServer('is refused where its schema is newer than the program, and stays as it is', async () => {
    await queryDatabase(
      url,
      `insert into schema_migrations (name, checksum, applied_at) values ('9999_later.sql', 'x', now())`,
    );
    try {
      await expectRefused(url, '9999_later.sql', 'newer');
    } finally {
      const removed = await queryDatabase(
        url,
        `delete from schema_migrations where name = '9999_later.sql' returning name`,
      );
      expect(removed).toHaveLength(1);
    }
  });

  onRealServer('is refused where a migration was changed after it was applied', async () => {
    const set = (expression: string) =>
      queryDatabase(url, `update schema_migrations set checksum = ${expression} where name like '0001%'`);
    await set(`'x' || checksum`);
    try {
      await expectRefused(url, '0001_', 'changed');
    } finally {
      await set('substr(checksum, 2)');
    }
  });

  onRealServer('that does not answer is refused with a message that names the database', async () => {
    await expectRefused('postgresql://till:hunter2@127.0.0.1:1/till', 'database', '127.0.0.1:1');
  });

  onRealServer('that does not answer is named in the error of a command too', async () => {
    const nowhere = settingsFor('postgresql://till:hunter2@127.0.0.1:1/till');
    const result = await runProcess(nowhere, ['accounts', 'list', '--json']);
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out).error.code).toBe('database_unavailable');
    expect(`${result.out}${result.err}`).not.toContain('hunter2');
  });
});
