import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chown, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findRunningPostgres } from './embedded-postgres.ts';
import {
  count,
  disposeAll,
  fill,
  killApp,
  newDataDir,
  placeOf,
  query,
  removeStarted,
  root,
  start,
  startApp,
  startedDataDir,
  until,
} from './fixtures.ts';
import { serverProcesses } from './processes/processes.ts';

afterEach(disposeAll);
afterAll(removeStarted);

/** Whether, according to /proc, a process uses a folder whose path begins with `path`. */
function isUsed(path: string): boolean {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc').some((pid) => {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path)) return true;
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(path);
    } catch {
      // The entry is no process, or the process has ended.
      return false;
    }
  });
}

describe('start', () => {
  test('creates a durable UTF-8 cluster behind a private socket', async () => {
    const dataDir = await newDataDir();
    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    await fill(server.url);
    expect(await count(server.url)).toBe(1);
    const [settings] = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
              current_setting('synchronous_commit') as commits, current_setting('listen_addresses') as tcp,
              current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
              current_setting('jit') as jit, current_setting('log_min_error_statement') as statements,
              lower('É') as folded`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      pages: 'on',
      commits: 'on',
      tcp: '',
      encoding: 'UTF8',
      timezone: 'UTC',
      jit: 'off',
      statements: 'panic',
      folded: 'é',
    });
    const socketFolder = new URL(server.url.replace('@/', '@host/')).searchParams.get('host') ?? '';
    expect((await lstat(socketFolder)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
    expect(await findRunningPostgres(dataDir)).toEqual({ url: server.url });
    await server.stop();
    await server.stop();
    expect(await findRunningPostgres(dataDir)).toBeUndefined();
    await expect(lstat(socketFolder)).rejects.toThrow('ENOENT');
  });

  test('keeps data, password and URL from one start to the next', async () => {
    const dataDir = await newDataDir();
    const first = await start(dataDir);
    await fill(first.url);
    await first.stop();
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(second.url).toBe(first.url);
    expect(await count(second.url)).toBe(1);
  });

  test('refuses a wrong password, and logs neither statements nor values', async () => {
    const dataDir = await startedDataDir();
    const server = await start(dataDir);
    await expect(query(server.url.replace(/till:[^@]+@/, 'till:wrong@'), 'select 1')).rejects.toThrow(
      'password',
    );
    await query(
      server.url,
      "create table secrets (v text unique); insert into secrets values ('4111-canary')",
    );
    await expect(query(server.url, "insert into secrets values ('4111-canary')")).rejects.toThrow(
      'duplicate',
    );
    await expect(query(server.url, "select '4111-canary'::int")).rejects.toThrow('4111-canary');
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain('4111-canary');
  });

  test('of two concurrent starts one starts the server and the other takes it over', async () => {
    const dataDir = await newDataDir();
    const servers = await Promise.all([startApp(dataDir).started, startApp(dataDir).started]);
    expect(servers.map((server) => server.adopted).sort()).toEqual([false, true]);
    expect(servers[0]?.url).toBe(servers[1]?.url);
    expect(servers[0]?.pid).toBe(servers[1]?.pid);
    await fill(servers[0]?.url ?? '');
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });

  test('two in one process stop independently of each other', async () => {
    const dataDir = await startedDataDir();
    const [first, second] = await Promise.all([start(dataDir), start(dataDir)]);
    await fill(first.url);
    await Promise.all([first.stop(), second.stop()]);
    expect(await serverProcesses(await placeOf(dataDir))).toEqual([]);
  });

  test('a kill during initdb leaves no partial cluster', async () => {
    const dataDir = await newDataDir();
    const app = startApp(dataDir);
    await until(async () =>
      (await readdir(dataDir).catch(() => [])).some((name) => name.startsWith('postgres.new-')),
    );
    await killApp(app);
    // An initdb that outlives the application still adds files.
    const { cluster } = await placeOf(dataDir);
    await until(() => !isUsed(`${cluster}.new-`));
    expect(await readdir(dataDir)).not.toContain('postgres');
    await writeFile(join(dataDir, 'postgres.json.new-0123456789ab'), '');
    const server = await start(dataDir);
    await fill(server.url);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });

  test('a missing cluster is reported, not replaced by an empty one', async () => {
    const dataDir = await startedDataDir();
    await rm(join(dataDir, 'postgres'), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow('has vanished');
  });

  test('a server that cannot start is reported with the end of its log', async () => {
    const dataDir = await startedDataDir();
    await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "shared_buffers = 'nonsense'\n");
    await expect(start(dataDir)).rejects.toThrow(
      /did not start: .*postgres\.log ends with:.*shared_buffers/s,
    );
  });

  test('a socket folder of another user is refused', async ({ skip }) => {
    skip(!root, 'needs root, to play another user');
    const dataDir = await startedDataDir();
    const folder = join(tmpdir(), (await placeOf(dataDir)).name);
    await mkdir(folder);
    await chown(folder, 12_345, 12_345);
    await expect(start(dataDir)).rejects.toThrow('belongs to user 12345');
  });
});
