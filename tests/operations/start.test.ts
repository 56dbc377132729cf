import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { queryDatabase } from '../support/fresh-database.ts';
import { Merchant, type Reply } from '../support/merchant.ts';
import { commandJson, type RunningServer, runProcess } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let folder: DataFolder;
let server: RunningServer;
let firstOutput: string;
/** An account of the first start, which calls the server that currently runs. */
let shop: Merchant;

beforeAll(async () => {
  folder = await dataFolder(cleanUp);
  server = await folder.start();
  firstOutput = server.printed().out;
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

/** The server that the tests of this file share. Restarts it if a failed test left it dead. */
async function running(): Promise<RunningServer> {
  if (server.process.exitCode !== null || server.process.signalCode !== null) await startAgain();
  return server;
}

async function startAgain(): Promise<RunningServer> {
  server = await folder.start();
  shop = shop.at(server);
  return server;
}

const databaseUrl = async () => (await commandJson<{ url: string }>(server.environment, ['db', 'url'])).url;

async function expectStillThere(payment: Reply): Promise<void> {
  const reply = await shop.get(`/api/v1/payments/${payment.body.id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual(payment.body);
}

const hasCurl = () => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('the first start on an empty folder', () => {
  it('prints two demo accounts with keys that work', async () => {
    await running();
    const keys = firstOutput.match(/sk_test_[0-9A-Za-z]{32}/g) ?? [];
    const ids = firstOutput.match(/acct_[0-9a-z]{24}/g) ?? [];
    expect(new Set(keys).size).toBe(2);
    expect(new Set(ids).size).toBe(2);
    expect(firstOutput).toContain('processor_a');
    expect(firstOutput).toContain('processor_b');
    for (const key of new Set(keys)) {
      const reply = await shop.get('/api/v1/payments');
      expect(reply.status).toBe(200);
      expect((await shop.call('GET', '/api/v1/payments', { key })).status).toBe(200);
    }
  });

  it('prints a command that charges a test card as it stands', async (context) => {
    if (!hasCurl()) context.skip('curl is not installed');
    const command = /Charge a test card:\n\n([\s\S]+?)\n\n/.exec(firstOutput)?.[1] ?? '';
    expect(command).toContain(server.baseUrl);
    // Redefines curl to print the status after the response. The command itself runs as printed.
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      `curl() { command curl -w '\\n%{http_code}' "$@"; }\n${command}`,
    ]);
    const [body = '', status] = stdout.split('\n');
    expect(status).toBe('201');
    expect(JSON.parse(body)).toMatchObject({ object: 'payment', status: 'succeeded', amount: 4990 });
  });

  it('prints the welcome and one ready line on standard output, and nothing else', () => {
    expect(firstOutput.match(/^ready on /gm)).toHaveLength(1);
    expect(firstOutput).not.toContain('{"level"');
  });
});

describe('a folder on which a server runs', () => {
  it('is refused to a second server, and the first keeps serving', async () => {
    await running();
    const second = await runProcess({ ...server.environment, PORT: '0' }, ['serve']);
    expect(second.exitCode).toBe(1);
    expect(second.out).toBe('');
    expect(second.err).toMatch(/Another Till server .*uses this data folder/);
    expect(second.err).toContain(`process ${server.process.pid}`);
    expect(second.err).not.toMatch(/^\s+at /m);
    expect((await shop.pay()).status).toBe(201);
  });
});

describe('kill -9', () => {
  it('of the server: the next one takes the database over, prints no keys and has the earlier payment', async () => {
    await running();
    const payment = await shop.pay({ reference: 'before-kill' });
    const postmaster = await folder.postmaster();
    await server.stop('SIGKILL');
    expect(await folder.postmaster()).toBe(postmaster);
    await startAgain();
    expect(await folder.postmaster()).toBe(postmaster);
    expect(server.printed().out).not.toContain('sk_test_');
    expect(server.printed().out).toMatch(/^ready on /m);
    await expectStillThere(payment);
    expect((await shop.pay()).status).toBe(201);
  });

  it('of the database: requests succeed or get 503, then it recovers by itself and loses nothing', async () => {
    await running();
    const before = await shop.pay({ reference: 'before-crash' });
    const killed = await folder.postmaster();
    process.kill(killed, 'SIGKILL');
    const unanswered: string[] = [];
    const recovered = await until(
      'a payment succeeds on a new database server',
      async () => {
        const idempotencyKey = randomUUID();
        const back = await folder.postmaster().then(
          (pid) => pid !== killed,
          () => false,
        );
        const reply = await shop.pay({ reference: idempotencyKey }, { idempotencyKey });
        if (reply.status !== 201) {
          unanswered.push(idempotencyKey);
          expect(reply.status).toBe(503);
          expect(reply.body.error).toMatchObject({ type: 'api_error', code: 'service_unavailable' });
          expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        return reply.status === 201 && back && reply;
      },
      30_000,
    );
    await expectStillThere(before);
    await expectStillThere(recovered);
    // A request without a response is resumed by its key, and charged once.
    const lastKey = unanswered.at(-1);
    if (lastKey !== undefined) {
      const retried = await shop.pay({ reference: lastKey }, { idempotencyKey: lastKey });
      expect(retried.status).toBe(201);
      const { charges } = await shop.ledger();
      expect(charges.filter((charge) => charge.reference === retried.body.id)).toHaveLength(1);
    }
  });
});

describe('a server whose database crashed', () => {
  it('exits with 0 on SIGTERM and stops the database', async () => {
    await running();
    const url = await databaseUrl();
    const killed = await folder.postmaster();
    process.kill(killed, 'SIGKILL');
    // Waits until the server has reconnected: then it holds its locks on the restarted database server.
    await until('the server is back', async () => {
      const pid = await folder.postmaster().catch(() => killed);
      if (pid === killed) return false;
      const locks = await queryDatabase(url, `select 1 from pg_locks where locktype = 'advisory'`).catch(
        () => [],
      );
      return locks.length > 0;
    });
    expect((await shop.pay()).status).toBe(201);
    expect(await server.stop()).toBe(0);
    expect(await folder.databaseProcesses()).toEqual([]);
  });
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'answers the request under way at %s, then exits with 0 and stops the database',
    async (signal) => {
      await running();
      const url = await databaseUrl();
      const reference = `under-way-${signal}`;
      const slow = shop.pay({ card: { holder_name: 'SIM-SLOW' }, reference });
      await until('the processor was asked', async () => {
        const [row] = await queryDatabase<{ n: number }>(
          url,
          `select count(*)::int as n from operations
         where tenant in (select tenant from tenants where account_id = $1) and state = 'intent'`,
          [shop.id],
        );
        return row?.n === 1;
      });
      const ended = server.stop(signal);
      const reply = await slow;
      expect(reply.status).toBe(201);
      expect(reply.body).toMatchObject({ status: 'succeeded', reference });
      expect(await ended).toBe(0);
      expect(await folder.databaseProcesses()).toEqual([]);
      await startAgain();
      await expectStillThere(reply);
    },
  );

  it('SIGTERM ends an idle server without the time that requests under way have, kept-alive connections or not', async () => {
    const { baseUrl } = await running();
    const { hostname, host, port } = new URL(baseUrl);
    // A connection that the client never closes, unlike those of `fetch`.
    const kept = connect({ host: hostname, port: Number(port) });
    cleanUp.add(() => void kept.destroy());
    kept.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const [answer] = (await once(kept, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i);
    const began = performance.now();
    expect(await server.stop('SIGTERM')).toBe(0);
    // The default of TILL_DRAIN_SECONDS.
    expect(performance.now() - began).toBeLessThan(25_000);
  });
});

describe('a stale pid file', () => {
  it('after server and database were killed does not prevent the next start', async () => {
    await running();
    const payment = await shop.pay({ reference: 'before-power-cut' });
    const postmaster = await folder.postmaster();
    await server.stop('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await startAgain();
    await expectStillThere(payment);
  });

  it('that names another living process does not prevent the next start', async () => {
    await running();
    const payment = await shop.pay({ reference: 'before-reboot' });
    const path = await folder.pidFile();
    const lines = (await readFile(path, 'utf8')).split('\n');
    await server.stop();
    await writeFile(path, [String(process.pid), ...lines.slice(1)].join('\n'));
    await startAgain();
    await expectStillThere(payment);
    expect(server.printed().out).not.toContain('sk_test_');
  });
});
