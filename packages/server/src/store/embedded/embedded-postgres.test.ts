import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { allows, barrier, isRoot, namedAccount, SERVER_ACCOUNT } from './account.ts';
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { findPlace, type Place } from './place.ts';
import { pidFilePath, runningPostmaster, serverProcesses } from './processes.ts';
import { closeServer } from './shutdown.ts';
import { poll } from './wait.ts';

const PATIENCE_MS = 20_000;
const require = createRequire(import.meta.url);
const MODULE = new URL('./embedded-postgres.ts', import.meta.url).href;
const TSX = pathToFileURL(require.resolve('tsx')).href;
const NATIVE = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '..',
  'native',
);
const root = isRoot();

const folders: string[] = [];
const dataDirs: string[] = [];
const handles: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  await Promise.allSettled(handles.splice(0).map((handle) => handle.stop()));
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await until(() => child.exitCode !== null || child.signalCode !== null);
  }
  for (const dataDir of dataDirs.splice(0)) await dispose(dataDir);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function dispose(dataDir: string): Promise<void> {
  const place = await findPlace(dataDir);
  if (!place) return;
  const running = await runningPostmaster(place);
  if (running) await closeServer(place, running);
  await until(async () => (await serverProcesses(place)).length === 0);
  if (place.home !== place.dataDir) await rm(place.home, { recursive: true });
  await rm(join(tmpdir(), place.name), { recursive: true, force: true });
}

async function temporary(parent = tmpdir(), mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(parent, 'till-embedded-'));
  folders.push(folder);
  await chmod(folder, mode);
  return folder;
}

async function newDataDir(parent?: string): Promise<string> {
  const dataDir = join(parent ?? (await temporary()), '.till');
  dataDirs.push(dataDir);
  return dataDir;
}

async function start(dataDir: string, log: string[] = [], binaries?: string): Promise<EmbeddedPostgres> {
  const handle = await startEmbeddedPostgres({
    dataDir,
    log: (message) => log.push(message),
    ...(binaries ? { binaries } : {}),
  });
  handles.push(handle);
  return handle;
}

async function placeOf(dataDir: string): Promise<Place> {
  const place = await findPlace(dataDir);
  if (!place) throw new Error(`${dataDir} was never started`);
  return place;
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const met = await poll(async () => (await condition()) || undefined, { forMs: PATIENCE_MS });
  expect(met, 'condition met in time').toBe(true);
}

function count(url: string): Promise<number> {
  return query<{ n: number }>(url, 'select count(*)::int as n from kept').then((rows) => rows[0]?.n ?? -1);
}

async function fill(url: string): Promise<void> {
  await query(url, 'create table if not exists kept (n int); insert into kept values (1)');
}

interface AppState {
  url: string;
  pid: number;
  adopted: boolean;
}

interface App {
  child: ChildProcess;
  /** What its server is, once it runs; the error output if it failed. */
  started: Promise<AppState>;
}

