import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { endDatabase } from '../../tests/support/end-database.ts';
import { commandJson } from '../../tests/support/server.ts';
import { Cleanup } from './cleanup.ts';
import { parentOf } from './cpu.ts';

const program = fileURLToPath(new URL('../../packages/server/bin/till.js', import.meta.url));
/** The script that `npm start` runs. */
const script = fileURLToPath(new URL('../../till', import.meta.url));
const stopMs = 30_000;

export interface Till extends Shop {
  readonly pid: number;
  readonly postmaster: number;
  readonly databaseUrl: string;
  readonly postgresVersion: string;
  /** A connection to count rows; idle during measurements. */
  readonly db: pg.Client;
  /** The server's environment, for commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a `till` command with the server's environment. */
  readonly command: <T>(...parameters: string[]) => Promise<T>;
  /** Opens another sandbox account. */
  readonly openAccount: (processor: 'processor_a' | 'processor_b') => Promise<Shop>;
}

/** An account that sends requests. */
export interface Shop {
  readonly port: number;
  readonly accountId: string;
  readonly secretKey: string;
}

/** The settings of `npm start`, but without a rate limit: one client stands for all merchants. */
function settings(dataDir: string) {
  return {
    PORT: '0',
    TILL_DATA_DIR: dataDir,
    TILL_METRICS_ADDR: 'off',
    TILL_LOG_LEVEL: 'info',
    TILL_RATE_LIMIT_RPS: '0',
    TILL_DRAIN_SECONDS: '5',
  };
}

/**
 * Starts the built server on a separate database, and opens an account on processor_a.
 * @param setting SQL that takes effect when the database starts: it is executed, and the server is restarted
 * @param more further settings of the server
 */
