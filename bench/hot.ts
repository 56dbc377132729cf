/**
 * Measures the throughput of the hot path compared with its baselines, its latency at half load, and memory. Run after
 * `npm run build`: `node --import tsx --conditions=source bench/hot.ts [--seconds N] [--rounds N]`.
 */
import { fork } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { halfLoadLine, openLoad, paidIn, steadyLoad } from './overload/steady-load.ts';
import type { Cleanup } from './support/cleanup.ts';
import { untilQuiet } from './support/cpu.ts';
import type { GeneratorJob } from './support/generator.ts';
import { LoadProcess, type LoadResult, type Round } from './support/load-process.ts';
import type { Options } from './support/options.ts';
import { openOutsideAccount } from './support/outside-processor.ts';
import { compare, type Figure, formatReport, reportJson, toFigure } from './support/report.ts';
import {
  bareRequests,
  besideBare,
  type Course,
  createRequest,
  type Request,
  tillRequests,
} from './support/requests.ts';
import { runBench } from './support/run.ts';
import {
  countSettled,
  countWritten,
  keptRequest,
  removeFolder,
  type Seed,
  seedPayments,
  startTill,
  type Till,
} from './support/till.ts';
import { prepareTwoCommits, type TwoCommits } from './two-commits.ts';
import { residentBytes } from './webhooks/webhooks-world.ts';

const warmupMs = 1000;
const seeded = 1000;

async function startBare({ answer, list }: Seed, cleanup: Cleanup): Promise<{ pid: number; port: number }> {
  const child = fork(fileURLToPath(new URL('bare.ts', import.meta.url)));
  cleanup.add(() => void child.kill('SIGKILL'));
  const port = await new Promise<number>((done, failed) => {
    child.once('message', (message: { port: number }) => done(message.port));
    child.once('exit', () => failed(new Error('the bare server ended')));
    child.send({ answer: JSON.parse(answer) as object, list: JSON.parse(list) as object });
  });
  return { pid: child.pid ?? 0, port };
}

/** Checks that every 201 has one row and one charge: otherwise the speed came from lost or duplicate payments. */
async function checkWritten(till: Till, created: number): Promise<void> {
  const { payments, charges } = await countWritten(till);
  if (payments !== created || charges !== created) {
    throw new Error(`${created} payments were answered, ${payments} stand settled, ${charges} were charged`);
  }
}

/** Creates payments at a steady rate. */
type AtRate = ReturnType<typeof steadyLoad>;

/** Measures the latency of creates at a steady rate of payments per second. @returns one line of text */
async function createAtRate(
  { connections, seconds }: Options,
  label: string,
  load: AtRate,
  perSecond: number,
): Promise<string> {
  await untilQuiet();
  await load({ connections, perSecond, ms: warmupMs });
  const result = await load({ connections, perSecond, ms: 2000 * seconds });
  return `${halfLoadLine(label, perSecond, 201, result)} (first: 30, goal: 20)`;
}

/** Prepares creates with a processor in another process. It keeps no ledger, so that only the rows can be counted. */
async function prepareOutside(
  till: Till,
  load: (request: Request, server: number, onDone: (result: LoadResult) => void) => Course['run'],
  cleanup: Cleanup,
) {
  const shop = await openOutsideAccount(till, cleanup);
  const before = await countSettled(till, shop);
  let created = 0;
  const run = load(createRequest(shop), till.pid, ({ answered }) => {
    created += answered;
  });
  const steady = steadyLoad(shop, cleanup);
  const atRate: AtRate = async (shape) => {
    const result = await steady(shape);
    created += paidIn(result);
    return result;
  };
  const check = async () => {
    const settled = (await countSettled(till, shop)) - before;
    if (settled !== created) throw new Error(`${created} were answered outside, ${settled} stand settled`);
  };
  return { run, atRate, check, created: () => created };
}

const prepareFloor = (
  till: Till,
  folder: string,
  seed: Seed,
  { connections }: Options,
  cleanup: Cleanup,
): Promise<TwoCommits> =>
  prepareTwoCommits({ till, folder, seed, cleanup, connections, request: keptRequest() });

