/** Measures the latency of a second merchant with a light load while the first merchant abuses the server. */
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
  /** The data folder of the server. */
  readonly folder: string;
  /** Creates payments of the first merchant. */
  readonly first: SteadyLoad;
  readonly capacity: number;
  readonly seconds: number;
}

/** Starts the first merchant's load. @returns a function that ends it */
type Begin = (around: Surroundings) => Promise<() => Promise<unknown>>;

/** The default rate limit of one key (`TILL_RATE_LIMIT_RPS`), which the benchmark disables. */
const fullRate = 100;
const halfSent = 2_000;
const overdue = 205;
const tenYears = 10 * 365 * 86_400;
const settleMs = 3_000;
/** The rounds, which alternate between light load and the scenario, because a machine's speed changes from minute to minute. */
const rounds = 3;

/** Starts a server that accepts connections and never responds. */
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

/** Keeps a constant number of connections open, each with a request whose last bytes are never sent. */
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
      // A delay, because the rate of new connections is not what this scenario measures.
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
  // The response may take as long as all the due work. It is not awaited: only the second merchant is measured.
  const moved = post(shop, '/api/v1/test_helpers/clock/advance', null, { seconds: tenYears }).catch(() => {});
  return () => moved;
};

const hangingEndpoints: Begin = async ({ till, cleanup, seconds }) => {
  const shop = await till.openAccount('processor_a');
  const url = await blackHole(cleanup);
  const endpoints: string[] = [];
  for (let count = 0; count < 16; count += 1) {
    const place = ['--account', shop.accountId, '--url', `${url}/${count}`];
    endpoints.push((await till.command<{ id: string }>('webhooks', 'create', ...place)).id);
  }
  const load = steadyLoad(shop, cleanup);
  const sent = load({ connections: 64, perSecond: fullRate, ms: (seconds + 2) * 1000 });
  return async () => {
    await sent;
    // Otherwise their pending deliveries would be retried during the next rounds.
    for (const id of endpoints) await till.command('webhooks', 'delete', id);
  };
};

interface Scenario {
  readonly name: string;
  readonly begin: Begin;
  /** The first merchant's load in the comparison; absent if there is none. */
  readonly instead?: Begin;
}

const scenarios = (times: number): readonly Scenario[] => [
  { name: `nothing unusual: ${fullRate} payments/s`, begin: ordinary },
  { name: `${times} times the capacity`, begin: overload(times), instead: ordinary },
  { name: `${halfSent} half-sent requests without a key`, begin: halfSentBodies },
  { name: `a processor that hangs, ${fullRate} payments/s`, begin: hangingProcessor, instead: ordinary },
  { name: `${overdue} overdue payments, the sandbox's clock ten years ahead`, begin: clockAhead },
  { name: `16 endpoints that hang, ${fullRate} payments/s`, begin: hangingEndpoints, instead: ordinary },
];

/** The latencies of the second merchant under one load. */
interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly sent: number;
  readonly notServed: number;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

const felt = (results: readonly OverloadResult[]): Latencies => ({
  p50: median(results.map(({ admitted }) => admitted.p50)),
  p99: median(results.map(({ admitted }) => admitted.p99)),
  sent: sum(results.map(({ sent }) => sent)),
  notServed: sum(results.map((result) => result.sent - paidIn(result))),
});

function row(name: string, light: Latencies, during: Latencies): string {
  const times = ({ p50, p99 }: Latencies) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
  const cells = [
    name,
    times(light),
    times(during),
    `${(during.p50 / light.p50).toFixed(2)} / ${(during.p99 / light.p99).toFixed(2)}`,
    `${during.notServed} of ${during.sent}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * Measures each scenario alternately with light load, in which the first merchant sends as many ordinary payments as in the
 * scenario, or none.
 * @param words part of the names of the scenarios to run; '' for all
 * @returns a table with the medians of the rounds
 */
export async function measureSecondTenant(
  around: Surroundings,
  times: number,
  words: string,
): Promise<string> {
  const second: Shop = await around.till.openAccount('processor_a');
  const load = steadyLoad(second, around.cleanup);
  const tenth = { connections: 64, perSecond: around.capacity * 0.1, ms: around.seconds * 1000 };
  const beside = async (begin: Begin = async () => async () => {}) => {
    const end = await begin(around);
    const result = await load(tenth);
    await end();
    await delay(settleMs);
    return result;
  };
  const lines = [
    "| the first merchant | second's p50 / p99 in light load, ms | meanwhile, ms | ratio | not served |",
    '|---|---|---|---|---|',
  ];
  await load({ ...tenth, ms: settleMs });
  for (const { name, begin, instead } of scenarios(times)) {
    if (!name.includes(words)) continue;
    const light: OverloadResult[] = [];
    const during: OverloadResult[] = [];
    for (let round = 0; round < rounds; round += 1) {
      light.push(await beside(instead));
      during.push(await beside(begin));
    }
    lines.push(row(name, felt(light), felt(during)));
  }
  return lines.join('\n');
}
