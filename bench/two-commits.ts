import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from './support/cleanup.ts';
import { measureCpu } from './support/cpu.ts';
import { LoadProcess, type Round } from './support/load-process.ts';
import { percentiles } from './support/statistics.ts';
import type { Seed, Till } from './support/till.ts';
import type { TwoCommitsJob } from './two-commits-load.ts';

export interface TwoCommits {
  /** The name of the program that runs it, for the table. */
  readonly label: string;
  readonly round: (warmupMs: number, measureMs: number) => Promise<Round>;
}

export interface TwoCommitsDependencies {
  readonly till: Till;
  readonly folder: string;
  readonly connections: number;
  /** The stored part of a request body, without card number and security code. */
  readonly request: string;
  readonly seed: Seed;
  readonly cleanup: Cleanup;
}

const script = `select payment, idem_key from two_commits.begin_payment(:request) \\gset
select two_commits.settle_payment(:payment, :idem_key, :event, :answer);
`;

/** Creates the baseline's tables in the server's database, and finds the program that produces the load. */
export async function prepareTwoCommits(deps: TwoCommitsDependencies): Promise<TwoCommits> {
  await deps.till.db.query(await readFile(new URL('two-commits.sql', import.meta.url), 'utf8'));
  await deps.till.db.query('set search_path = public');
  const program = findPgbench();
  if (program === undefined) return throughDriver(deps);
  const clients = Math.min(deps.connections, await freeConnections(deps.till));
  await writeFile(join(deps.folder, 'two-commits.pgbench'), script);
  return {
    label: `pgbench, two commits, ${clients} clients`,
    round: (warmupMs, measureMs) => runPgbench(deps, { program, clients, warmupMs, measureMs }),
  };
}

function findPgbench(): string | undefined {
  let versions: string[] = [];
  try {
    versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  } catch {
    // The folder exists only in Debian's layout.
  }
  const places = [...versions.map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`), 'pgbench'];
  return places.find((place) => spawnSync(place, ['--version'], { timeout: 5000 }).status === 0);
}

async function freeConnections(till: Till): Promise<number> {
  const { rows } = await till.db.query<{ free: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - (select count(*) from pg_stat_activity where backend_type = 'client backend')::int - 5 as free`,
  );
  return rows[0]?.free ?? 0;
}

interface PgbenchRun {
  readonly program: string;
  readonly clients: number;
  readonly warmupMs: number;
  readonly measureMs: number;
}

async function runPgbench(deps: TwoCommitsDependencies, run: PgbenchRun): Promise<Round> {
  const { till, folder, seed, cleanup } = deps;
  const { warmupMs, measureMs } = run;
  const url = new URL(till.databaseUrl.replace('@/', '@localhost/'));
  // One second longer than measured: the first line of the log marks the start, and it is written late.
  const seconds = Math.ceil((warmupMs + measureMs) / 1000) + 1;
  const flags = `-n -M prepared -c ${run.clients} -j 1 -T ${seconds} -l`.split(' ');
  const variables = { request: deps.request, event: seed.event, answer: seed.answer };
  const child = spawn(
    run.program,
    [
      ...flags,
      ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
      `--log-prefix=${join(folder, 'transactions')}`,
      '-f',
      join(folder, 'two-commits.pgbench'),
    ],
    {
      env: {
        PATH: process.env.PATH ?? '',
        PGHOST: url.searchParams.get('host') ?? url.hostname,
        PGPORT: url.port === '' ? '5432' : url.port,
        PGUSER: decodeURIComponent(url.username),
        PGPASSWORD: decodeURIComponent(url.password),
        PGDATABASE: url.pathname.slice(1),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: warmupMs + measureMs + 60_000,
    },
  );
  cleanup.add(() => void child.kill('SIGKILL'));
  const cpu = measureDuring(child, till.postmaster, warmupMs, measureMs);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pgbench ended with ${String(code)}: ${printed}`);
  return { ...(await readTransactions(folder, warmupMs, measureMs)), cpu: await cpu };
}

/** Measures the CPU during the load, but not during the first half second, in which connections are opened. */
async function measureDuring(child: ChildProcess, postmaster: number, warmupMs: number, measureMs: number) {
  const { pid } = child;
  const roles = { postmaster, ...(pid === undefined ? {} : { generator: pid }) };
  await pause(warmupMs + 500);
  const end = measureCpu(roles);
  await pause(measureMs - 500);
  return end();
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Counts the transactions in pgbench's own log, so that warm-up and measured window are the same as for Till. */
async function readTransactions(folder: string, warmupMs: number, measureMs: number) {
  const names = (await readdir(folder)).filter((name) => name.startsWith('transactions.'));
  const latencies: number[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const lines = (await readFile(path, 'latin1')).trimEnd().split('\n');
    await rm(path);
    // The columns are client, transaction, duration in microseconds, script, second and microsecond of the end.
    const rows = lines.map((line) => line.split(' ').map(Number));
    const endOf = (row: readonly number[] | undefined) => (row?.[4] ?? 0) * 1000 + (row?.[5] ?? 0) / 1000;
    const from = endOf(rows[0]) + warmupMs;
    for (const row of rows) {
      if (endOf(row) >= from && endOf(row) < from + measureMs) latencies.push((row[2] ?? 0) / 1000);
    }
  }
  if (latencies.length === 0) throw new Error('pgbench logged no transaction in the measured time');
  return { perSecond: latencies.length / (measureMs / 1000), ...percentiles(latencies) };
}

function throughDriver({ till, connections, request, seed, cleanup }: TwoCommitsDependencies): TwoCommits {
  const load = new LoadProcess('two-commits-load.ts', cleanup);
  const poolSize = 16;
  return {
    label: `pg driver, two commits, ${connections} loops on ${poolSize} connections (no pgbench here)`,
    round(warmupMs, measureMs) {
      const job: TwoCommitsJob = {
        url: till.databaseUrl,
        loops: connections,
        poolSize,
        warmupMs,
        measureMs,
        request,
        event: seed.event,
        answer: seed.answer,
      };
      return load.run(job, warmupMs + measureMs + 30_000, { postmaster: till.postmaster });
    },
  };
}
