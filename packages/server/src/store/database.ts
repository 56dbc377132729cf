import pg from 'pg';
import type { ScopedStatement, Statement } from './scope.ts';
import { ScopedClients } from './scoped-client.ts';

/** Runs statements that say whose rows they may touch. */
export interface Queryable {
  readonly query: <Row>(statement: ScopedStatement) => Promise<Row[]>;
}

/** Runs statements of what looks after the tables themselves, and so after the rows of everybody. */
export interface Connection {
  readonly query: <Row>(statement: Statement) => Promise<Row[]>;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction; a throw rolls back. Never call a processor, receiver or mail server inside. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** A connection of its own that stays open until released, e.g. for session locks. */
  session(): Promise<{ query: Connection['query']; release(): void; onLost(listener: () => void): void }>;
  readonly inUse: () => number;
  close(): Promise<void>;
}

/** What looks after the tables themselves, and so after the rows of everybody. */
export const acrossAccounts = (db: Queryable): Connection => ({
  query: (statement) => db.query({ ...statement, scope: 'everybody' }),
});

type TypeParser = typeof pg.types.getTypeParser;
const int8: number = pg.types.builtins.INT8;
const usualParser = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;

/** Timestamps come as Date, bigint columns as number: every number of ours is below 2^53. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : usualParser(oid, format)) as TypeParser,
};

async function run<Row>(client: pg.ClientBase, statement: Statement): Promise<Row[]> {
  const result = await client.query({
    ...(statement.name === undefined ? {} : { name: statement.name }),
    text: statement.text,
    values: [...(statement.values ?? [])],
  });
  return result.rows as Row[];
}

const diskFull = '53100';

interface DatabaseOptions {
  url: string;
  connections: number;
  applicationName: string;
  /** A statement that takes longer is stopped: see `whyTooLong`. Absent: none is. */
  statementMs?: number;
  /** How long a caller waits for a free connection, 5 seconds by default. */
  acquireMs?: number;
  /** Told when a statement failed because the disk of the database is full. */
  onDiskFull?: () => void;
  /** Whether each statement is held to the rows of the accounts that it names, see `scope.ts`. Asked before each. */
  isScoped?: () => boolean;
  /** Told of connections that die while idle or in use; without a listener they would end the process. */
  onError: (error: Error) => void;
}

function openPool(options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: options.acquireMs ?? 5000,
    idleTimeoutMillis: 0,
    application_name: options.applicationName,
    ...(options.statementMs === undefined ? {} : { statement_timeout: options.statementMs }),
    types,
    // The scope of a statement travels together with it.
    pipeline: options.isScoped !== undefined,
  });
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}

/** Opens a pool. */
export function openDatabase(options: DatabaseOptions): Database {
  let isClosing = false;
  const pool = openPool({
    ...options,
    // An embedded server that is stopped next may end a connection before it has ended itself.
    onError: (error) => {
      if (!isClosing) options.onError(error);
    },
  });
  const plain = async <Row>(client: pg.ClientBase, statement: Statement): Promise<Row[]> => {
    try {
      return await run(client, statement);
    } catch (error) {
      if (sqlState(error) === diskFull) options.onDiskFull?.();
      throw error;
    }
  };
  const scoped = new ScopedClients(plain);
  const send = <Row>(client: pg.ClientBase, statement: ScopedStatement): Promise<Row[]> =>
    options.isScoped?.() === true ? scoped.query(client, statement) : plain(client, statement);
  return {
    async query(statement) {
      const client = await pool.connect();
      let isUsable = false;
      try {
        const rows = await send<never>(client, statement);
        isUsable = true;
        return rows;
      } catch (error) {
        isUsable = isRefused(error);
        throw error;
      } finally {
        client.release(!isUsable);
      }
    },
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work({ query: (statement) => send(client, statement) });
        const outcome = await client.query('commit');
        if (outcome.command === 'ROLLBACK') throw new Error('transaction was rolled back at commit');
        client.release();
        return result;
      } catch (error) {
        scoped.forget(client);
        await client.query('rollback').then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },
    async session() {
      const client = await pool.connect();
      return {
        query: (statement) => plain(client, statement),
        release: () => client.release(true),
        onLost: (listener) => void client.on('end', listener),
      };
    },
    inUse: () => pool.totalCount - pool.idleCount,
    close() {
      isClosing = true;
      return pool.end();
    },
  };
}

/** The five-character SQLSTATE of a database error, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** True where the server refused a statement and goes on to serve the connection. */
const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR';

/** The name of the constraint that a database error broke. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** True where the statement itself was refused, so that nothing of it was kept and others may still succeed. */
export function isRefusedByData(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && ['21', '22', '23', '40', '44'].includes(state.slice(0, 2));
}

const stopped = '57014';
const noConnectionFree = /timeout exceeded when trying to connect/i;

/**
 * Why reading was given up though the database is there: the statement took longer than `statementMs`, or so many
 * others ran that none of the pool's connections came free.
 */
export function whyTooLong(error: unknown): 'statement' | 'waiting' | undefined {
  if (sqlState(error) === stopped) return 'statement';
  return error instanceof Error && noConnectionFree.test(error.message) ? 'waiting' : undefined;
}

/** True where the database could not be reached or went away: the caller answers 503, not 500. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return ['08', '53', '57', '58'].includes(state.slice(0, 2)) || state === '25006';
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  return (
    (code !== undefined &&
      ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EACCES'].includes(code)) ||
    /connection terminated|timeout exceeded when trying to connect|connection timeout|client has encountered a connection error|rolled back at commit/i.test(
      error.message,
    )
  );
}