export async function startTill(
  folder: string,
  profileFolder: string | null,
  cleanup: Cleanup,
  setting?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Till> {
  const dataDir = join(folder, 'data');
  const environment = { ...settings(dataDir), ...more };
  cleanup.add(() => endDatabase(dataDir));
  if (setting !== undefined) await runAndStop(environment, folder, setting);
  const { pid, baseUrl } = await startProcess(environment, folder, profileFolder, cleanup);
  const { url } = await commandJson<{ url: string }>(environment, ['db', 'url']);
  const port = Number(new URL(baseUrl).port);
  const openAccount = async (processor: 'processor_a' | 'processor_b'): Promise<Shop> => {
    const options = ['--name', 'Bench', '--processor', processor];
    const account = await commandJson<{ id: string; secret_key: string }>(environment, [
      'accounts',
      'create',
      ...options,
    ]);
    return { port, accountId: account.id, secretKey: account.secret_key };
  };
  const shop = await openAccount('processor_a');
  const db = new pg.Client({ connectionString: url });
  db.on('error', () => {});
  await db.connect();
  cleanup.add(() => db.end());
  const { rows } = await db.query<{ pid: number; version: string; fsync: string }>(
    `select pg_backend_pid() as pid, current_setting('server_version') as version, current_setting('fsync') as fsync`,
  );
  const [row] = rows;
  if (row?.fsync !== 'on') throw new Error('PostgreSQL runs without fsync: nothing measured on it counts');
  return {
    ...shop,
    environment,
    command: (...parameters) => commandJson(environment, parameters),
    openAccount,
    pid,
    postmaster: parentOf(row.pid) ?? 0,
    databaseUrl: url,
    postgresVersion: row.version,
    db,
  };
}

async function runAndStop(environment: Till['environment'], folder: string, sql: string): Promise<void> {
  const cleanup = new Cleanup();
  try {
    await startProcess(environment, folder, null, cleanup);
    const { url } = await commandJson<{ url: string }>(environment, ['db', 'url']);
    const db = new pg.Client({ connectionString: url });
    await db.connect();
    cleanup.add(() => db.end());
    await db.query(sql);
  } finally {
    await cleanup.run();
  }
}

async function startProcess(
  environment: Readonly<Record<string, string>>,
  folder: string,
  profileFolder: string | null,
  cleanup: Cleanup,
): Promise<{ pid: number; baseUrl: string }> {
  const own = /^(TILL_|OTEL_|HOST$|BASE_URL$|DATABASE_URL$|TRUST_PROXY$|NODE_OPTIONS$|NODE_ENV$)/;
  const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
  if (profileFolder !== null) await mkdir(profileFolder, { recursive: true });
  const [command, ...parameters] =
    profileFolder === null
      ? [script, 'serve']
      : [process.execPath, '--cpu-prof', '--cpu-prof-dir', profileFolder, program, 'serve'];
  const log = await open(join(folder, 'till.log'), 'w');
  const child = spawn(command, parameters, {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', log.fd],
    // In a separate process group, so that Ctrl-C does not reach the server before the clean-up stops it.
    detached: true,
  });
  const ended: Promise<unknown[]> = once(child, 'exit');
  await log.close();
  cleanup.add(async () => {
    child.kill('SIGTERM');
    const slow = delay(stopMs, 'slow' as const, { ref: false });
    if ((await Promise.race([ended, slow])) === 'slow') child.kill('SIGKILL');
    await ended;
  });
  if (child.stdout === null) throw new Error('the server has no standard output');
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const url = /^ready on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const baseUrl = await Promise.race([ready, ended.then(([code]) => Promise.reject(startFailed(code)))]);
  return { pid: child.pid ?? 0, baseUrl };
}

const startFailed = (code: unknown) =>
  new Error(`the server ended with ${String(code)}; run npm start to see why`);

/** The body of a typical card payment. The reference differs for each payment. */
export const paymentBody = (value: string) =>
  JSON.stringify({
    amount: 4990,
    currency: 'EUR',
    reference: `order-${value}`,
    payment_method: {
      type: 'card',
      number: '4111111111111111',
      exp_month: 3,
      exp_year: new Date().getUTCFullYear() + 4,
      cvc: '737',
      holder_name: 'Jane Smith',
    },
    success_url: 'https://shop.example/ok',
    failure_url: 'https://shop.example/failed',
  });

/** The part of the request that a payment's row stores. */
export function keptRequest(): string {
  const { payment_method: method, ...rest } = JSON.parse(paymentBody('')) as {
    payment_method: Record<string, unknown>;
  };
  const { number: _number, cvc: _cvc, ...kept } = method;
  const client = { ip: '127.0.0.1', userAgent: null, accept: null };
  return JSON.stringify({ ...rest, payment_method: kept, client });
}

/** Sends a request as the shop. Rejects unless the response is a success. @param key idempotency key; null for none */
export async function post<Answer>(
  shop: Shop,
  path: string,
  key: string | null,
  body: object,
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${shop.port}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${shop.secretKey}`,
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

export interface Seed {
  readonly keys: string[];
  readonly ids: string[];
  /** A payment's response and its event, as JSON. */
  readonly answer: string;
  readonly event: string;
  /** The first page of 20 of the list. */
  readonly list: string;
}

/** Creates the payments for reads and repeated requests. */
export async function seedPayments(till: Till, count: number): Promise<Seed> {
  const keys = Array.from({ length: count }, () => randomUUID() as string);
  const ids: string[] = [];
  let answer = '';
  const queue = [...keys];
  const worker = async () => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      answer = await call(till, '/api/v1/payments', key);
      ids.push((JSON.parse(answer) as { id: string }).id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const page = JSON.parse(await call(till, '/api/v1/events?per_page=1')) as { data: object[] };
  const list = await call(till, '/api/v1/payments?per_page=20');
  return { keys, ids, answer, event: JSON.stringify(page.data[0]), list };
}

async function call(till: Shop, path: string, key?: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${till.port}${path}`, {
    headers: {
      authorization: `Bearer ${till.secretKey}`,
      ...(key === undefined ? {} : { 'idempotency-key': key, 'content-type': 'application/json' }),
    },
    ...(key === undefined ? {} : { method: 'POST', body: paymentBody(key) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (response.status !== (key === undefined ? 200 : 201)) {
    throw new Error(`${path} answered ${response.status}: ${text}`);
  }
  return text;
}

/** Counts the settled payments, and the charges in the simulated processor's ledger. */
export async function countWritten(till: Till): Promise<{ payments: number; charges: number }> {
  const { rows } = await till.db.query<{ payments: number; charges: number }>(
    `with own as (select p.id, p.status from payments p join tenants t using (tenant) where t.account_id = $1)
     select (select count(*)::int from own where status = 'succeeded') as payments,
       (select count(*)::int from sandbox.charges where reference in (select id from own)) as charges`,
    [till.accountId],
  );
  return rows[0] ?? { payments: 0, charges: 0 };
}

/** Counts the settled payments of an account. */
export async function countSettled(till: Till, { accountId }: Shop): Promise<number> {
  const { rows } = await till.db.query<{ payments: number }>(
    `select count(*)::int as payments from payments p join tenants t using (tenant)
     where t.account_id = $1 and p.status = 'succeeded'`,
    [accountId],
  );
  return rows[0]?.payments ?? 0;
}

/** Removes a folder. Retries, since a server that is ending may still write into it. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
