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

/** Delay before a process that ended is replaced, so that one that cannot start is not restarted all the time. */
const pauseMs = 1_000;

/** What each process asks its parent before it begins. */
const databaseQuestion = 'which database';

/** What it is answered. */
interface ShareMessage {
  /** The embedded server, which the parent owns; null where another one is configured. */
  readonly database: SharedDatabase | null;
}

/** A process sends its parent what it would print. */
interface PrintMessage {
  readonly print: string;
}

/** Why a process could not start, which all of them say alike. */
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
      // The parent may ask for metrics meanwhile.
      if (!isShareMessage(message)) return;
      process.off('message', listen);
      resolve(message);
    });
  });
  process.send?.(databaseQuestion);
  return (await answered).database ?? undefined;
}

/** Serves in a process that another one started, which says why where this one cannot. */
async function serveForParent(config: Config, version: string, role: Role): Promise<void> {
  let answers = false;
  try {
    await serve(config, version, (text) => void process.send?.({ print: text }), {
      role,
      shared: await sharedDatabase(),
      onMetrics: (registries) => {
        AggregatorRegistry.setRegistries([...registries]);
        // Made for what it does: it answers the parent's questions from now on.
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
 * Serves in as many processes as are configured. With more than one, this process owns the embedded database, starts,
 * watches and ends the others, and collects their metrics; they share the port.
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

/** Starts processes, replaces those that end, and ends them all when it is asked to. */
class Parent {
  readonly #count: number;
  readonly #print: (text: string) => void;
  readonly #log: Logger;
  readonly #workers = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  readonly #printed = new Set<string>();
  readonly #faults = new Map<Worker, string>();
  /** Aborted once the end was asked for. */
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
   * Resolves once all have ended.
   * @param database the embedded one, which all share
   * @returns whether one did not end well
   * @throws what kept one from starting
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
    // Once, although each of them met it.
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
      if (!this.#ending.signal.aborted) this.#missed(worker, isReady, signal ?? String(code), onGone);
      else if (code !== 0) this.#failed = true;
      onGone();
    });
  }

  #answer(worker: Worker): void {
    const message: ShareMessage = { database: this.#database };
    // One that has ended meanwhile needs no answer.
    worker.send(message, () => {});
  }

  /** What several of them say is printed once, and that they are ready when all are. */
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

  /** Where one could not start, the others would not either. */
  #missed(worker: Worker, isReady: boolean, how: string, onGone: () => void): void {
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
