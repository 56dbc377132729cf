import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/store/embedded/embedded-postgres.ts';
import { createMigratedTemplate } from '../../packages/server/src/store/migrations/test-migrated.ts';
import { startCommandHost } from './command-host.ts';
import { endDatabase } from './end-database.ts';
import { queryDatabase } from './fresh-database.ts';
import { LeakSearch } from './leaks/check.ts';
import { compareWithLedgers } from './ledger-check.ts';
import { startServer, temporaryFolder } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that the acceptance tests use, and the environment for its commands. */
    target: { baseUrl: string; environment: Record<string, string> };
  }
}

/**
 * Starts one PostgreSQL for all tests, and one server for the acceptance tests. `TILL_TEST_BASE_URL` makes
 * the acceptance tests use a server that is already running; the environment then has to be the one that its
 * commands need.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The same settings as in `tools/in-parallel.mjs`, since some tests run the compiler.
  process.env.GOGC ??= 'off';
  process.env.GOMEMLIMIT ??= '3GiB';
  const folders = await parentOfFolders();
  process.env.TILL_TEST_FOLDERS = folders;
  // `file_copy` takes half the time of `wal_log`, but waits for the disk unless the files are in memory.
  process.env.TILL_TEST_COPY_STRATEGY = folders === memory ? 'file_copy' : 'wal_log';
  const folder = await temporaryFolder();
  const postgres = await startSharedPostgres(folder.path);
  const outputs = await mkdtemp(join(tmpdir(), 'till-test-outputs-'));
  const shared = await mkdtemp(join(folders, 'till-shared-'));
  const remove = async () => {
    await postgres.stop();
    await endDatabase(folder.path);
    const paths = [outputs, shared].map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 }));
    await Promise.all([folder.remove(), ...paths]);
  };
  process.env.TILL_TEST_DATABASE_URL = postgres.url;
  process.env.TILL_TEST_OUTPUTS = outputs;
  process.env.TILL_TEST_SHARED = shared;
  try {
    const stop = await startServers(project, postgres, folder.path);
    return async () => {
      try {
        await stop();
        await requireNoLeak(postgres, outputs);
      } catch (error) {
        // Vitest prints an error of the teardown without failing the run.
        process.exitCode = 1;
        throw error;
      } finally {
        await remove();
      }
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Starts what runs beside all tests.
 * @returns a function that stops it and compares the ledgers
 */
async function startServers(
  project: TestProject,
  postgres: EmbeddedPostgres,
  dataDir: string,
): Promise<() => Promise<void>> {
  await createMigratedTemplate(postgres.url);
  const commands = await startCommandHost(postgres.url);
  process.env.TILL_TEST_COMMANDS = commands.url;
  const external = process.env.TILL_TEST_BASE_URL;
  const server =
    external === undefined
      ? await startServer({
          DATABASE_URL: postgres.url,
          TILL_DATA_DIR: dataDir,
          TILL_PROCESSOR_TIMEOUT_MS: '2000',
          // Few connections, since each one has to plan every statement again.
          TILL_DATABASE_CONNECTIONS: '5',
          TILL_LIVE_SIMULATION: 'on',
          // High limits: tests/operations/overload.test.ts covers what happens beyond them.
          TILL_REQUESTS_WORKING: '500',
          TILL_REQUESTS_QUEUED: '1000',
        }).catch(async (error: unknown) => {
          await commands.stop();
          throw error;
        })
      : undefined;
  project.provide('target', {
    baseUrl: server?.baseUrl ?? external ?? '',
    environment: { ...server?.environment },
  });
  return async () => {
    await Promise.all([server?.stop(), commands.stop()]);
    if (server !== undefined) await requireAgreement(postgres.url);
  };
}

/** Starts a PostgreSQL with settings for a server that many databases share. */
async function startSharedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const first = await startEmbeddedPostgres({ dataDir });
  // By default autovacuum would visit each of the tests' databases every few seconds.
  await queryDatabase(first.url, `alter system set autovacuum_naptime = '1min'`);
  // Many test processes run concurrently, each with pools as large as in production.
  await queryDatabase(first.url, 'alter system set max_connections = 400');
  await first.stop();
  return startEmbeddedPostgres({ dataDir });
}

const memory = '/dev/shm';
const gibibyte = 2 ** 30;

/**
 * Returns the parent folder of databases and data folders. It is in memory if there is enough space and
 * execution is allowed: waiting for the disk is most of the time of a commit and of a database start, and no
 * test cuts the power.
 */
async function parentOfFolders(): Promise<string> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = mounts
    .split('\n')
    .find((line) => line.split(' ')[1] === memory)
    ?.split(' ')[3];
  if (options === undefined || options.split(',').includes('noexec')) return tmpdir();
  const { bavail, bsize } = await statfs(memory);
  return bavail * bsize > 6 * gibibyte && freemem() > 8 * gibibyte ? memory : tmpdir();
}

/**
 * Searches the database's tables and files, its WAL and the servers' output for data that must not be stored
 * anywhere.
 */
async function requireNoLeak(postgres: EmbeddedPostgres, outputs: string): Promise<void> {
  const began = performance.now();
  const search = new LeakSearch();
  const found = await search.database(postgres.url);
  await postgres.stop();
  const files = search.folder(dirname(postgres.folder));
  found.push(...files.found, ...search.outputs(outputs));
  const [megabytes, ms] = [files.bytes / 2 ** 20, performance.now() - began].map(Math.round);
  process.stdout.write(`search for secrets: ${megabytes} MiB in ${ms} ms, ${found.length} found\n`);
  if (found.length > 0) throw new Error(found.slice(0, 20).join('\n'));
}

/** Checks, after all acceptance tests, that Till's records agree with what the simulated processors did. */
async function requireAgreement(databaseUrl: string): Promise<void> {
  const { compared, differences } = await compareWithLedgers(databaseUrl);
  process.stdout.write(`ledger check: ${compared} payments compared, ${differences.length} differences\n`);
  if (differences.length > 0) throw new Error(differences.slice(0, 20).join('\n'));
}
