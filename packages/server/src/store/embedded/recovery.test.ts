import { chown, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findRunningPostgres } from './embedded-postgres.ts';
import { SERVER_ACCOUNT } from './files/account.ts';
import {
  count,
  disposeAll,
  fill,
  killApp,
  placeOf,
  query,
  removeStarted,
  root,
  start,
  startApp,
  startedDataDir,
  until,
} from './fixtures.ts';
import { pidFilePath, runningPostmaster, serverProcesses } from './processes/processes.ts';
import { signalServer } from './processes/shutdown.ts';

afterEach(disposeAll);
afterAll(removeStarted);

describe('take-over and recovery', () => {
  test('the server survives kill -9 of its application; the next one takes it over', async () => {
    const dataDir = await startedDataDir();
    const app = startApp(dataDir);
    const { url, pid } = await app.started;
    await fill(url);
    await killApp(app);
    const server = await start(dataDir);
    expect(server).toMatchObject({ adopted: true, url });
    expect(server.pid()).toBe(pid);
    expect(await count(url)).toBe(1);
    process.kill(pid, 'SIGKILL');
    await until(() => server.pid() !== pid);
    expect(await count(url)).toBe(1);
  });

  test('after kill -9 of the postmaster it is started again with its data', async () => {
    const dataDir = await startedDataDir();
    const log: string[] = [];
    const server = await start(dataDir, log);
    await fill(server.url);
    const busy = new pg.Client(server.url);
    busy.on('error', () => undefined);
    await busy.connect();
    const first = server.pid();
    process.kill(first, 'SIGKILL');
    await until(() => server.pid() !== first);
    expect(await count(server.url)).toBe(1);
    expect(log.join('\n')).toMatch(/is gone; starting it again\n.*runs again/);
    await busy.end().catch(() => undefined);
  });

  test('postmaster and application killed: the next start waits for the orphans and recovers', async () => {
    const dataDir = await startedDataDir();
    const app = startApp(dataDir);
    const { url, pid } = await app.started;
    await fill(url);
    const busy = new pg.Client(url);
    busy.on('error', () => undefined);
    await busy.connect();
    // This count never checks for interrupts, so its backend outlives the postmaster.
    busy.query('select count(*) from generate_series(1, 100000000)').catch(() => undefined);
    await killApp(app);
    process.kill(pid, 'SIGKILL');
    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await count(server.url)).toBe(1);
    await busy.end().catch(() => undefined);
  });

  test.each([
    ['names a living process of somebody else', () => `${process.pid}\n`],
    ['names a dead process', () => '4194303\n'],
    ['is empty', () => ''],
  ])('a stale pid file that %s does not prevent a start', async (_name, text) => {
    const dataDir = await startedDataDir();
    const first = await start(dataDir);
    await fill(first.url);
    await first.stop();
    const path = pidFilePath(await placeOf(dataDir));
    const rest = `${dataDir}/postgres\n1700000000\n5432\n/tmp/nowhere\n\n        1         1\nready   \n`;
    await writeFile(path, text() && text() + rest);
    if (root) await chown(path, SERVER_ACCOUNT.uid, SERVER_ACCOUNT.gid);
    expect(await findRunningPostgres(dataDir)).toBeUndefined();
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await count(second.url)).toBe(1);
  });

  test('a server without its socket is started again', async () => {
    const dataDir = await startedDataDir();
    const server = await start(dataDir);
    await fill(server.url);
    const first = server.pid();
    await rm(join(tmpdir(), (await placeOf(dataDir)).name), { recursive: true });
    await until(() => server.pid() !== first);
    expect(await count(server.url)).toBe(1);
  });

  test('a data folder deleted under its server is replaced by a new one', async () => {
    const dataDir = await startedDataDir();
    const app = startApp(dataDir);
    const { url } = await app.started;
    await fill(url);
    await killApp(app);
    const abandoned = await placeOf(dataDir);
    // Its server still writes there.
    await rm(dataDir, { recursive: true, maxRetries: 10, retryDelay: 100 });
    const server = await start(dataDir);
    expect(await query(server.url, "select to_regclass('kept') as found")).toEqual([{ found: null }]);
    await rm(join(tmpdir(), abandoned.name), { recursive: true, force: true });
  });

  test('a running server is never replaced by an empty one when its data folder is deleted', async () => {
    const dataDir = await startedDataDir();
    const log: string[] = [];
    const server = await start(dataDir, log);
    const place = await placeOf(dataDir);
    // The server writes into the folder while it is being deleted, and may end by itself once it notices.
    await rm(dataDir, { recursive: true, maxRetries: 10, retryDelay: 100 });
    try {
      process.kill(server.pid(), 'SIGKILL');
    } catch (error) {
      expect(error).toMatchObject({ code: 'ESRCH' });
    }
    await until(() => log.some((message) => message.includes('has vanished')));
    await server.stop();
    // A postmaster that is killed during its shutdown no longer stops those of its processes that hang in theirs.
    await until(async () => {
      const orphans = await serverProcesses(place);
      await Promise.all(orphans.map((pid) => signalServer(place, pid, 'SIGKILL')));
      return orphans.length === 0;
    });
    await rm(join(tmpdir(), place.name), { recursive: true, force: true });
  });

  test('stop ends a running restart', async () => {
    const dataDir = await startedDataDir();
    const server = await start(dataDir);
    const first = server.pid();
    process.kill(first, 'SIGKILL');
    const place = await placeOf(dataDir);
    await until(async () => ((await runningPostmaster(place))?.pid ?? first) !== first);
    await server.stop();
    expect(await serverProcesses(place)).toEqual([]);
  });
});
