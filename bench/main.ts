/** Everything that is measured, in one run: each part in a process of its own, one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readOptions, usage } from './options.ts';

const parts = ['hot', 'flows', 'webhooks', 'start-up', 'growth'] as const;
/** Takes sizes of its own instead of rounds. */
const withoutOptions = new Set<string>(['webhooks']);

async function run(part: string, options: readonly string[]): Promise<number> {
  const script = fileURLToPath(new URL(`${part}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, ...options], { stdio: 'inherit' });
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
  const failed: string[] = [];
  for (const part of options.createOnly ? ['hot'] : parts) {
    console.log(`== ${part}`);
    if ((await run(part, withoutOptions.has(part) ? [] : parameters)) !== 0) failed.push(part);
  }
  if (failed.length > 0) throw new Error(`not measured to the end: ${failed.join(', ')}`);
}

// Each part ends by itself on a Ctrl-C, which reaches it too.
process.on('SIGINT', () => {});

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
