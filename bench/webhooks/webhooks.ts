/**
 * Measures the sending of webhooks compared with a sender without a database. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/webhooks/webhooks.ts [--quick] [--prof FOLDER]`.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Tenant } from '../../packages/server/src/store/tenant.ts';
import { Cleanup } from '../support/cleanup.ts';
import { LoadProcess, type Round } from '../support/load-process.ts';
import { compare, formatReport, reportJson, toFigure } from '../support/report.ts';
import { removeFolder, seedPayments, startTill } from '../support/till.ts';
import { lag, lagUnderFullLoad } from './webhooks-lag.ts';
import { residentBytes, World } from './webhooks-world.ts';

const endpoints = 1000;
const senderMs = 5000;
const megabyte = 2 ** 20;

interface Sizes {
  readonly rounds: number;
  readonly perRound: number;
  readonly backlog: number;
  readonly payments: number;
}

const full: Sizes = { rounds: 3, perRound: 20_000, backlog: 100_000, payments: 5000 };
const quick: Sizes = { rounds: 1, perRound: 5000, backlog: 20_000, payments: 1000 };

/** Measures deliveries per second from a backlog, alternating with the sender that needs no database. */
async function throughput(world: World, event: string, sizes: Sizes, cleanup: Cleanup) {
  const many = await world.openAccounts(endpoints);
  const one = many.slice(0, 1);
  const sender = new LoadProcess('webhooks/webhooks-sender.ts', cleanup);
  const rounds: Record<'many' | 'one' | 'bare', Round[]> = { many: [], one: [], bare: [] };
  const measure = async (accounts: readonly Tenant[], events: number): Promise<Round> => {
    await world.fill(accounts, events);
    const { perSecond, cpu } = await world.drain(events);
    return { perSecond, p50: Number.NaN, p99: Number.NaN, cpu };
  };
  // Warms up the JIT compiler before the measurement.
  await measure(many, 2000);
  for (let round = 1; round <= sizes.rounds; round += 1) {
    rounds.many.push(await measure(many, sizes.perRound));
    rounds.one.push(await measure(one, sizes.perRound / 2));
    const job = { url: `http://127.0.0.1:${world.receivers.port}/`, body: event, atOnce: 128 };
    rounds.bare.push(
      await sender.run({ ...job, warmupMs: 1000, measureMs: senderMs }, senderMs + 30_000, {
        server: world.receivers.pid,
      }),
    );
    const speeds = Object.values(rounds).map((all) => Math.round(all.at(-1)?.perSecond ?? 0));
    console.error(`round ${round}: ${speeds.join(', ')}`);
  }
  return { many, rounds };
}

/** Measures the speed and the memory of sending a backlog, as after a long outage. */
async function backlog(world: World, accounts: readonly Tenant[], deliveries: number) {
  await world.fill(accounts, deliveries);
  const before = residentBytes(world.till.pid);
  const { perSecond, maxBytes } = await world.drain(deliveries);
  const mb = (bytes: number) => Math.round(bytes / megabyte);
  return { deliveries, perSecond: Math.round(perSecond), beforeMb: mb(before), maxMb: mb(maxBytes) };
}

async function bench(sizes: Sizes, profileFolder: string | null, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const till = await startTill(folder, profileFolder, cleanup);
  const seed = await seedPayments(till, 50);
  const world = await World.open(till, folder, seed.answer, cleanup);

  const { many, rounds } = await throughput(world, seed.event, sizes, cleanup);
  const figures = [
    toFigure(`deliveries from a backlog, ${endpoints} endpoints`, rounds.many),
    toFigure('deliveries from a backlog, one endpoint', rounds.one),
    toFigure('sender without a database (its receiver as server)', rounds.bare),
  ];
  const targets = { today: 0.32, first: 0.5, goal: 0.7 };
  const comparisons = [compare('deliveries ÷ sender without a database', rounds.many, rounds.bare, targets)];
  const report = {
    postgresVersion: till.postgresVersion,
    seconds: senderMs / 1000,
    rounds: sizes.rounds,
    connections: 128,
    figures,
    comparisons,
  };
  console.log(formatReport(report));
  console.log('backlog', await backlog(world, many, sizes.backlog));

  await world.addEndpoint(till.accountId, world.receivers.port);
  const busy = await lagUnderFullLoad(world, sizes.payments, cleanup);
  for (let count = 1; count < 9; count += 1) await world.addEndpoint(till.accountId, world.receivers.port);
  const alone = await lag(world, 'nine-healthy', 9, sizes.payments, 50);
  await world.addEndpoint(till.accountId, world.receivers.deadPort);
  const beside = await lag(world, 'nine-healthy-one-dead', 9, sizes.payments, 50);
  console.table([busy, alone, beside]);
  console.log('deliveries by state', await world.states());
  console.log(reportJson(report));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, prof: { type: 'string' } },
  });
  const cleanup = new Cleanup();
  cleanup.onAbruptEnd();
  try {
    await bench(
      values.quick ? quick : full,
      values.prof === undefined ? null : path.resolve(values.prof),
      cleanup,
    );
  } finally {
    await cleanup.run();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
