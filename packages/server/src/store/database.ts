import type pg from 'pg';
import { databaseHosts } from '../lib/web/database-hosts.ts';
import { ConnectionSettings } from './connection-settings.ts';
import { types } from './parse.ts';
import { Pool } from './pool.ts';
import { cutOff } from './reach/cut-off.ts';
import { driverAddress } from './reach/driver-address.ts';
import { isAway, isReadOnly, isRefused, sqlState } from './reach/errors.ts';
import { Leader } from './reach/leader.ts';
import { leaderClient } from './reach/leader-client.ts';
import type { Outage } from './reach/outage.ts';
import type { ScopedStatement, Statement } from './scope.ts';

export {
  accountOnItsWay,
  brokenConstraint,
  fencedAccount,
  isConnectionRefused,
  isRefusedByData,
  isUnavailable,
  sqlState,
  whyTooLong,
} from './reach/errors.ts';

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

/** Written out: what is added to a spread copy has a hidden class of its own in Node.js 20, for each statement anew. */
async function run<Row>(client: pg.ClientBase, statement: Statement, timeoutMs?: number): Promise<Row[]> {
  const { name, text } = statement;
  const values = [...(statement.values ?? [])];
  const config = { name, text, values, query_timeout: timeoutMs, rowMode: 'array' };
  return namedRows(await client.query(config as pg.QueryArrayConfig));
}

/** Rows by their columns. The driver copies an empty row for each, which takes ten times as long in Node.js 20. */
function namedRows<Row>({ rows, fields }: Partial<pg.QueryArrayResult>): Row[] {
  // Several statements in one text, as of a migration, have no rows.
  if (rows === undefined || fields === undefined) return [];
  const names = fields.map(({ name }) => name);
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let n = 0; n < names.length; n += 1) row[names[n] as string] = values[n];
    return row as Row;
  });
}

const diskFull = '53100';
/** A server that does not even stop a statement when its time is over, and some more, has stopped itself. */
const cancelGraceMs = 3_000;
const keepAliveMs = 5_000;
/** How long connections may take to end when a pool is closed. */
const closeTimeoutMs = 2_000;

/**
 * Follows the leader of an address that names several servers, or none in particular; undefined for one server.
 * @param onLost called while no server leads, or the leader does not answer
 * @throws Error where the address cannot be used
 */
export function followLeader(url: string, onLost: (error: Error) => void = () => {}): Leader | undefined {
  const found = databaseHosts(url);
  if (found === null) return undefined;
  if ('expected' in found) throw new Error(`wrong address of the database, expected ${found.expected}`);
  return new Leader({ hosts: found.hosts, onLost });
}

interface DatabaseOptions {
  url: string;
  /** Of the servers that `url` names, where several pools share it; else the pool has one of its own. */
  leader?: Leader | undefined;
  /** Hears how statements fare. */
  outage?: Outage;
  connections: number;
  applicationName: string;
  /** A statement that takes longer is stopped: see `whyTooLong`. Absent: none is. */
  statementMs?: number;
  /**
   * Whether rows are found by an index wherever one leads to them. A table of which little is alive, as that of operations,
   * counts as small when a statement is planned, and is read whole with all its dead rows from then on.
   */
  prefersIndexes?: boolean;
  /** How long a caller waits for a free connection, 5 seconds by default. */
  acquireMs?: number;
  /** Told when a statement failed because the disk of the database is full. */
  onDiskFull?: () => void;
  /** Whether each statement is held to the rows of the accounts that it names, see `scope.ts`. Asked before each. */
  isScoped?: () => boolean;
  /** Told of connections that die while idle or in use; without a listener they would end the process. */
  onError: (error: Error) => void;
}

/**
 * Every statement is short. Before PostgreSQL 18 a plan that reads a table whole although it should not counts as so dear that
 * compiling it seems worth the while, each time anew.
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
    // The scope of a statement travels together with it.
    pipeline: options.isScoped !== undefined,
  });
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}

/** Gives a connection up whose server may be silent: it would be kept open for as long as what was sent has no answer. */
function discard(client: pg.PoolClient): void {
  client.release(true);
  cutOff(client);
}

/** Runs statements on connections of a pool, and passes on how they fare. */
class Statements {
  readonly #options: DatabaseOptions;
  readonly #leader: Leader | undefined;
  readonly #pool: Pool;
  readonly #settings: ConnectionSettings;
  /** How long an answer is waited for; no bound where statements have none. */
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

  /** @param statement the first one, where it is known */
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
    // What has to be set before leaves in the same packet, for which the server wakes up once.
    stream.cork();
    try {
      const set = this.#settings.prepare(client, statement);
      const sent = this.plain<Row>(client, statement, this.#timeoutMs);
      // Not awaited here: nothing is sent before the stream is uncorked.
      return set === undefined ? sent : Promise.all([sent, set]).then(([rows]) => rows);
    } finally {
      stream.uncork();
    }
  }

  /** Its own words, of which no scope is asked. @returns the command that was carried out */
  async control(client: pg.ClientBase, text: 'begin' | 'commit' | 'rollback'): Promise<string> {
    const timeoutMs = this.#timeoutMs === undefined ? {} : { query_timeout: this.#timeoutMs };
    return (await client.query({ text, ...timeoutMs })).command;
  }

  /** Ends a transaction that failed. */
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
    if (isAway(error)) this.#leader?.suspect();
  }
}

/** Opens a pool. @throws Error where the address names several servers and cannot be used */
export function openDatabase(options: DatabaseOptions): Database {
  let isClosing = false;
  const leader = options.leader ?? followLeader(options.url, (error) => options.outage?.failed(error));
  const pool = openPool({
    ...options,
    leader,
    // An embedded server that is stopped next may end a connection before it has ended itself.
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
