/** Runs all benchmarks one after the other, each in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readOptions, usage } from './support/options.ts';

const measured = [
  'hot',
  'latency',
  'statements',
  'flows',
  'webhooks/webhooks',
  'start-up',
  'growth',
] as const;
/** Benchmarks that do not accept the common options. */
const withoutOptions = new Set<string>(['webhooks/webhooks']);

let running: ChildProcess | undefined;

async function run(part: string, options: readonly string[]): Promise<number> {
  const script = fileURLToPath(new URL(`${part}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, ...options], { stdio: 'inherit' });
  running = child;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function main(): Promise<void> {
  const parameters = process.argv.slice(2);
  const options = readOptions(parameters);
  if (options === 'help') {
    console.log(usage);
    return;
  }
  const model = cpus()[0]?.model ?? 'unknown';
  console.log(
    `${cpus().length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}\n`,
  );
  let stopped = false;
  // The running benchmark cleans up before it ends. The next one is not started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopped = true;
      running?.kill(signal);
    });
  }
  const failed: string[] = [];
  for (const part of options.createOnly ? ['hot'] : measured) {
    if (stopped) break;
    console.log(`== ${part}`);
    if ((await run(part, withoutOptions.has(part) ? [] : parameters)) !== 0) failed.push(part);
  }
  if (stopped) process.exitCode = 130;
  else if (failed.length > 0) throw new Error(`not measured to the end: ${failed.join(', ')}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
