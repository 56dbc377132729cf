import { addressOf } from '../../../cells/cells.ts';
import { listMisplaced } from '../../../cells/places.ts';
import { type CellRow, home, listCells } from '../../../cells/store.ts';
import type { Config } from '../../../config/config.ts';
import { systemClock } from '../../../lib/clock.ts';
import { findMasterKey } from '../../../lib/master-key.ts';
import { hasDraft } from '../../../operations/sql.ts';
import { type Database, openDatabase } from '../../../store/database.ts';
import { differenceFrom } from '../../../store/maintenance/database-clock.ts';
import { compareSchema, requireDurableServer, SchemaError } from '../../../store/migrations/migrate.ts';
import { checkRowSecurity } from '../../../store/row-security.ts';
import { deriveMasterKeys } from '../../../vault/master-keys.ts';
import { masterKeysOnRecord } from '../../../vault/store.ts';
import { databaseUrl } from '../../lib/connect.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

async function checkSchema(db: Database): Promise<Finding> {
  const check = 'schema';
  try {
    const { applied, pending } = await compareSchema(db);
    return pending.length === 0
      ? ok(check, `${applied} migrations, none open`)
      : warn(
          check,
          `${pending.length} migrations are open`,
          'start the new version of the server: it applies them',
        );
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return fail(check, error.message, 'see the message');
  }
}

async function checkDurability(db: Database): Promise<Finding> {
  try {
    await requireDurableServer(db);
    return ok('durability', 'what is acknowledged is on disk');
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return fail('durability', error.message, 'change it in postgresql.conf');
  }
}

/** How many milliseconds clocks that are synchronized by NTP may differ. */
const toleranceMs = 2_000;

/** Compares the clocks: servers go by the database's time, but the receivers of their signatures by their own machine's. */
async function checkClock(db: Database): Promise<Finding> {
  const difference = await differenceFrom(db, systemClock);
  const seconds = Math.round(Math.abs(difference) / 1000);
  return Math.abs(difference) <= toleranceMs
    ? ok('clock', "agrees with the database's")
    : warn(
        'clock',
        `${seconds} seconds ${difference > 0 ? 'ahead of' : 'behind'} the database's`,
        "keep both by NTP: servers go by the database's",
      );
}