/** Sets everything up. @returns the courses of one round */
async function prepare(options: Options, folder: string, cleanup: Cleanup) {
  const till = await startTill(folder, options.profileFolder && resolve(options.profileFolder), cleanup);
  const seed = await seedPayments(till, seeded);
  const bare = await startBare(seed, cleanup);
  const generator = new LoadProcess('support/generator.ts', cleanup);
  const load =
    ({ max, ...request }: Request, server: number, onDone: (result: LoadResult) => void = () => {}) =>
    async (warmup: number, measureMs: number) => {
      const connections = Math.min(options.connections, max ?? options.connections);
      const job: GeneratorJob = { ...request, connections, warmupMs: warmup, measureMs };
      const result = await generator.run(job, warmup + measureMs + 30_000, {
        server,
        postmaster: till.postmaster,
      });
      onDone(result);
      return result;
    };
  let created = seeded;
  const ours = tillRequests(till, seed);
  const theirs = bareRequests(bare.port, seed);
  const create = load(ours.create, till.pid, (result) => {
    created += result.answered;
  });
  const twoCommits = options.createOnly ? null : await prepareFloor(till, folder, seed, options, cleanup);
  const outside = await prepareOutside(till, load, cleanup);
  const readCourses = besideBare(
    (request) => load(request, till.pid),
    (request) => load(request, bare.pid),
    [ours, theirs],
  );
  const courses: Course[] = [
    { label: 'create payment', run: create },
    { label: 'create payment, processor outside', run: outside.run },
  ];
  if (twoCommits !== null) {
    courses.push({ label: twoCommits.label, run: twoCommits.round });
    courses.push(...readCourses);
  }
  const steady = steadyLoad(till, cleanup);
  const atRate: AtRate = async (shape) => {
    const result = await steady(shape);
    created += paidIn(result);
    return result;
  };
  const run = openLoad(cleanup);
  /** Measures the latency of reads at a steady rate. */
  const readAtRate = async (label: string, { port, request, values, expect }: Request, perSecond: number) => {
    await untilQuiet();
    const { connections, seconds } = options;
    const job = { port, request, values, connections, perSecond };
    await run({ ...job, ms: warmupMs });
    return halfLoadLine(label, perSecond, expect.status, await run({ ...job, ms: 1000 * seconds }));
  };
  const check = async () => {
    await checkWritten(till, created);
    await outside.check();
  };
  return {
    till,
    courses,
    atRate,
    outsideAtRate: outside.atRate,
    readAtRate,
    reads: ours,
    created: () => created + outside.created(),
    check,
  };
}

const megabytes = (pid: number) => Math.round(residentBytes(pid) / 2 ** 20);

/** Measures the open-loop latency at half of the measured throughput, and the memory used so far. */
async function halfLoad(
  { till, atRate, outsideAtRate, readAtRate, reads }: Awaited<ReturnType<typeof prepare>>,
  figures: readonly Figure[],
  options: Options,
): Promise<string[]> {
  const half = (label: string) => (figures.find((figure) => figure.label === label)?.perSecond ?? 0) / 2;
  const created = await createAtRate(options, 'create', atRate, half('create payment'));
  const perSecondOutside = half('create payment, processor outside');
  const lines = [
    `${created}; memory now ${megabytes(till.pid)} MB`,
    await createAtRate(options, 'create, processor outside,', outsideAtRate, perSecondOutside),
  ];
  for (const [label, read] of [
    ['retrieve payment', reads.get],
    ['idempotent replay', reads.replay],
    ['list payments, 50 pages of 20', reads.list],
  ] as const) {
    if (half(label) > 0) lines.push(await readAtRate(label, read, half(label)));
  }
  return lines;
}

async function bench(options: Options, cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'till-bench-'));
  cleanup.add(() => removeFolder(folder));
  const prepared = await prepare(options, folder, cleanup);
  const { till, courses, created } = prepared;
  const idle = megabytes(till.pid);
  const measureMs = options.seconds * 1000;
  const rounds: Round[][] = courses.map(() => []);
  // Warms up the JIT compiler on both sides before the measurement.
  for (const course of courses) await course.run(warmupMs, warmupMs);
  // Autovacuum would do the same within a minute. Until then both sides would use query plans for empty tables.
  if (!options.cold) await till.db.query('analyze');
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [index, course] of courses.entries()) {
      const result = await course.run(warmupMs, measureMs);
      rounds[index]?.push(result);
      console.error(`round ${round}: ${course.label}: ${Math.round(result.perSecond)}/s`);
    }
  }
  const figures = courses.map((course, index) => toFigure(course.label, rounds[index] ?? []));
  const half = await halfLoad(prepared, figures, options);
  await prepared.check();
  const [
    create = [],
    createOutside = [],
    twoCommits = [],
    get = [],
    bareGet = [],
    replay = [],
    barePost = [],
    list = [],
    bareList = [],
  ] = rounds;
  const report = {
    postgresVersion: till.postgresVersion,
    seconds: options.seconds,
    rounds: options.rounds,
    connections: options.connections,
    figures,
    comparisons: options.createOnly
      ? []
      : [
          compare('create ÷ two commits', create, twoCommits, { today: 0.48, first: 1, goal: 1.5 }),
          compare('create, processor outside ÷ two commits', createOutside, twoCommits, {
            today: 0.6,
            first: 1.5,
            goal: 2.5,
          }),
          compare('retrieve ÷ bare GET', get, bareGet, { today: 0.21, first: 0.35, goal: 0.6 }),
          compare('replay ÷ bare POST', replay, barePost, { today: 0.3, first: 0.45, goal: 0.75 }),
          compare('list ÷ bare GET of such a page', list, bareList, { today: 0.07, first: 0.2, goal: 0.4 }),
        ],
  };
  console.log(formatReport(report));
  console.log(`${half.join('\n')}\nmemory was ${idle} MB before; ${created()} payments\n`);
  console.log(reportJson(report));
}

await runBench(bench);
