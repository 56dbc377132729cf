/** What a second merchant with a light load feels while the first one does its worst. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cleanup } from '../support/cleanup.ts';
import { post, type Shop, type Till } from '../support/till.ts';
import type { OverloadResult } from './overload-load.ts';
import { paidIn, type SteadyLoad, steadyLoad } from './steady-load.ts';

export interface Surroundings {
  readonly till: Till;
  readonly cleanup: Cleanup;
  /** Of the server. */
  readonly folder: string;
  /** Payments of the first merchant, at any rate. */
  readonly first: SteadyLoad;
  readonly capacity: number;
  readonly seconds: number;
}

/** Begins what the first merchant does. @returns ends it */
type Begin = (around: Surroundings) => Promise<() => Promise<unknown>>;

/** One key's own limit (`TILL_RATE_LIMIT_RPS`), which the bench turns off. */
const fullRate = 100;
const halfSent = 2_000;
const overdue = 205;
const tenYears = 10 * 365 * 86_400;
const settleMs = 3_000;

/** Takes connections and says nothing. */
async function blackHole(cleanup: Cleanup): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const overload =
  (times: number): Begin =>
  async ({ first, capacity, seconds }) => {
    const crowd = first({ connections: 640, perSecond: capacity * times, ms: (seconds + 2) * 1000 });
    return () => crowd;
  };

const ordinary: Begin = async ({ till, cleanup, seconds }) => {
  const shop = await till.openAccount('processor_a');
  const load = steadyLoad(shop, cleanup);
  const sent = load({ connections: 64, perSecond: fullRate, ms: (seconds + 2) * 1000 });
  return () => sent;
};

/** As many connections at any time, each with a request of which the last bytes never come. */
const halfSentBodies: Begin = async ({ till }) => {
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = () => {
    const socket = connect({ host: '127.0.0.1', port: till.port });
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('connect', () =>
      socket.write(
        'POST /checkout/csp-reports HTTP/1.1\r\nHost: till\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      ),
    );
    socket.on('close', () => {
      sockets.delete(socket);
      // Not at once: it is not the machine's number of new connections that is measured.
      if (!isOver) setTimeout(() => isOver || open(), 1_000).unref();
    });
    socket.resume();
  };
  for (let count = 0; count < halfSent; count += 1) open();
  return async () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
};

const hangingProcessor: Begin = async ({ till, cleanup, folder, seconds }) => {
  const shop = await till.openAccount('processor_a');
  const credentials = join(folder, 'credentials.json');
  await writeFile(
    credentials,
    JSON.stringify({
      api_key: 'AQE-nobody-reads-this',
      merchant_account: 'BenchECOM',
      hmac_key: 'ab'.repeat(32),
      notification_user: 'till',
      notification_password: 'a-long-password-for-notifications',
    }),
  );
  const upstream = `${await blackHole(cleanup)}/v71`;
  const from = ['--base-url', upstream, '--from', credentials, '--no-check'];
  await till.command('connections', 'set', '--account', shop.accountId, ...from);
  await delay(settleMs);
  const load = steadyLoad(shop, cleanup);
  const sent = load({ connections: 800, perSecond: fullRate, ms: (seconds + 2) * 1000 });
  return () => sent;
};

const clockAhead: Begin = async ({ till }) => {
  const shop = await till.openAccount('processor_b');
  const body = {
    amount: 4990,
    currency: 'EUR',
    payment_method: { type: 'processor_b' },
    success_url: 'https://shop.example/ok',
    failure_url: 'https://shop.example/failed',
  };
  await Promise.all(
    Array.from({ length: overdue }, () => post(shop, '/api/v1/payments', randomUUID(), body)),
  );
  // The answer may take as long as all that became due: only the second merchant is of interest.
  const moved = post(shop, '/api/v1/test_helpers/clock/advance', null, { seconds: tenYears }).catch(() => {});
  return () => moved;
};

const hangingEndpoints: Begin = async ({ till, cleanup, seconds }) => {
  const shop = await till.openAccount('processor_a');
  const url = await blackHole(cleanup);
  for (let count = 0; count < 16; count += 1) {
    await till.command('webhooks', 'create', '--account', shop.accountId, '--url', `${url}/${count}`);
  }
  const load = steadyLoad(shop, cleanup);
  const sent = load({ connections: 64, perSecond: fullRate, ms: (seconds + 2) * 1000 });
  return () => sent;
};

const scenarios = (times: number): readonly (readonly [name: string, begin: Begin])[] => [
  [`nothing unusual: ${fullRate} payments/s`, ordinary],
  [`${times} times the capacity`, overload(times)],
  [`${halfSent} half-sent requests without a key`, halfSentBodies],
  [`a processor that hangs, ${fullRate} payments/s`, hangingProcessor],
  [`${overdue} overdue payments, the sandbox's clock ten years ahead`, clockAhead],
  [`16 endpoints that hang, ${fullRate} payments/s`, hangingEndpoints],
];

const ms = (value: number) => value.toFixed(1);

function row(name: string, light: OverloadResult, during: OverloadResult): string {
  const ratio = (of: 'p50' | 'p99') => (during.admitted[of] / light.admitted[of]).toFixed(2);
  const cells = [
    name,
    `${ms(light.admitted.p50)} / ${ms(light.admitted.p99)}`,
    `${ms(during.admitted.p50)} / ${ms(during.admitted.p99)}`,
    `${ratio('p50')} / ${ratio('p99')}`,
    `${during.sent - paidIn(during)} of ${during.sent}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Measures each scenario against the light load just before it. @returns a table */
export async function measureSecondTenant(around: Surroundings, times: number): Promise<string> {
  const second: Shop = await around.till.openAccount('processor_a');
  const load = steadyLoad(second, around.cleanup);
  const light = { connections: 64, perSecond: around.capacity * 0.1, ms: around.seconds * 1000 };
  const lines = [
    "| the first merchant | second's p50 / p99 before, ms | meanwhile, ms | ratio | not served |",
    '|---|---|---|---|---|',
  ];
  await load({ ...light, ms: settleMs });
  for (const [name, begin] of scenarios(times)) {
    const before = await load(light);
    const end = await begin(around);
    const during = await load(light);
    await end();
    lines.push(row(name, before, during));
    await delay(settleMs);
  }
  return lines.join('\n');
}
