import { randomBytes, randomInt } from 'node:crypto';
import { sandboxSchema } from '../../packages/sandbox/src/schema.ts';
import { composeServer } from '../../packages/server/src/compose/compose.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import { deriveKeys } from '../../packages/server/src/lib/keys.ts';
import { createLogger } from '../../packages/server/src/lib/log/log.ts';
import { createMetrics } from '../../packages/server/src/lib/metrics.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { holdInstance } from '../../packages/server/src/store/instance.ts';
import { migrate } from '../../packages/server/src/store/migrations/migrate.ts';
import { prepareRowSecurity } from '../../packages/server/src/store/row-security.ts';
import type { ScopedStatement } from '../../packages/server/src/store/scope.ts';
import { deriveMasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import type { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import type { Target } from '../support/merchant.ts';
import { temporaryFolder } from '../support/server.ts';

/** A server in this process with a record of all its statements. */
export interface World {
  readonly place: Target;
  readonly db: Database;
  /** All statements that were sent so far. */
  readonly statements: readonly ScopedStatement[];
  /** Stops the background jobs, so that only the test changes data from then on. */
  readonly endJobs: () => Promise<void>;
}

function watched(db: Database, statements: ScopedStatement[]): Database {
  const query: Database['query'] = (statement) => {
    statements.push(statement);
    return db.query(statement);
  };
  return {
    ...db,
    query,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (statement) => {
            statements.push(statement);
            return tx.query(statement);
          },
        }),
      ),
  };
}

/** Starts a server on its own database, with row-level security enabled. */
export async function startWorld(cleanUp: CleanUp): Promise<World> {
  const url = await migratedDatabase(cleanUp);
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const key = randomBytes(32);
  const environment = {
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_MASTER_KEY: key.toString('base64'),
    TILL_RATE_LIMIT_RPS: '0',
    TILL_DISPUTES_API: 'on',
    TILL_METRICS_ADDR: 'off',
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    PORT: '0',
  };
  const config = readConfig(environment, folder.path);
  let isScoped = false;
  const db = openDatabase({
    url,
    connections: 8,
    applicationName: 'isolation test',
    isScoped: () => isScoped,
    onError: () => {},
  });
  cleanUp.add(() => db.close());
  const clock = systemClock;
  await migrate(db, clock.now(), [sandboxSchema]);
  const fault = await prepareRowSecurity(db);
  if (fault !== null) throw new Error(fault);
  isScoped = true;
  const number = randomInt(1, 2 ** 31 - 1);
  const instance = await holdInstance(db, { number, exclusive: false, clock, onLost: () => {} });
  cleanUp.add(() => instance.release());
  const statements: ScopedStatement[] = [];
  const seen = watched(db, statements);
  const server = await composeServer({
    config,
    db: seen,
    reads: seen,
    clock,
    keys: deriveKeys(key, null),
    masterKeys: deriveMasterKeys(key, null),
    instance,
    log: createLogger('silent', () => {}),
    metrics: createMetrics('test', () => 0),
  });
  const baseUrl = await server.start('all');
  const stopJobs = server.startJobs('all');
  let ended: Promise<void> | undefined;
  const endJobs = () => {
    ended ??= stopJobs();
    return ended;
  };
  cleanUp.add(async () => {
    await server.drain();
    await endJobs();
  });
  return { place: { baseUrl, environment }, db, statements, endJobs };
}
