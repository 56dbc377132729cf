import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { createMigratedTemplate } from '../../packages/server/src/store/migrations/test-migrated.ts';
import { CleanUp } from '../support/clean-up.ts';
import { temporaryFolder } from '../support/server.ts';
import { addCounters, type Counters, counterNames, countFindings, noFaults } from './counters.ts';
import { Random } from './random.ts';
import { type Cycle, type CycleResult, cycles } from './rounds/cycles.ts';

/** Options of a long run. */
export interface CrashOptions {
  readonly minutes: number;
  readonly seed: number;
  /** The number of a single round to repeat. */
  readonly cycle?: number | undefined;
  /** Runs only rounds of this kind. */
  readonly only?: string | undefined;
  /** After it aborts, no further round begins. */
  readonly signal?: AbortSignal;
  /** The kinds of rounds; by default all. */
  readonly kinds?: Readonly<Record<string, Cycle>>;
  readonly print: (line: string) => void;
}

interface Sum {
  cycles: number;
  flows: number;
  struck: number;
  counters: Counters;
  problems: number;
}

/** The seed of one round. Each round has its own, so that it can be repeated without the rounds before it. */
const seedOf = (seed: number, cycle: number) => (seed + Math.imul(cycle + 1, 0x9e3779b1)) >>> 0;

/**
 * Runs all kinds of rounds in a loop until the time is over, and prints the findings.
 * @returns the number of faults
 */
export async function runCrash(options: CrashOptions): Promise<number> {
  const { seed, print, only, kinds = cycles } = options;
  const names = Object.keys(kinds);
  if (only !== undefined && !names.includes(only)) throw new Error(`--only is one of: ${names.join(', ')}`);
  const sums = new Map<string, Sum>();
  const deadline = performance.now() + options.minutes * 60_000;
  const first = options.cycle ?? 0;
  const isOver = (cycle: number) => {
    if (options.signal?.aborted === true) return true;
    return options.cycle === undefined ? performance.now() >= deadline : cycle > options.cycle;
  };
  for (let cycle = first; !isOver(cycle); cycle += 1) {
    const name = names[cycle % names.length] ?? '';
    const run = kinds[name];
    if (run === undefined || (only !== undefined && only !== name)) continue;
    const began = performance.now();
    const result = await runCycle(run, new Random(seedOf(seed, cycle)));
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const faults = result.findings.length + result.problems.length;
    print(
      `${cycle}  ${name}: ${result.flows} flows, ${result.struck} struck, ${faults} faults, ${seconds} s`,
    );
    for (const { counter, detail } of result.findings) print(`    ${counter}: ${detail}`);
    for (const problem of result.problems) print(`    ${problem}`);
    if (faults > 0) print(`    again: npm run crash -- --seed ${seed} --cycle ${cycle}`);
    add(sums, name, result);
  }
  print('');
  for (const line of asTable(sums)) print(line);
  return [...sums.values()].reduce(
    (sum, { counters, problems }) =>
      sum + problems + counterNames.reduce((all, name) => all + counters[name], 0),
    0,
  );
}

async function runCycle(run: Cycle, random: Random): Promise<CycleResult> {
  const cleanUp = new CleanUp();
  try {
    return await run(cleanUp, random);
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { flows: 0, struck: 0, findings: [], problems: [problem] };
  } finally {
    await cleanUp.run();
  }
}

function add(sums: Map<string, Sum>, name: string, { flows, struck, findings, problems }: CycleResult): void {
  const sum = sums.get(name) ?? { cycles: 0, flows: 0, struck: 0, counters: noFaults, problems: 0 };
  sums.set(name, {
    cycles: sum.cycles + 1,
    flows: sum.flows + flows,
    struck: sum.struck + struck,
    counters: addCounters(sum.counters, countFindings(findings)),
    problems: sum.problems + problems.length,
  });
}

/** Formats the sums as a Markdown table with a line of totals. */
function asTable(sums: ReadonlyMap<string, Sum>): string[] {
  const head = ['kind', 'rounds', 'flows', 'struck', ...counterNames, 'other'];
  const rows = [...sums].map(([name, { cycles: rounds, flows, struck, counters, problems }]) =>
    [name, rounds, flows, struck, counterNames.map((counter) => counters[counter]), problems].flat(),
  );
  const total = head
    .slice(1)
    .map((_name, column) => rows.reduce((sum, row) => sum + Number(row[column + 1]), 0));
  return [head, head.map(() => '---'), ...rows, ['all', ...total]].map((row) => `| ${row.join(' | ')} |`);
}

/** Parses a whole number of the command line. */
function numberOf(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,10}$/.test(text)) throw new Error(`--${name} is a whole number`);
  return text === undefined ? undefined : Number(text);
}

/** Runs the rounds with a separate PostgreSQL server, for the simulators' ledger and for servers without an embedded one. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { minutes: text, seed: text, cycle: text, only: text } });
  const seed = numberOf('seed', values.seed) ?? randomInt(2 ** 31);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const interrupted = new AbortController();
  // The current round is finished, so that it can clean up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  print(`seed ${seed}`);
  const folder = await temporaryFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path });
  process.env.TILL_TEST_DATABASE_URL = postgres.url;
  await createMigratedTemplate(postgres.url);
  try {
    const faults = await runCrash({
      minutes: numberOf('minutes', values.minutes) ?? 10,
      seed,
      cycle: numberOf('cycle', values.cycle),
      only: values.only,
      signal: interrupted.signal,
      print,
    });
    process.exitCode = faults === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
    await folder.remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main();
  // Servers that failed to start leave open connections, which would keep this process alive.
  process.exit();
}
