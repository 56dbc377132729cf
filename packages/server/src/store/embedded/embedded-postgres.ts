import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../lib/text/message-of.ts';
import { findPlace, type Place, preparePlace } from './files/place.ts';
import { type OpenOptions, openServer, type Server } from './postmaster.ts';
import { isServer, runningPostmaster } from './processes/processes.ts';
import { closeServer } from './processes/shutdown.ts';
import { connectionUrl, hasSocket } from './processes/sockets.ts';

const CHECK_MS = 250;
const STABLE_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
const MANY_FAILURES = 5;

/** A PostgreSQL server that this process manages and keeps running until `stop`. */
export interface EmbeddedPostgres {
  /** `postgresql://till:<password>@/till?host=<socket folder>`, for both `pg` and libpq. */
  readonly url: string;
  /** PostgreSQL's data directory. */
  readonly folder: string;
  /** Whether this is a server that an earlier process left running. */
  readonly adopted: boolean;
  /** The postmaster's process id; it changes when the server is restarted. */
  pid(): number;
  /** Shuts the server down and waits until it is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The data folder; created if missing. */
  dataDir: string;
  log?: (message: string) => void;
  /** A folder with PostgreSQL's `bin`, `lib` and `share`, to use instead of the installed package. */
  binaries?: string;
}

/** Starts the data folder's server, or takes over the one that already runs there, and restarts it if it dies. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = await preparePlace(options.dataDir);
  const log = options.log ?? (() => undefined);
  const server = await openServer(place, { log, binaries: options.binaries });
  return new Supervisor(place, server, { log, binaries: options.binaries });
}

/** The URL of the server that runs on a data folder, undefined if none does. */
export async function findRunningPostgres(dataDir: string): Promise<{ url: string } | undefined> {
  const place = await findPlace(dataDir);
  const running = place && (await runningPostmaster(place));
  return place && running?.status === 'ready'
    ? { url: connectionUrl(place, running.socketFolder) }
    : undefined;
}

class Supervisor implements EmbeddedPostgres {
  readonly url: string;
  readonly folder: string;
  readonly adopted: boolean;
  readonly #place: Place;
  readonly #options: OpenOptions;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #server: Server;
  #since = Date.now();
  #failures = 0;
  #checking: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(place: Place, server: Server, options: OpenOptions) {
    this.url = connectionUrl(place, server.socketFolder);
    this.folder = place.cluster;
    this.adopted = server.adopted;
    this.#place = place;
    this.#server = server;
    this.#options = { ...options, socketFolder: server.socketFolder, signal: this.#abort.signal };
    this.#timer = setInterval(() => this.#tick(), CHECK_MS).unref();
  }

  pid(): number {
    return this.#server.pid;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#abort.abort();
    await this.#checking;
    await closeServer(this.#place, this.#server);
  }

  #tick(): void {
    this.#checking ??= this.#check()
      .catch((error) => this.#report(error))
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #check(): Promise<void> {
    const { pid, socketFolder } = this.#server;
    const alive = await isServer(this.#place, pid);
    if (alive && hasSocket(socketFolder)) {
      if (Date.now() - this.#since > STABLE_MS) this.#failures = 0;
      return;
    }
    this.#options.log(
      `the database server ${pid} ${alive ? 'has lost its socket' : 'is gone'}; starting it again`,
    );
    while (!this.#abort.signal.aborted && !(await this.#restart())) {
      this.#failures += 1;
    }
  }

  /** Makes one attempt, after a backoff that grows with the number of failures. */
  async #restart(): Promise<boolean> {
    try {
      await this.#pause();
      this.#server = await openServer(this.#place, this.#options);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#report(error);
      return false;
    }
    this.#since = Date.now();
    // A server that keeps dying soon after its start counts as failing too.
    this.#failures += 1;
    this.#options.log(`the database server runs again as ${this.#server.pid}`);
    return true;
  }

  async #pause(): Promise<void> {
    if (this.#failures === 0) return;
    const wanted = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
    await delay(wanted, undefined, { signal: this.#abort.signal, ref: false });
  }

  #report(error: unknown): void {
    const reason = messageOf(error);
    if (this.#failures < MANY_FAILURES) {
      this.#options.log(`the database server did not come back: ${reason}`);
    } else if (this.#failures === MANY_FAILURES) {
      const pause = MAX_PAUSE_MS / 1000;
      this.#options.log(`the database server stays down, trying every ${pause} s from now on: ${reason}`);
    }
  }
}
