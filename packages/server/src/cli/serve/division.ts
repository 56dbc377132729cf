import { randomBytes } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { Directory } from '../../cells/directory.ts';
import { createRepairers, repairIntervalMs } from '../../cells/move/repair.ts';
import { OpenedCells } from '../../cells/opened-cells.ts';
import { home } from '../../cells/store.ts';
import type { composeServer } from '../../compose/compose.ts';
import { divideRequests } from '../../compose/front.ts';
import { periodically } from '../../jobs/periodic.ts';
import { newId, pooled } from '../../lib/ids.ts';
import { describeError } from '../../lib/log/log.ts';
import type { Database } from '../../store/database.ts';
import { CellServers, type CellServersDependencies } from './cell-servers.ts';
import { watchCells } from './watch-cells.ts';

/** Creates the directory of a home database. @param aside separate connections for it, used if there is more than one cell */
export function directoryOf(db: Database, aside: () => Database): Directory {
  const directory: Directory = new Directory(() => (directory.isDivided ? aside() : db));
  return directory;
}

type Server = Awaited<ReturnType<typeof composeServer>>;

interface DivisionDependencies extends Omit<CellServersDependencies, 'surrounding' | 'directory'> {
  readonly directory: Directory;
  /** The server of home, and its database. */
  readonly server: Server;
  readonly home: Database;
  /** The URL of the home database. */
  readonly url: string;
  readonly registry: Registry;
  /** Called with the metrics of all cells, and again whenever the list of cells changes. */
  readonly onMetrics?: ((registries: readonly Registry[]) => void) | undefined;
}

/** Serves the cells other than home in one process. As long as there are none, it only checks for new ones. */
export class Division {
  readonly #deps: DivisionDependencies;
  readonly #servers: CellServers;
  #stopWatching: () => Promise<void> = async () => {};
  #stopRepairs: () => Promise<void> = async () => {};
  #registries: readonly Registry[];

  constructor(deps: DivisionDependencies) {
    const { server, directory } = deps;
    this.#deps = deps;
    this.#registries = [deps.registry];
    const { limits, publicAddress, draining } = server;
    const surrounding = { home: deps.home, directory, limits, publicAddress, draining };
    this.#servers = new CellServers({ ...deps, surrounding });
  }

  /** The metrics of each cell that is currently served, home first. */
  get registries(): readonly Registry[] {
    return this.#registries;
  }

  /** The content of `/metrics`. With more than one cell, each series is labelled with its cell. */
  get metrics() {
    const { registry } = this.#deps;
    return {
      contentType: registry.contentType,
      metrics: async () => {
        if (this.#registries.length === 1) return registry.metrics();
        const parts = await Promise.all(this.#registries.map((one) => one.getMetricsAsJSON()));
        return AggregatorRegistry.aggregate(parts).metrics();
      },
    };
  }

  /** Opens the cells and routes requests to them. Called before the server listens. */
  async start(): Promise<void> {
    const { server, directory, clock, log, onMetrics } = this.#deps;
    onMetrics?.(this.#registries);
    const bytes = pooled(randomBytes);
    divideRequests(server.app.server, {
      directory,
      newRequestId: () => newId('req', clock.now(), bytes),
      baseUrl: server.publicAddress,
      elapsed: clock.elapsed,
      rateLimiter: server.limits.rateLimiter,
      listenerIn: (cell) => this.#servers.listenerIn(cell),
      cellOfPage: async (url) =>
        (await server.hasSandboxPage(url)) ? home : ((await this.#servers.cellOfPage(url)) ?? home),
      onIncident: (error) => log.error('the cell of a request was not found', describeError(error)),
    });
    await directory.refresh();
    await this.#open();
    // Opening a cell that is away takes a while, so the directory is read again before the server listens.
    if (directory.isDivided) await directory.refresh();
    this.#stopWatching = watchCells({
      clock,
      isDivided: () => directory.isDivided,
      look: async () => void (await directory.refresh()),
      open: () => this.#open(),
      onError: (error) => log.warn('the directory was not read', describeError(error)),
    });
    if (this.#deps.role !== 'web') this.#stopRepairs = this.#startRepairs();
  }

  /** Stops the jobs of the cells. Called once the requests have ended. */
  async close(): Promise<void> {
    await this.#stopWatching();
    await this.#stopRepairs();
    await this.#servers.close();
  }

  /** Starts the repair of moves that were killed or stall, so that their accounts take requests again. */
  #startRepairs(): () => Promise<void> {
    const { directory, home: db, url, clock, masterKeys, log } = this.#deps;
    const onError = (error: unknown) =>
      log.error('a move that stands still was not ended', describeError(error));
    const repairing = {
      onError,
      elapsed: clock.elapsed,
      seen: new Map<string, number>(),
      home: db,
      open: () => new OpenedCells(url, masterKeys, clock),
      onRepaired: (account: string, outcome: string) =>
        log.warn('a move of an account had stood still', { account, outcome }),
    };
    const repairers = createRepairers(repairing);
    const stops = repairers.map((repairer) =>
      periodically(
        clock,
        repairIntervalMs,
        async () => (directory.isDivided ? repairer.look() : undefined),
        onError,
      ),
    );
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all(repairers.map((repairer) => repairer.stop()));
    };
  }

  async #open(): Promise<void> {
    const { directory, registry, onMetrics } = this.#deps;
    // Without further cells there is nothing to do, unless the last one was just removed and must be closed.
    if (!directory.isDivided && !this.#servers.isServing) return;
    await this.#servers.open();
    const registries = [registry, ...this.#servers.registries];
    const known = new Set(this.#registries);
    if (registries.length === known.size && registries.every((one) => known.has(one))) return;
    registry.setDefaultLabels({ cell: home });
    this.#registries = registries;
    onMetrics?.(registries);
  }
}
