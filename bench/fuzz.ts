/**
 * Sends many invalid requests to every operation of the API:
 * `npm run fuzz -- [--seed N] [--cases 10000] [--operation NAME] [--only NUMBER]`. Prints every 5xx, every response that the
 * contract does not allow, and every response that takes longer than a second. If there are any, the exit code is 1.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type OperationName, operationNames } from '../tests/fuzz/requests.ts';
import { fuzz, fuzzSettings } from '../tests/fuzz/run.ts';
import { endDatabase } from '../tests/support/end-database.ts';
import { startServer, temporaryFolder } from '../tests/support/server.ts';
import { Cleanup } from './support/cleanup.ts';

const maxMs = 1000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      cases: { type: 'string', default: '10000' },
      operation: { type: 'string', multiple: true },
      only: { type: 'string' },
    },
  });
  const wanted = operationNames.filter((name) => values.operation?.includes(name) ?? true);
  if (wanted.length === 0) throw new Error(`--operation is one of ${operationNames.join(', ')}`);
  const cleanup = new Cleanup();
  cleanup.onAbruptEnd();
  try {
    const folder = await temporaryFolder();
    cleanup.add(folder.remove);
    cleanup.add(() => endDatabase(folder.path));
    const server = await startServer({
      ...fuzzSettings,
      TILL_DATA_DIR: folder.path,
      TILL_LOG_LEVEL: 'error',
    });
    cleanup.add(async () => void (await server.stop()));
    console.log(`seed ${values.seed}, ${values.cases} requests per operation`);
    const faults = await fuzz(server, {
      seed: Number(values.seed),
      cases: Number(values.cases),
      operations: wanted,
      maxMs,
      ...(values.only === undefined ? {} : { only: Number(values.only) }),
      onOperation: (name: OperationName, statuses, slowestMs) => {
        const counted = [...statuses].sort(([one], [other]) => one - other).map((pair) => pair.join(' x '));
        console.log(`${name.padEnd(28)} slowest ${Math.round(slowestMs)} ms  ${counted.join(', ')}`);
      },
    });
    for (const { operation, number, fault, request, answer } of faults.slice(0, 50)) {
      console.log(`\n${operation} --only ${number}: ${fault}\n${request}\n→ ${answer}`);
    }
    console.log(`${faults.length} faults`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
