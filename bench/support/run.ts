import { Cleanup } from './cleanup.ts';
import { type Options, readOptions, usage } from './options.ts';

/** Runs work and cleans up, however it ends. An error is printed in one line, with exit code 1. */
export async function runToEnd(work: (cleanup: Cleanup) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup();
  cleanup.onAbruptEnd();
  try {
    await work(cleanup);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

/** Runs a benchmark as `runToEnd` does, with the options of the command line. */
export async function runBench(bench: (options: Options, cleanup: Cleanup) => Promise<void>): Promise<void> {
  await runToEnd(async (cleanup) => {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') console.log(usage);
    else await bench(options, cleanup);
  });
}