/** An application of its own that starts the server and then goes on running. */
function startApp(dataDir: string, account: { uid?: number; gid?: number } = {}): App {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const { url, adopted, pid } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      .then((server) => ({ url: server.url, adopted: server.adopted, pid: server.pid() }));
    console.log(JSON.stringify({ url, adopted, pid }));
    setInterval(() => undefined, 1_000);
  `;
  const child = spawn(process.execPath, ['--import', TSX, '--input-type=module', '-e', script], {
    ...account,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const started = new Promise<AppState>((resolve, reject) => {
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)));
    child.once('error', reject);
    child.once('close', () => reject(new Error(errors || 'the app ended')));
  });
  started.catch(() => undefined);
  return { child, started };
}

async function killApp(app: App): Promise<void> {
  app.child.kill('SIGKILL');
  await until(() => app.child.signalCode !== null);
}

describe('start', () => {
  test('makes a durable UTF-8 cluster behind a private socket, and answers pg', async () => {
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

  test('refuses a wrong password, and writes neither statements nor values to the log', async () => {
    const dataDir = await newDataDir();
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

  test('of two at once one starts the server and the other takes it over', async () => {
    const dataDir = await newDataDir();
    const servers = await Promise.all([startApp(dataDir).started, startApp(dataDir).started]);
    expect(servers.map((server) => server.adopted).sort()).toEqual([false, true]);
    expect(servers[0]?.url).toBe(servers[1]?.url);
    expect(servers[0]?.pid).toBe(servers[1]?.pid);
    await fill(servers[0]?.url ?? '');
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });

  test('two in one process stop independently of each other', async () => {
    const dataDir = await newDataDir();
    const [first, second] = await Promise.all([start(dataDir), start(dataDir)]);
    await fill(first.url);
    await Promise.all([first.stop(), second.stop()]);
    expect(await serverProcesses(await placeOf(dataDir))).toEqual([]);
  });

  test('a kill while the cluster is being made leaves nothing half done', async () => {
    const dataDir = await newDataDir();
    const app = startApp(dataDir);
    await until(async () => (await readdir(dataDir).catch(() => [])).some((name) => name.includes('.new-')));
    await killApp(app);
    expect(await readdir(dataDir)).not.toContain('postgres');
    const server = await start(dataDir);
    await fill(server.url);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });

  test('a cluster that has vanished is reported, not replaced by an empty one', async () => {
    const dataDir = await newDataDir();
    await (await start(dataDir)).stop();
    await rm(join(dataDir, 'postgres'), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow('has vanished');
  });

  test('a server that cannot start is reported with the end of its log', async () => {
    const dataDir = await newDataDir();
    await (await start(dataDir)).stop();
    await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "shared_buffers = 'nonsense'\n");
    await expect(start(dataDir)).rejects.toThrow(
      /did not start: .*postgres\.log ends with:.*shared_buffers/s,
    );
  });

  test('a socket folder put there by somebody else is refused', async ({ skip }) => {
    skip(!root, 'needs root, to play another user');
    const dataDir = await newDataDir();
    const first = await start(dataDir);
    await first.stop();
    const folder = join(tmpdir(), (await placeOf(dataDir)).name);
    await mkdir(folder);
    await chown(folder, 12_345, 12_345);
    await expect(start(dataDir)).rejects.toThrow('belongs to user 12345');
  });
});

describe('take-over and recovery', () => {
  test('the server outlives kill -9 of its application; the next one takes it over', async () => {
    const dataDir = await newDataDir();
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
    const dataDir = await newDataDir();
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
    const dataDir = await newDataDir();
    const app = startApp(dataDir);
    const { url, pid } = await app.started;
    await fill(url);
    const busy = new pg.Client(url);
    busy.on('error', () => undefined);
    await busy.connect();
    // Counts without ever looking up, so that it outlives its postmaster.
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
  ])('a stale pid file that %s does not hinder', async (_name, text) => {
    const dataDir = await newDataDir();
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

  test('a server that has lost its socket is started again', async () => {
    const dataDir = await newDataDir();
    const server = await start(dataDir);
    await fill(server.url);
    const first = server.pid();
    await rm(join(tmpdir(), (await placeOf(dataDir)).name), { recursive: true });
    await until(() => server.pid() !== first);
    expect(await count(server.url)).toBe(1);
  });

  test('a data folder deleted under its server gives way to a new one', async () => {
    const dataDir = await newDataDir();
    const app = startApp(dataDir);
    const { url } = await app.started;
    await fill(url);
    await killApp(app);
    const abandoned = await placeOf(dataDir);
    await rm(dataDir, { recursive: true });
    const server = await start(dataDir);
    expect(await query(server.url, "select to_regclass('kept') as found")).toEqual([{ found: null }]);
    await rm(join(tmpdir(), abandoned.name), { recursive: true, force: true });
  });

  test('a running server is never replaced by an empty one when its data folder is deleted', async () => {
    const dataDir = await newDataDir();
    const log: string[] = [];
    const server = await start(dataDir, log);
    const place = await placeOf(dataDir);
    await rm(dataDir, { recursive: true });
    process.kill(server.pid(), 'SIGKILL');
    await until(() => log.some((message) => message.includes('has vanished')));
    await server.stop();
    expect(await serverProcesses(place)).toEqual([]);
    await rm(join(tmpdir(), place.name), { recursive: true, force: true });
  });

  test('stop ends a restart that is under way', async () => {
    const dataDir = await newDataDir();
    const server = await start(dataDir);
    const first = server.pid();
    process.kill(first, 'SIGKILL');
    const place = await placeOf(dataDir);
    await until(async () => ((await runningPostmaster(place))?.pid ?? first) !== first);
    await server.stop();
    expect(await serverProcesses(place)).toEqual([]);
  });
});

describe('accounts and private folders', () => {
  test('as root, a data folder in a private home keeps its cluster where postgres can reach it', async ({
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

  test('as root, a private data folder itself is opened for passing through, and keeps its cluster', async ({
    skip,
  }) => {
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

  test('as root, deleting a data folder in a private home ends its server at the next start', async ({
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
  });

  test('as root, binaries in a private folder are linked beside the data', async ({ skip }) => {
    skip(!root, 'needs root');
    const secret = await temporary(tmpdir(), 0o700);
    await cp(NATIVE, join(secret, 'native'), { recursive: true, verbatimSymlinks: true });
    const dataDir = await newDataDir();
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

  test('the links that the package would make are made by the launcher', async () => {
    const folder = await temporary();
    const native = join(folder, 'native');
    await cp(NATIVE, native, { recursive: true, verbatimSymlinks: true });
    const links: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
    for (const { target } of links) await unlink(join(folder, target)).catch(() => undefined);
    const server = await start(await newDataDir(), [], native);
    await fill(server.url);
    for (const { target } of links) expect((await lstat(join(folder, target))).isSymbolicLink()).toBe(true);
  });

  test('an ordinary user runs it as himself, straight from the installed package', async ({ skip }) => {
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
  });

  test('an ordinary user is told when the data belongs to another', async ({ skip }) => {
    skip(!root, 'needs root, to become somebody else');
    skip(!(await readableByOthers(process.execPath, TSX, MODULE, NATIVE)), 'the checkout is private');
    const account = namedAccount();
    const dataDir = await newDataDir();
    await (await start(dataDir)).stop();
    await chown(join(dataDir, 'postgres.json'), account.uid, account.gid);
    await expect(startApp(dataDir, account).started).rejects.toThrow(`belongs to user ${SERVER_ACCOUNT.uid}`);
  });
});

/** Whether the files and the folders above them are open to everybody. */
async function readableByOthers(...paths: string[]): Promise<boolean> {
  const nobody = { uid: -1, gid: -1 };
  for (const path of paths) {
    const file = await realpath(path.startsWith('file:') ? new URL(path).pathname : path);
    if (!allows(await lstat(file), nobody, 'read')) return false;
    if ((await barrier(dirname(file), nobody)) !== undefined) return false;
  }
  return true;
}
