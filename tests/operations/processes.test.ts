import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { freePort } from '../support/free-port.ts';
import { freshDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runProcess,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let url: string;
let metrics: string;
let shop: Merchant;

/** The process ids of the servers on a database, which are part of their connections' application names. */
async function serving(address = url): Promise<number[]> {
  const rows = await queryDatabase<{ name: string }>(
    address,
    `select distinct application_name as name from pg_stat_activity where application_name like 'till serve, process %'
       and datname = current_database()`,
  );
  return rows.map(({ name }) => Number(name.split(' ').at(-1)));
}

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  url = await freshDatabase(cleanUp);
  metrics = `127.0.0.1:${await freePort()}`;
  server = await startServer({
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_DATABASE_CONNECTIONS: '4',
    TILL_METRICS_ADDR: metrics,
    WEB_CONCURRENCY: '2',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

it.each(['1', '3'])(
  'a database that cannot be reached is named once and nothing else is printed, with WEB_CONCURRENCY=%s',
  async (processes) => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const port = await freePort();
    const settings = {
      DATABASE_URL: `postgresql://till:secret@127.0.0.1:${port}/till`,
      TILL_DATA_DIR: folder.path,
      WEB_CONCURRENCY: processes,
    };
    expect(await runProcess(settings, ['serve'])).toEqual({
      exitCode: 1,
      out: '',
      err: `till: the database of DATABASE_URL, 127.0.0.1:${port}/till, does not answer: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    });
  },
);

describe('WEB_CONCURRENCY', () => {
  it('serves one port from several processes, and says once that it is ready', async () => {
    expect(server.printed().out.match(/^ready on/gm)).toHaveLength(1);
    expect(await serving()).toHaveLength(2);
    const replies = await Promise.all(Array.from({ length: 20 }, () => shop.pay()));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  });

  it('adds the metrics of all of them up', async () => {
    const text = await (await fetch(`http://${metrics}/metrics`)).text();
    const counted = /till_payments_total\{[^}]*status="succeeded"[^}]*\} (\d+)/.exec(text)?.[1];
    expect(Number(counted)).toBe(20);
    expect(text).toMatch(/^till_build_info\{[^}]*\} 1$/m);
  });

  it('replaces a process that died, while the others keep serving', async () => {
    const [victim = 0] = await serving();
    process.kill(victim, 'SIGKILL');
    await until('another one serves in its place', async () => {
      const now = await serving();
      return now.length === 2 && !now.includes(victim);
    });
    expect((await shop.pay()).status).toBe(201);
    expect(server.printed().err).toContain('a server process ended by itself');
  });

  it('stops all of them on SIGTERM', async () => {
    expect(await server.stop()).toBe(0);
    expect(await serving()).toEqual([]);
  });
});

describe('WEB_CONCURRENCY with the embedded database', () => {
  it('shares it: the first process owns it, keeps it running, and ends it last', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const settings = { TILL_DATA_DIR: folder.path, TILL_DATABASE_CONNECTIONS: '4', WEB_CONCURRENCY: '2' };
    const shared = await startServer(settings);
    cleanUp.add(() => shared.stop('SIGKILL'));
    const { url: address } = await commandJson<{ url: string }>(shared.environment, ['db', 'url']);
    const pids = await serving(address);
    expect(pids).toHaveLength(2);
    const merchant = await Merchant.openAt(shared);
    for (let count = 0; count < 4; count += 1) expect((await merchant.pay()).status).toBe(201);

    const second = await runProcess({ ...settings, PORT: '0', TILL_METRICS_ADDR: 'off' }, ['serve']);
    expect(second.err).toContain('Another Till server');
    expect(second.exitCode).toBe(1);

    const [{ pid: postmaster } = { pid: 0 }] = await queryDatabase<{ pid: number }>(
      address,
      `select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`,
    );
    process.kill(postmaster, 'SIGKILL');
    const [victim = 0] = pids;
    process.kill(victim, 'SIGKILL');
    await until('both are replaced', async () => {
      const now = await serving(address).catch((): number[] => []);
      return now.length === 2 && !now.includes(victim);
    });
    await until('payments go on', async () => (await merchant.pay()).status === 201);
    // A closed terminal sends SIGHUP, which has the same effect as SIGTERM.
    expect(await shared.stop('SIGHUP')).toBe(0);
    await expect(queryDatabase(address, 'select 1')).rejects.toThrow();
  }, 180_000);

  it('is refused with more processes than its connections are enough for', async () => {
    const refused = await runProcess({ WEB_CONCURRENCY: '7' }, ['serve']);
    expect(refused.exitCode).toBe(78);
    expect(refused.err).toContain('WEB_CONCURRENCY: got 7, expected at most 6 with the embedded database');
  });
});

describe('till serve --role', () => {
  it('web answers and leaves the background to a worker', async () => {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const database = await freshDatabase(cleanUp);
    const settings = { DATABASE_URL: database, TILL_DATA_DIR: folder.path };
    const web = await startServer(settings, undefined, ['--role', 'web']);
    cleanUp.add(() => web.stop('SIGKILL'));
    const merchant = await Merchant.openAt(web);
    await commandJson(web.environment, [
      'webhooks',
      'create',
      '--account',
      merchant.id,
      '--url',
      'http://127.0.0.1:9/nobody',
    ]);
    const paid = await merchant.pay();
    expect(paid.status).toBe(201);
    const attempted = async () => {
      const rows = await queryDatabase<{ attempts: number }>(database, 'select attempts from deliveries');
      return rows.some(({ attempts }) => attempts > 0);
    };
    const worker = await startServer(settings, undefined, ['--role', 'worker']);
    cleanUp.add(() => worker.stop('SIGKILL'));
    await until('the worker sends what web wrote', attempted);
    expect(await worker.stop()).toBe(0);
    expect(await web.stop()).toBe(0);
  });
});
