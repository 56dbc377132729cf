import { chmod, chown, cp, lstat, mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { namedAccount, SERVER_ACCOUNT } from './files/account.ts';
import {
  count,
  disposeAll,
  fill,
  killApp,
  MODULE,
  NATIVE,
  newDataDir,
  placeOf,
  readableByOthers,
  removeStarted,
  root,
  start,
  startApp,
  startedDataDir,
  TSX,
  temporary,
} from './fixtures.ts';
import { serverProcesses } from './processes/processes.ts';

afterEach(disposeAll);
afterAll(removeStarted);

describe('accounts and private folders', () => {
  test('root, data folder in a private home: the cluster is kept where postgres can reach it', async ({
    skip,
  }) => {
    skip(!root, 'needs root');
    const home = await temporary('/root', 0o700);
    const dataDir = await newDataDir(home);
    const server = await start(dataDir);
    await fill(server.url);
    const place = await placeOf(dataDir);
    expect(place.home).toMatch(/^\/var\/lib\/till\/[0-9a-f]{16}$/);
    expect((await lstat(place.home)).mode & 0o777).toBe(0o711);
    expect(await lstat(place.cluster)).toMatchObject({ uid: SERVER_ACCOUNT.uid });
    expect((await lstat(home)).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(await count((await start(dataDir)).url)).toBe(1);
  });

  test('root, private data folder: opened for traversal, and keeps its cluster', async ({ skip }) => {
    skip(!root, 'needs root');
    const dataDir = await newDataDir();
    await mkdir(dataDir, { mode: 0o700 });
    const server = await start(dataDir);
    await fill(server.url);
    await server.stop();
    expect((await lstat(dataDir)).mode & 0o777).toBe(0o711);
    expect((await placeOf(dataDir)).cluster).toBe(join(dataDir, 'postgres'));
    await chmod(dataDir, 0o700);
    expect(await count((await start(dataDir)).url)).toBe(1);
  });

  test('root: deleting a data folder in a private home ends its server at the next start', async ({
    skip,
  }) => {
    skip(!root, 'needs root');
    const dataDir = await newDataDir(await temporary('/root', 0o700));
    const app = startApp(dataDir);
    await app.started;
    await killApp(app);
    const abandoned = await placeOf(dataDir);
    await rm(dataDir, { recursive: true });
    const log: string[] = [];
    const server = await start(dataDir, log);
    expect(server.adopted).toBe(false);
    expect(await serverProcesses(abandoned)).toEqual([]);
    expect(log.join('\n')).toContain(`${abandoned.home} holds the database of an earlier`);
    await rm(abandoned.home, { recursive: true });
    await rm(join(tmpdir(), abandoned.name), { recursive: true, force: true });
  }, 180_000);

  test('root, binaries in a private folder: linked beside the data', async ({ skip }) => {
    skip(!root, 'needs root');
    const secret = await temporary(undefined, 0o700);
    await cp(NATIVE, join(secret, 'native'), { recursive: true, verbatimSymlinks: true });
    const dataDir = await startedDataDir();
    const server = await start(dataDir, [], join(secret, 'native'));
    await fill(server.url);
    const tree = (await readdir(dataDir)).find((name) => name.startsWith('postgres-binaries-')) ?? '';
    const linked = await lstat(join(dataDir, tree, 'bin', 'postgres'));
    expect(linked.ino).toBe((await lstat(join(secret, 'native', 'bin', 'postgres'))).ino);
    await server.stop();
    await chmod(join(secret, 'native', 'bin', 'postgres'), 0o700);
    await rm(join(dataDir, tree), { recursive: true });
    const copied = await start(dataDir, [], join(secret, 'native'));
    expect(await count(copied.url)).toBe(1);
    const copy = await lstat(join(dataDir, tree, 'bin', 'postgres'));
    expect(copy.mode & 0o777).toBe(0o755);
    expect(copy.ino).not.toBe(linked.ino);
  });

  test('the launcher makes the links that the package’s install script would make', async () => {
    const folder = await temporary();
    const native = join(folder, 'native');
    await cp(NATIVE, native, { recursive: true, verbatimSymlinks: true });
    const links: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
    for (const { target } of links) await unlink(join(folder, target)).catch(() => undefined);
    const server = await start(await newDataDir(), [], native);
    await fill(server.url);
    for (const { target } of links) expect((await lstat(join(folder, target))).isSymbolicLink()).toBe(true);
  });

  test('ordinary user: runs the installed package under his own account', async ({ skip }) => {
    skip(!root, 'needs root, to become somebody else; elsewhere every test proves it');
    skip(!(await readableByOthers(process.execPath, TSX, MODULE, NATIVE)), 'the checkout is private');
    const account = namedAccount();
    const parent = await temporary();
    await chown(parent, account.uid, account.gid);
    const dataDir = await newDataDir(parent);
    const app = startApp(dataDir, account);
    const { url } = await app.started;
    await fill(url);
    const place = await placeOf(dataDir);
    expect(await lstat(place.cluster)).toMatchObject({ uid: account.uid });
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
    await killApp(app);
    const again = startApp(dataDir, account);
    expect(await again.started).toMatchObject({ adopted: true, url });
    await killApp(again);
    const asRoot = await start(dataDir);
    expect(asRoot).toMatchObject({ adopted: true, url });
    await asRoot.stop();
    expect(await count((await start(dataDir)).url)).toBe(1);
  }, 180_000);

  test('ordinary user without write permission for the missing links: gets a tree of his own', async ({
    skip,
  }) => {
    skip(!root, 'needs root, to become somebody else');
    skip(!(await readableByOthers(process.execPath, TSX, MODULE)), 'the checkout is private');
    const account = namedAccount();
    const parent = await temporary();
    const native = join(parent, 'native');
    await cp(NATIVE, native, {
      recursive: true,
      filter: async (from) => !(await lstat(from)).isSymbolicLink(),
    });
    await chown(parent, account.uid, account.gid);
    const dataDir = await newDataDir(parent);
    const { url } = await startApp(dataDir, account, native).started;
    await fill(url);
    expect((await readdir(dataDir))[1]).toMatch(/^postgres-binaries-[0-9a-f]{12}$/);
  });

  test('ordinary user: a message when the data belongs to another', async ({ skip }) => {
    skip(!root, 'needs root, to become somebody else');
    skip(!(await readableByOthers(process.execPath, TSX, MODULE, NATIVE)), 'the checkout is private');
    const account = namedAccount();
    const dataDir = await startedDataDir();
    await (await start(dataDir)).stop();
    await chown(join(dataDir, 'postgres.json'), account.uid, account.gid);
    await expect(startApp(dataDir, account).started).rejects.toThrow(`belongs to user ${SERVER_ACCOUNT.uid}`);
  });
});
