import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { allows, barrier, isRoot } from './files/account.ts';
import { findPlace, type Place } from './files/place.ts';
import { runningPostmaster, serverProcesses } from './processes/processes.ts';
import { closeServer } from './processes/shutdown.ts';
import { poll } from './processes/wait.ts';

const TIMEOUT_MS = 20_000;
const require = createRequire(import.meta.url);
// For applications that run in a separate process.
export const MODULE = new URL('./embedded-postgres.ts', import.meta.url).href;
export const TSX = pathToFileURL(require.resolve('tsx')).href;
export const NATIVE = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '..',
  'native',
);
export const root = isRoot();

/** The parent of the tests' folders, chosen by `tests/support/global-setup.ts`. */
const parentOfFolders = process.env.TILL_TEST_FOLDERS ?? tmpdir();

const folders: string[] = [];
const dataDirs: string[] = [];
const handles: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

/** Stops everything that a test started and removes every folder that it created. */
export async function disposeAll(): Promise<void> {
  await Promise.allSettled(handles.splice(0).map((handle) => handle.stop()));
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await until(() => child.exitCode !== null || child.signalCode !== null);
  }
  for (const dataDir of dataDirs.splice(0)) await dispose(dataDir);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

async function dispose(dataDir: string): Promise<void> {
  const place = await findPlace(dataDir);
  if (!place) return;
  const running = await runningPostmaster(place);
  if (running) await closeServer(place, running);
  await until(async () => (await serverProcesses(place)).length === 0);
  if (place.home !== place.dataDir) await rm(place.home, { recursive: true });
  await rm(join(tmpdir(), place.name), { recursive: true, force: true });
}

/** Creates a folder that is removed after the test. */
export async function temporary(parent = parentOfFolders, mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(parent, 'till-embedded-'));
  folders.push(folder);
  await chmod(folder, mode);
  return folder;
}

/** The path of a data folder that does not exist yet; its server is stopped after the test. */
export async function newDataDir(parent?: string): Promise<string> {
  const dataDir = join(parent ?? (await temporary()), '.till');
  dataDirs.push(dataDir);
  return dataDir;
}

/** A data folder in the state that a first start leaves; `undefined` until a test needs it. */
let template: Promise<string> | undefined;

async function firstStart(): Promise<string> {
  const parent = await mkdtemp(join(parentOfFolders, 'till-embedded-'));
  await chmod(parent, 0o755);
  const dataDir = join(parent, '.till');
  await (await startEmbeddedPostgres({ dataDir })).stop();
  return dataDir;
}

/** The path of a data folder on which a server has run before. It saves tests that need no first start the second of initdb. */
export async function startedDataDir(): Promise<string> {
  template ??= firstStart();
  const dataDir = await newDataDir();
  await cp(await template, dataDir, { recursive: true });
  return dataDir;
}

/** Removes the folder that `startedDataDir` copies; call it at the end of a test file. */
export async function removeStarted(): Promise<void> {
  if (template !== undefined) await rm(dirname(await template), { recursive: true, force: true });
  template = undefined;
}

/** Starts a server in this process. */
export async function start(
  dataDir: string,
  log: string[] = [],
  binaries?: string,
): Promise<EmbeddedPostgres> {
  const handle = await startEmbeddedPostgres({
    dataDir,
    log: (message) => log.push(message),
    ...(binaries ? { binaries } : {}),
  });
  handles.push(handle);
  return handle;
}

/** The place of a data folder on which a server has been started before. */
export async function placeOf(dataDir: string): Promise<Place> {
  const place = await findPlace(dataDir);
  if (!place) throw new Error(`${dataDir} was never started`);
  return place;
}

/** Runs one statement on a separate connection. */
export async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Waits for a condition. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const met = await poll(async () => (await condition()) || undefined, { timeoutMs: TIMEOUT_MS });
  if (!met) throw new Error(`not within ${TIMEOUT_MS} ms: ${String(condition)}`);
}

/** How many rows `fill` has inserted. */
export function count(url: string): Promise<number> {
  return query<{ n: number }>(url, 'select count(*)::int as n from kept').then((rows) => rows[0]?.n ?? -1);
}

/** Inserts a row into the table `kept`. */
export async function fill(url: string): Promise<void> {
  await query(url, 'create table if not exists kept (n int); insert into kept values (1)');
}

/** The server that an application reports. */
export interface AppState {
  url: string;
  pid: number;
  adopted: boolean;
}

/** An application in a separate process. */
export interface App {
  child: ChildProcess;
  /** Resolves with the server once it runs; rejects with the error output if the start fails. */
  started: Promise<AppState>;
}

/** Starts an application in a separate process, which starts the server and then keeps running. */
export function startApp(
  dataDir: string,
  account: { uid?: number; gid?: number } = {},
  binaries?: string,
): App {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const { url, adopted, pid } = await startEmbeddedPostgres(${JSON.stringify({ dataDir, binaries })})
      .then((server) => ({ url: server.url, adopted: server.adopted, pid: server.pid() }));
    process.stdout.write(JSON.stringify({ url, adopted, pid }) + '\\n');
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

/** Kills an application with SIGKILL. */
export async function killApp(app: App): Promise<void> {
  app.child.kill('SIGKILL');
  await until(() => app.child.signalCode !== null);
}

/** Whether every user may read the files and pass through the folders above them. */
export async function readableByOthers(...paths: string[]): Promise<boolean> {
  const nobody = { uid: -1, gid: -1 };
  for (const path of paths) {
    const file = await realpath(path.startsWith('file:') ? new URL(path).pathname : path);
    if (!allows(await lstat(file), nobody, 'read')) return false;
    if ((await barrier(dirname(file), nobody)) !== undefined) return false;
  }
  return true;
}
