import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { compareWithLedgers } from './ledger-check.ts';
import { startServer, temporaryFolder } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that the acceptance tests speak to, and the environment for commands beside it. */
    target: { baseUrl: string; environment: Record<string, string> };
  }
}

/**
 * One PostgreSQL for all tests, and one server for the acceptance tests. `TILL_TEST_BASE_URL` points the acceptance
 * tests at a server that runs already; the environment then has to be the one that its commands need.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path });
  process.env.TILL_TEST_DATABASE_URL = postgres.url;
  const external = process.env.TILL_TEST_BASE_URL;
  const server =
    external === undefined
      ? await startServer({
          DATABASE_URL: postgres.url,
          TILL_DATA_DIR: folder.path,
          TILL_PROCESSOR_TIMEOUT_MS: '2000',
          TILL_LIVE_SIMULATION: 'on',
        })
      : undefined;
  project.provide('target', {
    baseUrl: server?.baseUrl ?? external ?? '',
    environment: { ...server?.environment },
  });
  return async () => {
    await server?.stop();
    if (server !== undefined) await requireAgreement(postgres.url);
    await postgres.stop();
    await folder.remove();
  };
}

/** After everything that the acceptance tests did, what we say and what the processors did must be the same. */
async function requireAgreement(databaseUrl: string): Promise<void> {
  const { compared, differences } = await compareWithLedgers(databaseUrl);
  process.stdout.write(`ledger check: ${compared} payments compared, ${differences.length} differences\n`);
  if (differences.length > 0) throw new Error(differences.slice(0, 20).join('\n'));
}