/** Checks that connections are left: every server process needs its own, and the operator needs a few. */
async function checkConnections(db: Database, config: Config): Promise<Finding> {
  const [row] = await db.query<{ max: number; used: number }>({
    text: `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
             (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
    scope: 'anybody',
  });
  const { max = 0, used = 0 } = row ?? {};
  const each = config.databaseConnections + config.dashboardReads.connections;
  const detail = `${used} of ${max} in use; each server process takes up to ${each}`;
  return used + 5 > max
    ? warn('connections', detail, 'raise max_connections, or lower TILL_DATABASE_CONNECTIONS')
    : ok('connections', detail);
}

async function checkMasterKeyFits(db: Database, config: Config): Promise<Finding> {
  const check = 'master key of the database';
  const key = await findMasterKey(config.masterKey, config.dataDir).catch(() => undefined);
  if (key === undefined) return fail(check, 'cannot be compared without a key', 'see "master key"');
  const { current, previous } = deriveMasterKeys(key, config.masterKeyPrevious);
  const known = await masterKeysOnRecord(db);
  const fits = known.length === 0 || known.some(({ id }) => id === current.id || id === previous?.id);
  return fits
    ? ok(check, 'fits')
    : fail(check, 'is another one', 'set the key that this database was used with');
}

interface Backlog {
  readonly parked: number;
  readonly failed_mails: number;
  readonly paused: number;
  readonly in_doubt: number;
  readonly live_without_credentials: number;
}

/** Counts, over all accounts, the work that waits for somebody. */
async function checkBacklog(db: Database, config: Config): Promise<Finding[]> {
  const [row] = await db.query<Backlog>({
    text: `select
      (select count(*)::int from tenants t join processor_notifications n using (tenant)
        where n.state = 'parked') as parked,
      (select count(*)::int from accounts a join mails m using (account_id) where m.state = 'failed') as failed_mails,
      (select count(*)::int from accounts a join webhook_endpoints e using (account_id)
        where e.status = 'paused' and e.paused_reason = 'failing' and e.deleted_at is null) as paused,
      (select count(*)::int from tenants t join operations o using (tenant) where ${hasDraft()}) as in_doubt,
      (select count(*)::int from accounts a where a.environment = 'live' and not exists (
        select from tenants t join connection_credentials c using (tenant)
        where t.account_id = a.account_id and t.livemode))
        as live_without_credentials`,
    scope: 'everybody',
  });
  const count = (check: string, number: number, todo: string) =>
    number === 0 ? ok(check, 'none') : warn(check, String(number), todo);
  return [
    count('parked notifications', row?.parked ?? 0, './till notifications list --account ID --state parked'),
    count('failed mails', row?.failed_mails ?? 0, './till mails list --account ID'),
    count(
      'endpoints paused for failing',
      row?.paused ?? 0,
      './till webhooks list --account ID, then ./till webhooks resume ID',
    ),
    count(
      'payments without an answer',
      row?.in_doubt ?? 0,
      'a running server asks the processor; look again later',
    ),
    config.liveSimulation
      ? ok('live accounts without credentials', 'simulated')
      : count(
          'live accounts without credentials',
          row?.live_without_credentials ?? 0,
          './till connections set --account ID --live',
        ),
  ];
}

async function checkApart(db: Database): Promise<Finding> {
  const check = 'accounts kept apart by the database';
  const fault = await checkRowSecurity(db);
  return fault === null ? ok(check, 'yes') : warn(check, 'no', fault);
}

/** Checks the database that the environment names, and then those of the further cells. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const url = databaseUrl(config);
  const findings = await checkOne(config, url);
  if (findings.some(({ state }) => state === 'fail')) return findings;
  // An older or missing schema may have no table of cells.
  const isCurrent = findings.some(({ check, state }) => check === 'schema' && state === 'ok');
  return isCurrent ? [...findings, ...(await checkCells(config, await url))] : findings;
}

const opened = (url: string): Database =>
  openDatabase({ url, connections: 1, applicationName: 'till doctor', onError: () => {} });

async function checkCells(config: Config, url: string): Promise<Finding[]> {
  const db = opened(url);
  try {
    const cells = await listCells(db);
    if (cells.length === 1) return [];
    const findings = [await checkPlaces(db, home, db)];
    const key = await findMasterKey(config.masterKey, config.dataDir);
    for (const cell of cells) {
      if (key === undefined || cell.url === null) continue;
      const address = addressOf(cell, deriveMasterKeys(key, config.masterKeyPrevious));
      const found = await checkCell(config, db, cell, address ?? '');
      findings.push(...found.map((one) => ({ ...one, check: `cell ${cell.name}: ${one.check}` })));
    }
    return findings;
  } finally {
    await db.close();
  }
}

async function checkCell(
  config: Config,
  homeDatabase: Database,
  { name }: CellRow,
  url: string,
): Promise<Finding[]> {
  const findings = await checkOne({ ...config, databaseUrl: url }, Promise.resolve(url));
  if (findings.some(({ state }) => state === 'fail')) return findings;
  const cell = opened(url);
  try {
    return [...findings, await checkPlaces(homeDatabase, name, cell)];
  } finally {
    await cell.close();
  }
}

/** Compares a database's accounts with the directory: an account in two databases is served from an old copy, or not at all. */
async function checkPlaces(homeDatabase: Database, name: string, cell: Database): Promise<Finding> {
  const check = 'accounts placed by the directory';
  try {
    const misplaced = await listMisplaced(homeDatabase, name, cell);
    return misplaced.length === 0
      ? ok(check, 'all')
      : fail(
          check,
          `not there by the directory: ${misplaced.slice(0, 20).join(', ')}`,
          'see docs/operating/back-up.md, "An installation of several cells"',
        );
  } catch (error) {
    return fail(check, reasonOf(error), 'see the message');
  }
}

async function checkOne(config: Config, address: Promise<string>): Promise<Finding[]> {
  let db: Database;
  try {
    db = opened(await address);
  } catch (error) {
    return [fail('database', reasonOf(error), 'start the server, or set DATABASE_URL as it has it')];
  }
  const findings: Finding[] = [];
  try {
    const [row] = await db.query<{ version: string }>({
      text: `select current_setting('server_version') as version`,
      scope: 'anybody',
    });
    findings.push(
      ok('database', `PostgreSQL ${row?.version}${config.databaseUrl === null ? ', embedded' : ''}`),
    );
    findings.push(await checkDurability(db), await checkClock(db));
    findings.push(await checkApart(db), await checkConnections(db, config));
    const schema = await checkSchema(db);
    findings.push(schema);
    // The other checks read tables that an older schema may not have.
    if (schema.state === 'ok') {
      findings.push(await checkMasterKeyFits(db, config), ...(await checkBacklog(db, config)));
    }
  } catch (error) {
    findings.push(fail('database', reasonOf(error), 'see the message'));
  } finally {
    await db.close();
  }
  return findings;
}
