import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { createMigratedTemplate } from '../../packages/server/src/store/migrations/test-migrated.ts';
import { bundleServerProcess } from '../crash/bundle.ts';
import { counterNames, countFindings } from '../crash/counters.ts';
import { Fleet } from '../crash/fleet.ts';
import { Random } from '../crash/random.ts';
import { endLoad, Load } from '../crash/rounds/load.ts';
import { openPool } from '../crash/world.ts';
import { CleanUp } from '../support/clean-up.ts';
import { startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Blow, planBlows } from './blows.ts';
import { Cluster, whyNot } from './cluster.ts';
import { SteadyPayments } from './payments.ts';

const firstPort = 17_430;
const clients = 6;
const timeoutMs = 20_000;

/** Opens two Till servers on the cluster. Processors, receivers and clients run in this process. */
function openFleetOn(cleanUp: CleanUp, cluster: Cluster, script: string, dataDir: string): Promise<Fleet> {
  return Fleet.open(cleanUp, {
    async start(settings) {
      const server = await startServer(
        { DATABASE_URL: cluster.url, TILL_DATA_DIR: dataDir, ...settings },
        script,
      );
      cleanUp.add(() => server.stop('SIGKILL'));
      return server;
    },
    connect: async () => openPool(cluster.url),
    processorTimeoutMs: timeoutMs,
  });
}

/** Counts the log lines by message. */
export function countMessages(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const line of lines.filter((one) => one !== '')) {
    const { msg, error = '' } = JSON.parse(line) as { msg: string; error?: string };
    const text = msg === 'the database is away' ? msg : `${msg} ${error}`.trim();
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts.size === 0 ? 'nothing' : [...counts].map(([text, count]) => `${count} x ${text}`).join(', ');
}

/** Injects one fault, and waits until payments have succeeded again for a while. @returns the problems found */
async function strike(
  blow: Blow,
  { cluster, payments, fleet }: { cluster: Cluster; payments: SteadyPayments; fleet: Fleet },
  print: (line: string) => void,
): Promise<string[]> {
  await cluster.isWhole();
  const lines = () => fleet.servers.map((server) => server.printed().err.trimEnd().split('\n'));
  const before = lines().map(({ length }) => length);
  await pause(2_000);
  const began = performance.now();
  await blow.strike(cluster);
  // Waits longer than Patroni's `ttl`, so that late effects are noticed too.
  await pause(blow.withinSeconds * 800 + 4_000);
  const problems = await blow.repair(cluster);
  await cluster.isWhole();
  await until('payments go on', async () => payments.silence < 1, 60_000);
  const gap = payments.longestGapSince(began);
  const logged = countMessages(lines().flatMap((all, server) => all.slice(before[server])));
  print(
    `${blow.name}: payments went on after ${gap.toFixed(1)} s (at most ${blow.withinSeconds}); logged: ${logged}`,
  );
  if (gap > blow.withinSeconds) problems.push(`payments stood still for ${gap.toFixed(1)} s`);
  return problems.map((problem) => `${blow.name}: ${problem}`);
}

/** Finds the acknowledged payments that are not succeeded on the leader. @returns their ids */
async function missingOf(fleet: Fleet, ids: readonly string[]): Promise<string[]> {
  const rows = await fleet.place.db.query<{ id: string }>({
    text: `select id from unnest($1::text[]) asked (id)
           where not exists (select from payments p where p.id = asked.id and p.status = 'succeeded')`,
    values: [ids],
    scope: 'everybody',
  });
  return rows.map(({ id }) => id);
}

async function keepLogs(into: string, cluster: Cluster, { servers }: Fleet): Promise<void> {
  await cluster.keepLogs(into);
  for (const [index, server] of servers.entries()) {
    await writeFile(join(into, `till${index + 1}.log`), server.printed().err);
  }
}

interface RunOptions {
  readonly seed: number;
  /** Part of the names of the faults to inject; absent for all. */
  readonly only: string | undefined;
  /** The folder that receives all logs, to diagnose a failed run; absent if they are not stored. */
  readonly logs: string | undefined;
}

/** Injects every fault once, during one load. @returns the number of problems */
async function runFailover({ seed, only, logs }: RunOptions, print: (line: string) => void): Promise<number> {
  const cleanUp = new CleanUp();
  try {
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const script = await bundleServerProcess(cleanUp);
    const cluster = await Cluster.start(cleanUp, firstPort);
    const fleet = await openFleetOn(cleanUp, cluster, script, folder.path);
    await fleet.start();
    if (logs !== undefined) cleanUp.add(() => keepLogs(logs, cluster, fleet));
    const random = new Random(seed);
    const load = new Load(fleet, random, clients, { isPatient: true });
    const payments = new SteadyPayments(fleet, fleet.shopOf('processor_b'));
    const problems: string[] = [];
    for (const blow of planBlows().filter(({ name }) => only === undefined || name.includes(only))) {
      problems.push(...(await strike(blow, { cluster, payments, fleet }, print)));
    }
    await payments.stop();
    const { findings, flows } = await endLoad(fleet, load);
    const missing = await missingOf(fleet, payments.acknowledged);
    if (missing.length > 0) problems.push(`not on the leader: ${missing.join(', ')}`);
    const counters = countFindings(findings);
    const refused = [...payments.refused].map(([status, count]) => `${count} x ${status}`).join(', ');
    print(
      `${payments.acknowledged.length} steady payments acknowledged, ${missing.length} of them missing; refused: ${refused}`,
    );
    print(`${flows} flows: ${counterNames.map((name) => `${name} ${counters[name]}`).join(', ')}`);
    for (const { counter, detail } of findings) print(`    ${counter}: ${detail}`);
    for (const problem of problems) print(`    ${problem}`);
    return findings.length + problems.length;
  } finally {
    await cleanUp.run();
  }
}

async function main(): Promise<void> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const reason = whyNot();
  if (reason !== null) return print(`skipped: ${reason}`);
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { seed: text, only: text, logs: text } });
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  print(`seed ${seed}`);
  const folder = await temporaryFolder();
  // A separate database for the simulators' ledger, which no fault may affect.
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path });
  process.env.TILL_TEST_DATABASE_URL = postgres.url;
  await createMigratedTemplate(postgres.url);
  try {
    process.exitCode =
      (await runFailover({ seed, only: values.only, logs: values.logs }, print)) === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
    await folder.remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
