import cluster, { type Worker } from 'node:cluster';
import type { Server } from 'node:http';
import { AggregatorRegistry } from 'prom-client';
import type { Role } from '../../compose/jobs.ts';
import type { Config } from '../../config/config.ts';
import { endMetricsServer } from '../../http/server/metrics-server.ts';
import { systemClock } from '../../lib/clock.ts';
import { LineWriter } from '../../lib/log/line-writer.ts';
import { createLogger, type Logger } from '../../lib/log/log.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { endSignals } from '../lib/end-signals.ts';
import { ownEmbedded, type SharedDatabase } from './own-embedded.ts';
import { openMetrics, serve } from './serve.ts';

/** The delay before a process that ended is replaced, so that a process that cannot start is not restarted in a tight loop. */
const pauseMs = 1_000;

/** The message with which each process asks its parent for the database, before it starts to serve. */
const databaseQuestion = 'which database';

/** The parent's answer to `databaseQuestion`. */
interface ShareMessage {
  /** The embedded database server, which the parent owns; null if another database is configured. */
  readonly database: SharedDatabase | null;
}

/** Text that a process would print, sent to its parent. */
interface PrintMessage {
  readonly print: string;
}

/** The reason why a process could not start, which is usually the same for all processes. */
interface FaultMessage {
  readonly fault: string;
}

const isFaultMessage = (message: unknown): message is FaultMessage =>
  typeof message === 'object' && message !== null && 'fault' in message && typeof message.fault === 'string';

const isPrintMessage = (message: unknown): message is PrintMessage =>
  typeof message === 'object' && message !== null && 'print' in message && typeof message.print === 'string';

const isShareMessage = (message: unknown): message is ShareMessage =>
  typeof message === 'object' && message !== null && 'database' in message;

async function sharedDatabase(): Promise<SharedDatabase | undefined> {
  const answered = new Promise<ShareMessage>((resolve) => {
    process.on('message', function listen(message) {
      // Other messages may arrive first: the parent may ask for metrics.
      if (!isShareMessage(message)) return;
      process.off('message', listen);
      resolve(message);
    });
  });
  process.send?.(databaseQuestion);
  return (await answered).database ?? undefined;
}

/** Serves in a process that a parent started. If this process cannot start, the parent prints the reason. */
async function serveForParent(config: Config, version: string, role: Role): Promise<void> {
  let answers = false;
  try {
    await serve(config, version, (text) => void process.send?.({ print: text }), {
      role,
      shared: await sharedDatabase(),
      onMetrics: (registries) => {
        AggregatorRegistry.setRegistries([...registries]);
        // Created for its side effect: from now on it answers the parent's requests for metrics.
        if (!answers) void new AggregatorRegistry();
        answers = true;
      },
    });
  } catch (error) {
    const message: FaultMessage = { fault: messageOf(error) };
    const isSent = await new Promise((resolve) => {
      if (process.send === undefined) resolve(false);
      else process.send(message, undefined, {}, (failed: Error | null) => resolve(failed === null));
    });
    if (isSent !== true) throw error;
    process.exit(1);
  }
  cluster.worker?.disconnect();
}

/**
 * Serves in as many processes as are configured. With more than one, this process serves nothing itself: it owns the embedded
 * database, starts, supervises and ends the others, and collects their metrics. The others share the port.
 */
export async function serveProcesses(
  config: Config,
  version: string,
  print: (text: string) => void,
  role: Role,
): Promise<void> {
  if (cluster.isWorker) return serveForParent(config, version, role);
  if (config.processes === 1) {
    await serve(config, version, print, { role });
    return;
  }
  const lines = new LineWriter((text) => process.stderr.write(text));
  process.on('exit', () => lines.flush());
  const log = createLogger(config.logLevel, (line) => lines.line(line));
  const parent = new Parent(config.processes, print, log);
  const owned =
    config.databaseUrl === null ? await ownEmbedded(config.dataDir, { clock: systemClock, log }) : undefined;
  const aggregator = new AggregatorRegistry();
  let metricsServer: Server | undefined;
  try {
    metricsServer = await openMetrics(
      config.metrics,
      { contentType: aggregator.contentType, metrics: () => aggregator.clusterMetrics() },
      log,
    );
    if (await parent.run(owned)) process.exitCode = 1;
  } finally {
    endMetricsServer(metricsServer);
    await owned?.close();
    lines.flush();
  }
}

