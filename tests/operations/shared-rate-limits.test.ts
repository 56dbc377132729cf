import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { freePort } from '../support/free-port.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { type RunningServer, runCommand, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The path of the program as Debian's packages `valkey-server` and `redis-server` install it; undefined if there is none. */
async function installed(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  for (const folder of folders) {
    for (const name of ['valkey-server', 'redis-server']) {
      const path = join(folder, name);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  return undefined;
}

const program = await installed();
const missing =
  program === undefined ? ' (skipped: neither valkey-server nor redis-server is installed)' : '';
const withStore = it.skipIf(program === undefined);
const cleanUp = new CleanUp();
const burst = 30;
const path = '/api/v1/customers?per_page=1';
let servers: RunningServer[] = [];
let shop: Merchant;
let url: string;
let stop: () => Promise<void>;
let settings: Record<string, string>;

async function startStore(port: number): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.path];
  const child = spawn(program ?? '', options, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = () => {
    child.kill('SIGKILL');
    return ended;
  };
  cleanUp.add(end);
  await until('the store answers', async () => {
    const { out } = await runCommand({ TILL_REDIS_URL: url, PORT: '9' }, ['doctor', '--json']);
    const { checks } = JSON.parse(out) as { checks: { check: string; state: string }[] };
    return checks.some(({ check, state }) => check === 'rate limits' && state === 'ok');
  });
  return end;
}

/** Sends requests to both servers concurrently, more than one bucket allows. @returns the number of admitted requests */
async function ask(each: number): Promise<number> {
  const replies = await Promise.all(
    servers.flatMap((server) =>
      Array.from({ length: each }, () => shop.at(server).call('GET', path, { takesRateLimit: true })),
    ),
  );
  expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true);
  return replies.filter(({ status }) => status === 200).length;
}

beforeAll(async () => {
  if (program === undefined) return;
  const port = await freePort();
  url = `redis://127.0.0.1:${port}`;
  stop = await startStore(port);
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  settings = {
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_REDIS_URL: url,
    TILL_RATE_LIMIT_RPS: '1',
    TILL_RATE_LIMIT_BURST: String(burst),
  };
  servers = [await startServer(settings), await startServer(settings)];
  for (const server of servers) cleanUp.add(() => server.stop('SIGKILL'));
  const [first] = servers;
  if (first !== undefined) shop = await Merchant.openAt(first);
});
afterAll(cleanUp.run);

it('a server whose store is away starts, and limits by itself; the doctor names why', async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    TILL_RATE_LIMIT_RPS: '1',
    TILL_RATE_LIMIT_BURST: '1',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  const own = await Merchant.openAt(server);
  await until(
    'its limit holds',
    async () => (await own.call('GET', path, { takesRateLimit: true })).status === 429,
  );
  expect(server.printed().err).toContain('rate limits are not shared');
  const { out } = await runCommand(server.environment, ['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: object[] };
  const detail = expect.stringContaining('ECONNREFUSED');
  expect(checks).toContainEqual(expect.objectContaining({ check: 'rate limits', state: 'fail', detail }));
});

describe(`rate limits of several servers${missing}`, () => {
  withStore('are one limit where they share a store', async () => {
    // Opens the connections to the store, so that the following requests are counted there from the first one.
    expect(await ask(1)).toBe(servers.length);
    const allowed = servers.length + (await ask(burst));
    expect(allowed).toBeGreaterThanOrEqual(burst - 2);
    // The bucket refills at one request per second; the sum of two buckets would be more.
    expect(allowed).toBeLessThan(burst + 15);
  });

  withStore('go on per server while the store is away, and the log says so once', async () => {
    await stop();
    expect(await ask(burst)).toBeGreaterThan(burst + 15);
    for (const server of servers) {
      const warnings = server.printed().err.match(/rate limits are not shared/g) ?? [];
      expect(warnings.length).toBeLessThanOrEqual(1);
    }
    expect(servers.some((server) => server.printed().err.includes('rate limits are not shared'))).toBe(true);
  });
});
