import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { prepareBinaries } from '../embedded/binaries.ts';
import { isRoot, namedAccount, spawnAs } from '../embedded/files/account.ts';
import type { Place } from '../embedded/files/place.ts';
import { chownTree } from '../embedded/files/trees.ts';

/** A port below the system's ephemeral range, from which another connection or `listen(0)` could take it meanwhile. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Runs one statement on a separate connection, as the superuser. */
export async function ask<Row>(port: number, sql: string, timeoutMs = 5_000): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: `postgres://till@127.0.0.1:${port}/postgres`,
    connectionTimeoutMillis: 2_000,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await delay(20)) {
    if (await condition().catch(() => false)) return;
  }
  throw new Error(`not within 20 s: ${what}`);
}

/** A PostgreSQL server that a test can start, stop, kill, suspend and promote. */
export class TestServer {
  readonly port: number;
  readonly #folder: string;
  readonly #bin: string;
  #process: ChildProcess | undefined;

  constructor(folder: string, bin: string, port: number) {
    this.#folder = folder;
    this.#bin = bin;
    this.port = port;
  }

  async start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      'unix_socket_directories=',
      'fsync=on',
    ];
    settings.push('wal_level=replica', 'shared_buffers=16MB', 'hot_standby=on');
    this.#process = spawn(
      join(this.#bin, 'postgres'),
      ['-D', this.#folder, ...settings.flatMap((setting) => ['-c', setting])],
      { ...account(), cwd: '/', env: { LC_ALL: 'C' }, stdio: 'ignore' },
    );
    await until('PostgreSQL answers', async () => (await ask(this.port, 'select 1')).length === 1);
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.hold('SIGCONT');
    child.kill(signal);
    await ended;
  }

  /** Sends SIGSTOP or SIGCONT to the server and its child processes. */
  hold(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)]).toString();
    for (const each of [pid, ...children.trim().split(/\s+/).map(Number)]) signalIfThere(each, signal);
  }

  async promote(): Promise<void> {
    // The timeout is longer than the 20 s that pg_promote itself waits.
    await ask(this.port, 'select pg_promote(true, 20)', 25_000);
  }
}

/** A child may have ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const account = () => (isRoot() ? spawnAs(namedAccount()) : {});

/** A leader and a standby that streams from it, on local ports. */
export interface ServerPair {
  readonly leader: TestServer;
  readonly standby: TestServer;
  /** An address that names both servers, the standby first. */
  readonly url: string;
  remove(): Promise<void>;
}

export async function startPair(): Promise<ServerPair> {
  const folder = await mkdtemp(join(process.env.TILL_TEST_FOLDERS ?? tmpdir(), 'till-pair-'));
  await chmod(folder, 0o755);
  const native = await prepareBinaries(
    { home: folder } as Place,
    isRoot() ? namedAccount() : undefined,
    undefined,
  );
  const bin = join(native, 'bin');
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  for (const path of [first, second]) {
    await mkdir(path, { mode: 0o700 });
    if (isRoot()) await chown(path, namedAccount().uid, namedAccount().gid);
  }
  execFileSync(join(bin, 'initdb'), ['-D', first, '-U', 'till', '--auth=trust', '--no-sync'], {
    ...account(),
    cwd: '/',
    env: { LC_ALL: 'C' },
    stdio: 'pipe',
  });
  const leader = new TestServer(first, bin, await freePort());
  const standby = new TestServer(second, bin, await freePort());
  await cp(first, second, { recursive: true });
  await writeFile(join(second, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${leader.port} user=till`;
  await writeFile(join(second, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  if (isRoot()) await chownTree(second, namedAccount());
  await leader.start();
  await ask(leader.port, 'create database till');
  await standby.start();
  await until('the standby streams', async () => {
    const [row] = await ask<{ there: boolean }>(
      standby.port,
      `select exists (select from pg_database where datname = 'till') as there`,
    );
    return row?.there === true;
  });
  return {
    leader,
    standby,
    url: `postgres://till@127.0.0.1:${standby.port},127.0.0.1:${leader.port}/till?target_session_attrs=read-write`,
    async remove() {
      await Promise.all([leader.stop('SIGQUIT'), standby.stop('SIGQUIT')]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
