import type { Clock } from '../lib/clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import type { MasterKeys } from '../vault/master-keys.ts';
import { addressOf, requireCell } from './cells.ts';

/** Connections for each database: for locks, the snapshot, writes, and further queries. */
const connections = 6;

const opened = (url: string): Database =>
  openDatabase({ url, connections, applicationName: 'till move', onError: () => {} });

/** Opens the databases of cells for work that needs several connections to each. */
export class OpenedCells {
  readonly home: Database;
  readonly clock: Clock;
  readonly #masterKeys: MasterKeys;
  readonly #others = new Map<string, Database>();
  #closing: Promise<unknown> | undefined;

  /** @param url of the home database */
  constructor(url: string, masterKeys: MasterKeys, clock: Clock) {
    this.home = opened(url);
    this.clock = clock;
    this.#masterKeys = masterKeys;
  }

  /** @throws OperatorError `cell_not_found` */
  readonly open = async (name: string): Promise<Database> => {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    const url = addressOf(await requireCell(this.home, name), this.#masterKeys);
    if (url === undefined) return this.home;
    if (this.#closing !== undefined) throw new Error('the databases are closed');
    const db = opened(url);
    this.#others.set(name, db);
    return db;
  };

  /** Closes all databases. Work in progress on them fails. May be called more than once. */
  async close(): Promise<void> {
    this.#closing ??= Promise.all([this.home, ...this.#others.values()].map((db) => db.close()));
    await this.#closing;
  }
}
