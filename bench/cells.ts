/**
 * Measures the cost of a second cell for creating payments, and the effect of a stalled cell on the other one. Alternates between
 * two servers, one of which has two cells on the same PostgreSQL. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/cells.ts [--seconds N] [--rounds N]`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Cleanup } from './support/cleanup.ts';
import type { GeneratorJob } from './support/generator.ts';
import { LoadProcess } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { createRequest } from './support/requests.ts';
import { runBench } from './support/run.ts';
import { median } from './support/statistics.ts';
import { removeFolder, type Shop, startTill, type Till } from './support/till.ts';

const warmupMs = 1000;
/** Connections to one cell at a time. With fewer, fewer payments share a commit, and each costs more. */
const connections = 8;
/** Connections for the measurement of maximum latencies. With more, requests would wait for the CPU in any case. */
const calmConnections = 2;
/** The number of clients of the stalled cell. */
const stuckClients = 32;

async function openTill(cleanup: Cleanup): Promise<Till> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  return startTill(folder, null, cleanup);
}

/** Adds a cell on the same PostgreSQL. @returns an account in it, and the cell's database */
async function addCell(till: Till, cleanup: Cleanup): Promise<{ shop: Shop; db: pg.Client }> {
  await till.db.query('create database east');
  const url = till.databaseUrl.replace(/\/[^/?]*(\?|$)/, '/east$1');
  await till.command('cells', 'add', 'east', '--url', url);
  const words = ['--name', 'Bench', '--processor', 'processor_a', '--cell', 'east'];
  const account = await till.command<{ id: string; secret_key: string }>('accounts', 'create', ...words);
  const shop = { port: till.port, accountId: account.id, secretKey: account.secret_key };
  const db = new pg.Client({ connectionString: url });
  db.on('error', () => {});
  await db.connect();
  cleanup.add(() => db.end());
  while ((await ask(shop)) !== 201) await new Promise((resolve) => setTimeout(resolve, 100));
  return { shop, db };
}

/** Creates one payment. @returns the HTTP status */
async function ask({ port, secretKey }: Shop): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secretKey}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({
      amount: 4990,
      currency: 'EUR',
      payment_method: {
        type: 'card',
        number: '4111111111111111',
        exp_month: 3,
        exp_year: 2032,
        cvc: '737',
        holder_name: 'Jane Smith',
      },
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
    }),
  });
  await answer.text();
  return answer.status;
}

/** Stalls a cell with a table lock, and starts many clients of it. @returns a function that ends this and counts the statuses */
async function stallCell(shop: Shop, db: pg.Client): Promise<() => Promise<ReadonlyMap<number, number>>> {
  await db.query('begin');
  await db.query('lock table operations in access exclusive mode');
  const statuses = new Map<number, number>();
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const status = await ask(shop);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  const running = Array.from({ length: stuckClients }, client);
  // Wait until the clients have taken every place of the cell.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return async () => {
    stopped = true;
    await db.query('rollback');
    await Promise.all(running);
    return statuses;
  };
}

interface Measured {
  readonly perSecond: number;
  readonly costMs: number;
}

const mean = (first: Measured, second: Measured): Measured => ({
  perSecond: (first.perSecond + second.perSecond) / 2,
  costMs: (first.costMs + second.costMs) / 2,
});

async function bench({ rounds, seconds }: Options, cleanup: Cleanup): Promise<void> {
  const one = await openTill(cleanup);
  const two = await openTill(cleanup);
  const east = await addCell(two, cleanup);
  const generator = new LoadProcess('support/generator.ts', cleanup);
  const run = async (till: Till, shop: Shop, clients = connections) => {
    const measureMs = 1000 * seconds;
    const job: GeneratorJob = { ...createRequest(shop), connections: clients, warmupMs, measureMs };
    const roles = { server: till.pid, postmaster: till.postmaster };
    const { perSecond, cpu, p99 } = await generator.run(job, warmupMs + measureMs + 30_000, roles);
    const cores = (cpu.server ?? Number.NaN) + (cpu.postgres ?? Number.NaN);
    return { perSecond, costMs: (1000 * cores) / perSecond, p99 };
  };
  for (const [till, shop] of [[one, one] as const, [two, two] as const, [two, east.shop] as const]) {
    await run(till, shop);
  }
  const costs: number[] = [];
  const tails: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The second half runs in reverse order, so that a change of the machine's speed affects all of them alike.
    const [one1, home1, east1, east2, home2, one2] = [
      await run(one, one),
      await run(two, two),
      await run(two, east.shop),
      await run(two, east.shop),
      await run(two, two),
      await run(one, one),
    ];
    const calm = await run(two, two, calmConnections);
    const end = await stallCell(east.shop, east.db);
    const beside = await run(two, two, calmConnections);
    const statuses = await end();
    const [alone, home, other] = [mean(one1, one2), mean(home1, home2), mean(east1, east2)];
    costs.push((home.costMs + other.costMs) / 2 / alone.costMs);
    tails.push(beside.p99 / calm.p99);
    const figures = [alone, home, other].map(
      ({ perSecond, costMs }) => `${Math.round(perSecond)}/s, ${costMs.toFixed(2)} ms each`,
    );
    console.error(
      `round ${round}: one cell ${figures[0]}; two: home ${figures[1]}, the other ${figures[2]}; p99 at home ${calm.p99.toFixed(1)} ms, beside one that stands still ${beside.p99.toFixed(1)} ms (its clients: ${JSON.stringify([...statuses])})`,
    );
  }
  console.log(
    `processor time of a create in one of two cells: ${(100 * median(costs)).toFixed(1)} % of that in the only one, median of ${rounds} (goal: 105 %); p99 beside a cell that stands still: ${(100 * median(tails)).toFixed(0)} % of that without`,
  );
}

await runBench(bench);