/** Supervises the server processes: starts them, replaces those that end, and ends them all at a signal. */
class Parent {
  readonly #count: number;
  readonly #print: (text: string) => void;
  readonly #log: Logger;
  readonly #workers = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  readonly #printed = new Set<string>();
  readonly #faults = new Map<Worker, string>();
  /** Aborted once the processes have been asked to end. */
  readonly #ending = new AbortController();
  #database: SharedDatabase | null = null;
  #wasReady = false;
  #failed = false;

  constructor(count: number, print: (text: string) => void, log: Logger) {
    this.#count = count;
    this.#print = print;
    this.#log = log;
    for (const name of endSignals) process.on(name, () => this.#end());
  }

  /**
   * Starts the processes. Resolves once all of them have ended.
   * @param database the embedded database, which they share
   * @returns whether any process failed
   * @throws Error with the reason if a process could not start
   */
  async run(database: SharedDatabase | undefined): Promise<boolean> {
    this.#database = database === undefined ? null : { url: database.url, folder: database.folder };
    if (this.#ending.signal.aborted) return false;
    await new Promise<void>((resolve) => {
      const onGone = () => {
        if (this.#workers.size === 0 && this.#ending.signal.aborted) resolve();
      };
      for (let index = 0; index < this.#count; index += 1) this.#start(onGone);
    });
    // Several processes may have failed for the same reason, which is reported once.
    if (this.#faults.size > 0) throw new Error([...new Set(this.#faults.values())].join('; '));
    return this.#failed;
  }

  #start(onGone: () => void): void {
    const worker = cluster.fork();
    this.#workers.add(worker);
    worker.on('message', (message: unknown) => {
      if (message === databaseQuestion) this.#answer(worker);
      if (isPrintMessage(message)) this.#receive(worker, message.print);
      if (isFaultMessage(message)) this.#faults.set(worker, message.fault);
    });
    worker.once('exit', (code, signal) => {
      this.#workers.delete(worker);
      const isReady = this.#ready.delete(worker);
      if (!this.#ending.signal.aborted) {
        this.#onUnexpectedExit(worker, isReady, signal ?? String(code), onGone);
      } else if (code !== 0) {
        this.#failed = true;
      }
      onGone();
    });
  }

  #answer(worker: Worker): void {
    const message: ShareMessage = { database: this.#database };
    // The error of a process that has ended meanwhile is ignored.
    worker.send(message, () => {});
  }

  /** Prints each text once, although several processes send it, and the ready line once all processes are ready. */
  #receive(worker: Worker, text: string): void {
    if (!text.startsWith('ready ')) {
      if (!this.#printed.has(text)) this.#print(text);
      this.#printed.add(text);
      return;
    }
    this.#ready.add(worker);
    if (this.#wasReady || this.#ready.size < this.#count) return;
    this.#wasReady = true;
    this.#print(text);
  }

  /** Replaces a process that ended. If it ended at the first start, ends all: the others could not start either. */
  #onUnexpectedExit(worker: Worker, isReady: boolean, how: string, onGone: () => void): void {
    const isFirstStart = !isReady && !this.#wasReady;
    const fault = this.#faults.get(worker);
    if (!isFirstStart || fault === undefined) {
      this.#log.error('a server process ended by itself', {
        detail: fault ?? how,
        count: this.#workers.size,
      });
    }
    if (isFirstStart) {
      this.#failed = true;
      this.#end();
      return;
    }
    this.#faults.delete(worker);
    void this.#replace(onGone);
  }

  async #replace(onGone: () => void): Promise<void> {
    await systemClock.delay(pauseMs, this.#ending.signal);
    if (!this.#ending.signal.aborted) this.#start(onGone);
  }

  #end(): void {
    this.#ending.abort();
    for (const worker of this.#workers) worker.process.kill('SIGTERM');
  }
}
