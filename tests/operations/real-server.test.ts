import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveLog } from '../support/archived-log.ts';
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

const bin = fileURLToPath(new URL('../../packages/server/bin/till.js', import.meta.url));

/** The folder into which Debian's packages install PostgreSQL's programs. */
const packages = '/usr/lib/postgresql';

/** The folder of the newest installed version that Till supports; undefined if there is none. */
async function installed(): Promise<string | undefined> {
  const versions = await readdir(packages).catch(() => []);
  const newest = versions
    .map(Number)
    .filter((version) => version >= 15 && version <= 18)
    .sort((a, b) => a - b)
    .at(-1);
  return newest === undefined ? undefined : join(packages, String(newest), 'bin');
}

/** A user for PostgreSQL, which refuses to run as root. initdb requires a user with a name. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const nobody = passwd.split('\n').find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = nobody?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

const guide = await readFile(new URL('../../docs/operating/back-up.md', import.meta.url), 'utf8');

/** A code block of the guide's section "A PostgreSQL server of your own". */
function guideBlock(language: string, number = 0): string {
  const [, part = ''] = guide.split('## A PostgreSQL server of your own');
  const blocks = [...part.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))];
  const block = blocks[number]?.[1];
  if (block === undefined) throw new Error(`the guide has no block ${number} of ${language}`);
  return block;
}

/** Replaces the folders in the guide's commands with those of this test. */
const inPlace = (text: string, folder: string) =>
  text
    .replaceAll(/\/(archive|backups|srv)\b/g, `${folder}/$1`)
    .replaceAll(/@127\.0\.0\.1:(\d+)\/till/g, `@/shop?host=${folder}&port=$1`)
    .replaceAll('./till ', `${process.execPath} ${bin} `);

const programs = await installed();
const cleanUp = new CleanUp();
let url: string;
let dataDir: string;
let server: RunningServer;
let place: string;

async function startPostgres(programFolder: string): Promise<string> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  place = folder.path;
  const account = await unprivileged();
  const as = { ...account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  const cluster = join(folder.path, 'cluster');
  await mkdir(cluster, { mode: 0o700 });
  const folders = ['archive', 'backups', 'srv'].map((name) => join(folder.path, name));
  for (const path of folders) await mkdir(path);
  for (const path of [folder.path, cluster, ...folders])
    if (account) await chown(path, account.uid, account.gid);
  execFileSync(
    join(programFolder, 'initdb'),
    ['-D', cluster, '-U', 'till', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  // The restored copy uses the same settings.
  const settings = [`listen_addresses = ''`, `unix_socket_directories = '${folder.path}'`];
  settings.push(
    ...guideBlock('ini')
      .split('\n')
      .map((line) => inPlace(line, folder.path)),
  );
  await appendFile(join(cluster, 'postgresql.conf'), settings.join('\n'));
  const child: ChildProcess = spawn(join(programFolder, 'postgres'), ['-D', cluster], {
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

/** Starts or restarts the Till server of this file. */
async function serve(): Promise<void> {
  server = await startServer(settingsFor(url));
  const started = server;
  cleanUp.add(() => started.stop('SIGKILL'));
}

/** Runs a command as this user or as PostgreSQL's, and expects the exit code. The shell stops at an error. @returns the output */
async function runShell(command: string, isPostgres: boolean, exitCode = 0): Promise<string> {
  const programFolder = programs ?? '';
  const environment = { PATH: `${programFolder}:/usr/bin:/bin`, LC_ALL: 'C', PGHOST: place, PGUSER: 'till' };
  const child = spawn('/bin/bash', ['-euo', 'pipefail', '-c', command], {
    ...(isPostgres ? await unprivileged() : {}),
    cwd: '/',
    env: { ...environment, DATABASE_URL: copyUrl(), TILL_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [ended] = (await once(child, 'exit')) as [number | null];
  const text = (await said).join('');
  if (ended !== exitCode) throw new Error(`ended with ${ended}: ${command}\n${text}`);
  return text;
}

/** The URL of the restored copy. */
const copyUrl = () => `${url}&port=5433`;

/** Runs a code block of the guide. @param replaced an example value in the block, and the value to use instead */
async function runGuide(number: number, replaced: readonly [string, string] = ['', '']): Promise<string> {
  const block = guideBlock('sh', number).replace(...replaced);
  const isPostgres = number < 2;
  // The last block reconciles, and finds differences.
  const exitCode = number < 3 ? 0 : 1;
  return runShell(inPlace(block, place).replace(' TILL_MASTER_KEY=…', ''), isPostgres, exitCode);
}

async function expectRefused(databaseUrl: string, ...words: string[]): Promise<void> {
  const settings = { ...settingsFor(databaseUrl), PORT: '0', TILL_METRICS_ADDR: 'off' };
  const result = await runProcess(settings, ['serve']);
  expect(result.exitCode).toBe(1);
  expect(result.out).toBe('');
  // The message for the operator has neither a stack nor the password.
  for (const word of words) expect(result.err).toContain(word);
  expect(result.err).not.toMatch(/^\s+at /m);
  expect(result.err).not.toContain('hunter2');
}

/** Skipped, with the reason in the title, if no PostgreSQL is installed on the machine. */
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

  onRealServer(
    'is restored to a moment from a base back-up and its log, and what is missing is named',
    async () => {
      const shop = await Merchant.openAt(server);
      await shop.pay();
      await runGuide(0);
      const kept = [await shop.pay(), await shop.pay()].map(({ body }) => body.id as string);
      const [{ moment } = { moment: '' }] = await queryDatabase<{ moment: string }>(
        url,
        `select clock_timestamp()::text as moment from pg_sleep(0.01)`,
      );
      const refunded = kept[0] ?? '';
      const refund = await shop.post(`/api/v1/payments/${refunded}/refunds`, { amount: 100 });
      const lost = [await shop.pay(), await shop.pay()].map(({ body }) => body.id as string);
      await archiveLog(url);
      await runGuide(1, ['2026-11-20 12:00:00+00', moment]);
      cleanUp.add(() => runShell(`pg_ctl --pgdata=${place}/srv/restored --mode=immediate stop`, true));

      const restored = await runGuide(2);
      expect(restored).toMatch(/, 0 still open, 0 differences/);
      const rows = await queryDatabase<{ id: string }>(
        copyUrl(),
        'select id from payments where id = any ($1)',
        [[...kept, ...lost]],
      );
      expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());

      const compared = await runGuide(3);
      expect(compared).toContain(', 3 differences');
      for (const id of lost) expect(compared).toMatch(new RegExp(`charge_without_payment +${id}`));
      expect(compared).toMatch(new RegExp(`refund_without_record +${refund.body.id}`));
    },
  );

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
