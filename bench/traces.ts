/**
 * Measures the cost of traces for creating payments. Alternates between two servers, one of which exports a share of its traces
 * to a collector that accepts everything. Run after `npm run build`:
 * `node --import tsx --conditions=source bench/traces.ts [--seconds N] [--rounds N]`. `TILL_BENCH_RATIO` sets the share; the
 * default is 0.01.
 */
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './support/cleanup.ts';
import type { GeneratorJob } from './support/generator.ts';
import { LoadProcess, type Round } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { createRequest } from './support/requests.ts';
import { runBench } from './support/run.ts';
import { median } from './support/statistics.ts';
import { removeFolder, startTill, type Till } from './support/till.ts';

const warmupMs = 1000;
/** Few enough that even a busy machine refuses no request. */
const maxConnections = 16;
/** The minimum throughput with 1 % of traces, relative to the throughput without traces. */
const goal = 0.95;

/** Starts a collector that accepts every export and counts its bytes. */
async function openCollector(cleanup: Cleanup) {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes };
}

async function openTill(settings: Readonly<Record<string, string>>, cleanup: Cleanup): Promise<Till> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  return startTill(folder, null, cleanup, undefined, settings);
}

/** The server's CPU seconds for each create. */
const cpuOf = ({ cpu, perSecond }: Round) => (cpu.server ?? Number.NaN) / perSecond;

async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const { rounds, seconds } = options;
  const connections = Math.min(options.connections, maxConnections);
  const collector = await openCollector(cleanup);
  const ratio = process.env.TILL_BENCH_RATIO ?? '0.01';
  const off = await openTill({}, cleanup);
  const on = await openTill(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: ratio,
    },
    cleanup,
  );
  const generator = new LoadProcess('support/generator.ts', cleanup);
  const run = async (till: Till, measureMs: number) => {
    const job: GeneratorJob = { ...createRequest(till), connections, warmupMs, measureMs };
    const roles = { server: till.pid, postmaster: till.postmaster };
    return generator.run(job, warmupMs + measureMs + 30_000, roles);
  };
  for (const till of [off, on]) {
    await run(till, warmupMs);
    await till.db.query('analyze');
  }
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The servers alternate in going first.
    const turns = round % 2 === 1 ? [off, on] : [on, off];
    const results = new Map<Till, Round>();
    for (const till of turns) results.set(till, await run(till, 1000 * seconds));
    const [without, withThem] = [results.get(off), results.get(on)];
    if (without === undefined || withThem === undefined) throw new Error('a server was not measured');
    ratios.push(withThem.perSecond / without.perSecond);
    cpuRatios.push(cpuOf(withThem) / cpuOf(without));
    console.error(
      `round ${round}: off ${Math.round(without.perSecond)}/s, on ${Math.round(withThem.perSecond)}/s; processor time of a create ${(1000 * cpuOf(without)).toFixed(2)} and ${(1000 * cpuOf(withThem)).toFixed(2)} ms`,
    );
  }
  console.log(
    `creates with ${Number(ratio) * 100} % of traces exported: ${(100 * median(ratios)).toFixed(1)} % of those without, median of ${rounds} (goal: ${100 * goal} %); processor time of the server for each ${(100 * (median(cpuRatios) - 1)).toFixed(1)} % more; ${collector.bytes()} bytes exported`,
  );
}

await runBench(bench);
