import type { RequestListener } from 'node:http';
import type { Registry } from 'prom-client';
import { addressOf } from '../../cells/cells.ts';
import { copyBetween, copyIntervalMs } from '../../cells/copies.ts';
import { findMisplaced } from '../../cells/places.ts';
import { type CellRow, home, listCells } from '../../cells/store.ts';
import { composeServer } from '../../compose/compose.ts';
import type { ServerDependencies, Surrounding } from '../../compose/dependencies.ts';
import type { Role } from '../../compose/jobs.ts';
import { periodically } from '../../jobs/periodic.ts';
import { describeError, logWith, withoutExplained } from '../../lib/log/log.ts';
import { createMetrics } from '../../lib/metrics.ts';
import type { Database } from '../../store/database.ts';
import { Outage } from '../../store/reach/outage.ts';
import { openStore } from './open-store.ts';

type Shared = Omit<
  ServerDependencies,
  'db' | 'reads' | 'replica' | 'space' | 'instance' | 'metrics' | 'within'
>;

export interface CellServersDependencies extends Shared {
  readonly surrounding: Omit<Surrounding, 'cell'>;
  readonly role: Role;
  readonly overDatabase: (db: Database) => Database;
}

/**
 * Identifies a cell by when it was added and by its address. A cell that was removed and added again under the same name is a
 * new one, and a cell with a changed address has to be opened again.
 */
const identityOf = ({ created_at: addedAt, url }: CellRow) =>
  `${addedAt.getTime()} ${url?.toString('base64')}`;

interface CellServer {
  readonly identity: string;
  readonly listener: RequestListener;
  readonly hasSandboxPage: (url: string) => Promise<boolean>;
  readonly registry: Registry;
  stop(): Promise<void>;
}

/** The servers of this process for the cells other than home. A cell that cannot be reached is retried periodically. */
export class CellServers {
  readonly #deps: CellServersDependencies;
  readonly #servers = new Map<string, CellServer>();
  readonly #opening = new Map<string, Promise<void>>();
  readonly #missed = new Set<string>();
  #isClosed = false;

  constructor(deps: CellServersDependencies) {
    this.#deps = deps;
  }

  listenerIn(cell: string): RequestListener | undefined {
    return this.#servers.get(cell)?.listener;
  }

  /** The metrics of each cell, labelled with its name. */
  get registries(): readonly Registry[] {
    return [...this.#servers.values()].map(({ registry }) => registry);
  }

  /** Finds the cell that has the object of a simulator's page; undefined if no cell that responds has it. */
  async cellOfPage(url: string): Promise<string | undefined> {
    for (const [name, { hasSandboxPage }] of this.#servers) {
      if (await hasSandboxPage(url).catch(() => false)) return name;
    }
    return undefined;
  }

  /** Whether any cell is served. */
  get isServing(): boolean {
    return this.#servers.size > 0;
  }

  /**
   * Opens cells that are new or could not be reached before, and closes those that were removed. Resolves once each has been
   * tried.
   */
  async open(): Promise<void> {
    if (this.#isClosed) return;
    const cells = await listCells(this.#deps.surrounding.home);
    await this.#stopRemoved(cells);
    for (const cell of cells) {
      const { name } = cell;
      if (name === home || this.#servers.has(name) || this.#opening.has(name)) continue;
      const opening = this.#open(cell).finally(() => this.#opening.delete(name));
      this.#opening.set(name, opening);
    }
    await Promise.all(this.#opening.values());
  }

  async #stopRemoved(cells: readonly CellRow[]): Promise<void> {
    const there = new Map(cells.map((cell) => [cell.name, identityOf(cell)]));
    for (const name of this.#missed) if (!there.has(name)) this.#missed.delete(name);
    const removed = [...this.#servers].filter(([name, { identity }]) => there.get(name) !== identity);
    for (const [name, server] of removed) {
      this.#servers.delete(name);
      await server.stop();
      logWith(this.#deps.log, { cell: name }).info('the cell was removed, or its address changed');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#opening.values());
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
  }

  async #open(cell: CellRow): Promise<void> {
    const { name } = cell;
    const log = logWith(this.#deps.log, { cell: name });
    try {
      this.#servers.set(name, await openCell(this.#deps, cell));
      log.info('the cell is served');
      this.#missed.delete(name);
    } catch (error) {
      if (!this.#missed.has(name)) log.error('the cell cannot be served', describeError(error));
      this.#missed.add(name);
    }
  }
}

/** Opens a server on the database of one cell. It shares nothing but this process with the servers of other cells. */
async function openCell(deps: CellServersDependencies, cell: CellRow): Promise<CellServer> {
  const { config, masterKeys, clock, surrounding } = deps;
  const { name } = cell;
  const databaseUrl = addressOf(cell, masterKeys) ?? null;
  const everyLine = logWith(deps.log, { cell: name });
  const outage = new Outage(everyLine, clock.elapsed);
  const log = withoutExplained(everyLine, (error) => outage.explains(error));
  const own = { ...config, databaseUrl, replica: null };
  const store = await openStore(own, masterKeys, { clock, log, outage, cell: name });
  try {
    const misplaced = await findMisplaced(surrounding.home, name, store.db);
    if (misplaced.length > 0) {
      log.error('the cell has accounts that the directory does not place there', {
        detail: misplaced.slice(0, 20).join(', '),
      });
    }
    const metrics = createMetrics(null, store.db.inUse);
    metrics.registry.setDefaultLabels({ cell: name });
    const db = deps.overDatabase(store.db);
    const within = { ...surrounding, cell: name };
    const server = await composeServer({ ...deps, ...store, config: own, db, log, metrics, within });
    const listener = await server.startWithin();
    const stopJobs = server.startJobs(deps.role);
    const stopCopying =
      deps.role === 'web' ? async () => {} : startCopying(deps, { name, cell: store.db, log });
    return {
      identity: identityOf(cell),
      listener,
      hasSandboxPage: server.hasSandboxPage,
      registry: metrics.registry,
      async stop() {
        await server.drain();
        await stopCopying();
        await stopJobs();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function startCopying(
  { clock, surrounding }: CellServersDependencies,
  { name, cell, log }: { readonly name: string; readonly cell: Database; readonly log: Shared['log'] },
): () => Promise<void> {
  return periodically(
    clock,
    copyIntervalMs,
    async () => void (await copyBetween({ home: surrounding.home, name, cell }, clock.now())),
    (error) => log.error('copying between home and the cell failed', describeError(error)),
  );
}
