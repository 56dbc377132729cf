import type pg from 'pg';
import { databaseHosts } from '../lib/web/database-hosts.ts';
import { ConnectionSettings } from './connection-settings.ts';
import { types } from './parse.ts';
import { Pool } from './pool.ts';
import { cutOff } from './reach/cut-off.ts';
import { driverAddress } from './reach/driver-address.ts';
import { isReadOnly, isRefused, isServerGone, sqlState } from './reach/errors.ts';
import { Leader } from './reach/leader.ts';
import { leaderClient } from './reach/leader-client.ts';
import type { Outage } from './reach/outage.ts';
import type { ScopedStatement, Statement } from './scope.ts';

export {
  brokenConstraint,
  fencedAccount,
  isConnectionRefused,
  isRefusedByData,
  isUnavailable,
  movingAccount,
  sqlState,
  timeoutKind,
} from './reach/errors.ts';

/** Runs statements, each of which names the tenants whose rows it may touch. */
export interface Queryable {
  readonly query: <Row>(statement: ScopedStatement) => Promise<Row[]>;
}

/** Runs statements of maintenance code, which works on whole tables and therefore on the rows of all accounts. */
export interface Connection {
  readonly query: <Row>(statement: Statement) => Promise<Row[]>;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction; a throw rolls back. Never call a processor, receiver or mail server inside. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Opens a dedicated connection that stays open until it is released, e.g. for session locks. */
  session(): Promise<{ query: Connection['query']; release(): void; onLost(listener: () => void): void }>;
  readonly inUse: () => number;
  close(): Promise<void>;
}

/** A connection for maintenance code, which works on whole tables and therefore on the rows of all accounts. */
export const acrossAccounts = (db: Queryable): Connection => ({
  query: (statement) => db.query({ ...statement, scope: 'everybody' }),
});

/** Names each member instead of spreading: in Node.js 20 a member added to a spread copy creates a new hidden class each time. */
async function run<Row>(client: pg.ClientBase, statement: Statement, timeoutMs?: number): Promise<Row[]> {
  const { name, text } = statement;
  const values = [...(statement.values ?? [])];
  const config = { name, text, values, query_timeout: timeoutMs, rowMode: 'array' };
  return namedRows(await client.query(config as pg.QueryArrayConfig));
}

/** Builds row objects from arrays of values. The driver would copy an empty row for each, ten times as slow in Node.js 20. */
function namedRows<Row>({ rows, fields }: Partial<pg.QueryArrayResult>): Row[] {
  // A text with several statements, e.g. a migration, returns no rows.
  if (rows === undefined || fields === undefined) return [];
  const names = fields.map(({ name }) => name);
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let n = 0; n < names.length; n += 1) row[names[n] as string] = values[n];
    return row as Row;
  });
}

const diskFull = '53100';
/** How long after its statement timeout a statement may still answer. A server that exceeds this counts as down. */
const cancelGraceMs = 3_000;
const keepAliveMs = 5_000;
/** How long connections may take to close when their pool is closed. */
const closeTimeoutMs = 2_000;

/**
 * Follows the leader among the servers that an address names. Returns undefined if the address names a single server.
 * @param onLost called while no server leads, or while the leader does not answer
 * @throws Error if the address cannot be used
 */
export function followLeader(url: string, onLost: (error: Error) => void = () => {}): Leader | undefined {
  const found = databaseHosts(url);
  if (found === null) return undefined;
  if ('expected' in found) throw new Error(`wrong address of the database, expected ${found.expected}`);
  return new Leader({ hosts: found.hosts, onLost });
}

interface DatabaseOptions {
  url: string;
  /** The leader among the servers in `url`, if several pools share it. If absent, the pool follows the leader by itself. */
  leader?: Leader | undefined;
  /** Receives the outcome of each statement. */
  outage?: Outage;
  connections: number;
  applicationName: string;
  /** Statement timeout in milliseconds, see `timeoutKind`. If absent, statements have no timeout. */
  statementMs?: number;
  /**
   * Whether statements use an index wherever one exists. A table with few live rows, such as the operations table, looks small
   * to the planner, which then scans the whole table including all its dead rows.
   */
  prefersIndexes?: boolean;
  /** How long a caller waits for a free connection, 5 seconds by default. */
  acquireMs?: number;
  /** Called when a statement fails because the disk of the database is full. */
  onDiskFull?: () => void;
  /** Whether each statement is restricted to the rows of the accounts in its scope, see `scope.ts`. Called before each. */
  isScoped?: () => boolean;
  /** Called when a connection fails, idle or in use. Without a listener such an error would crash the process. */
  onError: (error: Error) => void;
}

/**
 * Every statement is short, so compiling it never pays off. Before PostgreSQL 18, a plan that wrongly scans a whole table has
 * such a high estimated cost that PostgreSQL compiles it, on every execution.
 */
const withoutJit = '-c jit=off';

const acquireMs = (options: DatabaseOptions) => options.acquireMs ?? 5000;

function openPool(options: DatabaseOptions): Pool {
  const { leader } = options;
  const pool = new Pool({
    ...(leader === undefined
      ? { connectionString: driverAddress(options.url) }
      : { Client: leaderClient(leader) }),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    max: options.connections,
    connectionTimeoutMillis: acquireMs(options),
    idleTimeoutMillis: 0,
    application_name: options.applicationName,
    ...(options.statementMs === undefined ? {} : { statement_timeout: options.statementMs }),
    options: options.prefersIndexes === true ? `${withoutJit} -c enable_seqscan=off` : withoutJit,
    types,
    // The settings for a statement's scope are sent together with the statement.
    pipeline: options.isScoped !== undefined,
  });
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}

