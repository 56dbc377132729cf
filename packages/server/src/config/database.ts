import { type DatabaseHost, databaseHosts, replicaHosts } from '../lib/web/database-hosts.ts';
import { type Reader, urlWith } from './reader.ts';

function readDatabaseUrl(reader: Reader): string | null {
  const raw = reader.raw('DATABASE_URL');
  const several = raw === undefined ? null : databaseHosts(raw);
  const example = 'postgresql://till:secret@db1:5432,db2:5432/till?target_session_attrs=read-write';
  if (several !== null) {
    if ('hosts' in several) return raw ?? null;
    const { expected } = several;
    reader.faults.push({ name: 'DATABASE_URL', got: 'a value that is not shown', expected, example });
    return null;
  }
  return reader.read<string | null>(
    'DATABASE_URL',
    null,
    'a postgresql:// address',
    'postgresql://till:secret@localhost:5432/till',
    (text) =>
      urlWith(text.replace('://@/', '://localhost/').replace(/@\//, '@localhost/'), [
        'postgresql:',
        'postgres:',
      ]) === undefined
        ? undefined
        : text,
    true,
  );
}

function readReplica(reader: Reader): DatabaseSettings['replica'] {
  const maxLagMs = reader.integer('TILL_READ_LAG_SECONDS', 10, 1, 3600) * 1000;
  const name = 'TILL_READ_DATABASE_URL';
  const url = reader.raw(name);
  if (url === undefined) return null;
  const found = reader.raw('DATABASE_URL') === undefined ? withoutPrimary : replicaHosts(url);
  if ('hosts' in found) return { hosts: found.hosts, maxLagMs };
  const example = 'postgresql://till:secret@db2:5432,db3:5432/till?target_session_attrs=standby';
  reader.faults.push({ name, got: 'a value that is not shown', expected: found.expected, example });
  return null;
}

const withoutPrimary = { expected: 'DATABASE_URL beside it: the embedded database has no standby' };

/** The database's address, and the limits for its use. */
export interface DatabaseSettings {
  /** null for the embedded PostgreSQL under `dataDir`. If the URL names several servers, the one that accepts writes is used. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number;
  /** Additional connections for the reads of the dashboard's pages and exports, and the time limit of a statement. */
  readonly dashboardReads: { readonly connections: number; readonly seconds: number };
  /** Standbys for the dashboard's lists, and the maximum lag of one that may be used; null if there is none. */
  readonly replica: { readonly hosts: readonly DatabaseHost[]; readonly maxLagMs: number } | null;
  /** A statement that takes longer is cancelled. */
  readonly databaseStatementSeconds: number;
}

export function readDatabase(reader: Reader): DatabaseSettings {
  return {
    databaseUrl: readDatabaseUrl(reader),
    databaseConnections: reader.integer('TILL_DATABASE_CONNECTIONS', 10, 2, 200),
    databaseStatementSeconds: reader.integer('TILL_DATABASE_STATEMENT_SECONDS', 10, 1, 600),
    dashboardReads: {
      connections: reader.integer('TILL_DASHBOARD_CONNECTIONS', 4, 1, 200),
      seconds: reader.integer('TILL_DASHBOARD_READ_SECONDS', 10, 1, 600),
    },
    replica: readReplica(reader),
  };
}