/** Closes a connection at once. Its server may never respond, and the driver would keep the socket open until it does. */
function discard(client: pg.PoolClient): void {
  client.release(true);
  cutOff(client);
}

/** Runs statements on connections of a pool, and reports their outcomes to the outage and the leader. */
class Statements {
  readonly #options: DatabaseOptions;
  readonly #leader: Leader | undefined;
  readonly #pool: Pool;
  readonly #settings: ConnectionSettings;
  /** How long to wait for an answer; undefined if statements have no timeout. */
  readonly #timeoutMs: number | undefined;

  constructor(options: DatabaseOptions, leader: Leader | undefined, pool: Pool) {
    this.#options = options;
    this.#leader = leader;
    this.#pool = pool;
    this.#timeoutMs = options.statementMs === undefined ? undefined : options.statementMs + cancelGraceMs;
    this.#settings = new ConnectionSettings(
      (client, statement) => this.plain(client, statement, this.#timeoutMs),
      { isScoped: options.isScoped ?? (() => false), choosesPlans: options.prefersIndexes === true },
    );
  }

  /** @param statement the first statement to run on the connection, if known: a connection with its settings is preferred */
  async connect(statement?: ScopedStatement): Promise<pg.PoolClient> {
    try {
      if (this.#leader !== undefined) await this.#leader.known(acquireMs(this.#options));
      this.#pool.prefer(statement === undefined ? () => false : this.#settings.suits(statement));
      return await this.#pool.connect();
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  async plain<Row>(client: pg.ClientBase, statement: Statement, timeoutMs?: number): Promise<Row[]> {
    const { outage } = this.#options;
    const number = outage?.number ?? 0;
    try {
      const rows = await run<Row>(client, statement, timeoutMs);
      outage?.answered(number);
      return rows;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  send<Row>(client: pg.PoolClient, statement: ScopedStatement): Promise<Row[]> {
    const { stream } = client.connection;
    // The settings and the statement leave in one packet, so the server wakes up only once.
    stream.cork();
    try {
      const set = this.#settings.prepare(client, statement);
      const sent = this.plain<Row>(client, statement, this.#timeoutMs);
      // Nothing may be awaited here: nothing is sent until the stream is uncorked.
      return set === undefined ? sent : Promise.all([sent, set]).then(([rows]) => rows);
    } finally {
      stream.uncork();
    }
  }

  /** Runs a transaction command, which needs no scope. @returns the command that the server executed */
  async control(client: pg.ClientBase, text: 'begin' | 'commit' | 'rollback'): Promise<string> {
    const timeoutMs = this.#timeoutMs === undefined ? {} : { query_timeout: this.#timeoutMs };
    return (await client.query({ text, ...timeoutMs })).command;
  }

  /** Rolls back a failed transaction and releases its connection, or closes the connection if it is no longer usable. */
  async rollBack(client: pg.PoolClient, error: unknown): Promise<void> {
    this.#failed(error);
    this.#settings.forget(client);
    if (isReadOnly(error)) return client.release(true);
    await this.control(client, 'rollback').then(
      () => client.release(),
      () => discard(client),
    );
  }

  #failed(error: unknown): void {
    if (sqlState(error) === diskFull) this.#options.onDiskFull?.();
    this.#options.outage?.failed(error);
    if (isServerGone(error)) this.#leader?.suspect();
  }
}

/** Opens a pool. @throws Error if the address names several servers and cannot be used */
export function openDatabase(options: DatabaseOptions): Database {
  let isClosing = false;
  const leader = options.leader ?? followLeader(options.url, (error) => options.outage?.failed(error));
  const pool = openPool({
    ...options,
    leader,
    // While closing, an embedded server that is being stopped may end a connection before the pool closes it.
    onError: (error) => {
      if (!isClosing) options.onError(error);
    },
  });
  const statements = new Statements(options, leader, pool);
  return {
    async query(statement) {
      const client = await statements.connect(statement);
      let isUsable = false;
      try {
        const rows = await statements.send<never>(client, statement);
        isUsable = true;
        return rows;
      } catch (error) {
        isUsable = isRefused(error);
        throw error;
      } finally {
        if (isUsable) client.release();
        else discard(client);
      }
    },
    async transaction(work) {
      const client = await statements.connect();
      try {
        await statements.control(client, 'begin');
        const result = await work({ query: (statement) => statements.send(client, statement) });
        const outcome = await statements.control(client, 'commit');
        if (outcome === 'ROLLBACK') throw new Error('transaction was rolled back at commit');
        client.release();
        return result;
      } catch (error) {
        await statements.rollBack(client, error);
        throw error;
      }
    },
    async session() {
      const client = await statements.connect();
      return {
        query: (statement) => statements.plain(client, statement),
        release: () => client.release(true),
        onLost: (listener) => void client.on('end', listener),
      };
    },
    inUse: () => pool.totalCount - pool.idleCount,
    async close() {
      isClosing = true;
      const closing = pool.endWithin(closeTimeoutMs);
      await (options.leader === undefined ? leader?.stop(closing) : undefined);
      await closing;
    },
  };
}
