import { setTimeout as pause } from 'node:timers/promises';
import type { Provider } from '@till/contract';
import type { WireRequest, WireResponse } from '@till/sandbox';
import { deriveKeys } from '../../packages/server/src/lib/keys.ts';
import type { Database } from '../../packages/server/src/store/database.ts';
import { deriveMasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import type { CleanUp } from '../support/clean-up.ts';
import type { RunningServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { presentCells } from './cells.ts';
import type { ApiRequest, Client, Reply, Service, Shop } from './client.ts';
import { MovableClock } from './clock.ts';
import { type Finding, findFaults, internalError } from './counters.ts';
import {
  gather,
  isFinished,
  openShop,
  type Place,
  Receiver,
  type Unfinished,
  unfinishedOf,
} from './evidence.ts';
import { serveReceiver, serveUpstream } from './http-front.ts';
import { type MerchantName, setMerchant } from './merchants.ts';
import type { Order } from './server-process.ts';
import { Upstream } from './upstream.ts';
import { masterKey, openLedger, settleStepsMs } from './world.ts';

type Settings = Readonly<Record<string, string>>;

export interface FleetDependencies {
  /** Starts one more server process on the same data. */
  readonly start: (settings: Settings) => Promise<RunningServer>;
  /** Opens a pool on the servers' database, once the first of them runs. */
  readonly connect: () => Promise<Database>;
  /** The servers' timeout for a processor. */
  readonly processorTimeoutMs: number;
  /** The databases of the cells other than home, by name. */
  readonly cells?: ReadonlyMap<string, Database>;
  /** With `inside`, each server runs the simulated processors in its own process, as `npm start` does, and they die with it. */
  readonly simulators?: 'outside' | 'inside';
}

/** The first delay before a client without a response retries. */
const retryMs = 100;
const sendIntervalMs = 100;
/** How long, in real time, everything may take to reach its final state. */
const timeoutMs = 90_000;
const hourMs = 3_600_000;
/** After this many checks without progress, nothing more is expected at the current time of the clock. */
const idleLooks = 10;

type Asked = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** Adds the server's log lines to a response of 500. */
function logged({ what, printed }: { readonly what: string; readonly printed: RunningServer['printed'] }) {
  const [request = what] = /req_\w+/.exec(what) ?? [];
  const lines = printed()
    .err.split('\n')
    .filter((line) => line.includes(request));
  return internalError([what, ...lines].join('\n'));
}

/** Server processes. Processors, receivers and clients run in this process. Clients call the servers round robin. */
export class Fleet implements Service {
  readonly place: Place & { readonly clock: MovableClock };
  readonly servers: RunningServer[] = [];
  /** The maximum delay before a client without a response retries. */
  maxRetryMs = 2_000;
  /** The number of complete responses so far. */
  answered = 0;
  readonly #shops = new Map<Provider, Shop>();
  readonly #deps: FleetDependencies;
  readonly #settings: Settings;
  /** The responses of 500 since the last check, each with the output of its server. */
  readonly #unexpected: { readonly what: string; readonly printed: RunningServer['printed'] }[] = [];
  #requests = 0;

  private constructor(deps: FleetDependencies, place: Fleet['place'], settings: Settings) {
    this.#deps = deps;
    this.place = place;
    this.#settings = settings;
  }

  /** Starts the first server. */
  static async open(cleanUp: CleanUp, deps: FleetDependencies): Promise<Fleet> {
    let fleet: Fleet | undefined;
    const clock = new MovableClock();
    const upstreamOver = (ledger: Database) =>
      new Upstream({
        ledger,
        clock,
        keys: deriveKeys(masterKey, null),
        lateMs: deps.processorTimeoutMs * 1.5,
        deliver: async (request) => {
          if (fleet === undefined) throw new Error('nobody is there yet');
          return fleet.#deliver(request);
        },
      });
    const outside = deps.simulators === 'inside' ? undefined : upstreamOver(await openLedger(cleanUp));
    const receiver = new Receiver();
    const settings = {
      TILL_MASTER_KEY: masterKey.toString('base64'),
      TILL_RATE_LIMIT_RPS: '0',
      TILL_DATABASE_CONNECTIONS: '6',
      TILL_LOG_LEVEL: 'error',
      TILL_DISPUTES_API: 'on',
      TILL_PROCESSOR_TIMEOUT_MS: String(deps.processorTimeoutMs),
      TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
      ...(outside && { TILL_CRASH_UPSTREAM: await serveUpstream(outside, cleanUp) }),
    };
    const receiverUrl = await serveReceiver(receiver, cleanUp);
    const first = await deps.start({ ...settings, TILL_CRASH_SHIFT_MS: '0' });
    const db = await deps.connect();
    cleanUp.add(() => db.close());
    const masterKeys = deriveMasterKeys(masterKey, null);
    // Simulators inside the servers keep their ledger in the servers' database, and the servers send their notifications.
    const upstream = outside ?? upstreamOver(db);
    const databaseOf = presentCells(db, deps.cells ?? new Map());
    const place = { db, databaseOf, clock, masterKeys, upstream, receiver, receiverUrl };
    const opened = new Fleet(deps, place, settings);
    opened.servers.push(first);
    for (const processor of ['processor_a', 'processor_b'] as const) {
      opened.#shops.set(processor, await openShop(place, processor));
    }
    fleet = opened;
    if (outside !== undefined) cleanUp.add(opened.#keepSending());
    return opened;
  }

  get shops(): readonly Shop[] {
    return [...this.#shops.values()];
  }

  shopOf(processor: Provider): Shop {
    const shop = this.#shops.get(processor);
    if (shop === undefined) throw new Error(`there is no shop with ${processor}`);
    return shop;
  }

  /** Starts one more server. */
  async start(): Promise<void> {
    const shift = { TILL_CRASH_SHIFT_MS: String(this.place.clock.shiftMs) };
    this.servers.push(await this.#deps.start({ ...this.#settings, ...shift }));
  }

  /** Ends the oldest server. Clients call it until it has ended. @returns its exit code; null if it was killed */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const [server] = this.servers;
    if (server === undefined) throw new Error('no server runs');
    const code = await server.stop(signal);
    this.servers.shift();
    return code;
  }

  /** Moves the clock of all servers and simulators. */
  move(ms: number): void {
    this.place.clock.move(ms);
    const order: Order = { kind: 'clock', shiftMs: this.place.clock.shiftMs };
    for (const { process } of this.servers) if (process.connected) process.send(order);
  }

  send({ method, path, headers, body }: ApiRequest): Promise<Reply | undefined> {
    return this.#ask(path, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  }

  async visit(url: string): Promise<boolean> {
    const { pathname, search } = new URL(url);
    const reply = await this.#ask(`${pathname}${search}`, { method: 'GET', redirect: 'manual' });
    return reply !== undefined && reply.status < 500;
  }

  approve(redirectUrl: string): Promise<string | null> {
    return this.place.upstream.approve(redirectUrl);
  }

  dispute({ accountId, processor }: Shop, paymentId: string): Promise<void> {
    return this.place.upstream.dispute(processor, accountId, paymentId);
  }

  connect(shop: Shop, merchant: MerchantName): Promise<void> {
    return setMerchant(this.place, shop, merchant);
  }

  afterSilence(tries: number): Promise<void> {
    return this.later(tries);
  }

  /** Waits longer with each try, so that waiting clients do not keep the servers busy. */
  async later(tries: number): Promise<void> {
    await pause(Math.min(retryMs * 2 ** tries, this.maxRetryMs));
  }

  async pass(ms: number): Promise<void> {
    this.move(ms);
  }

  skip(ms: number): void {
    this.move(ms);
  }

  /** Moves the clock until nothing is unfinished. @throws Error if something never ends */
  async settle(): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (let look = 0; look < settleStepsMs.length || performance.now() < deadline; look += 1) {
      this.move(settleStepsMs[look] ?? hourMs);
      if (await this.#comesToRest()) return;
    }
    throw new Error(`never comes to an end: ${JSON.stringify(await this.#unfinished())}`);
  }

  /** Finds the faults of all shops and their clients. */
  async examine(clients: readonly Client[]): Promise<Finding[]> {
    const found = this.shops.map(async (shop) => {
      const own = clients.filter((client) => client.shop === shop);
      return findFaults(await gather(this.place, shop, own));
    });
    return [...(await Promise.all(found)).flat(), ...this.#unexpected.splice(0).map(logged)];
  }

  /** Waits as long as the amount of unfinished work decreases. */
  async #comesToRest(): Promise<boolean> {
    let min = Number.POSITIVE_INFINITY;
    for (let idle = 0; idle < idleLooks; idle += 1) {
      const left = await this.#unfinished();
      if (left.length === 0) return true;
      const count = left.flatMap((counts) => Object.values(counts)).reduce((sum, one) => sum + one, 0);
      if (count < min) idle = 0;
      min = Math.min(min, count);
      await pause(retryMs);
    }
    return false;
  }

  /** The unfinished work of the shops. Retries while the database is away. */
  async #unfinished(): Promise<Unfinished[]> {
    const look = async () => Promise.all(this.shops.map((shop) => unfinishedOf(this.place, shop)));
    const left = await until('the database answers', () => look().catch(() => undefined));
    return left.filter((counts) => !isFinished(counts));
  }

  async #ask(path: string, request: Asked): Promise<Reply | undefined> {
    this.#requests += 1;
    const server = this.servers[this.#requests % Math.max(1, this.servers.length)];
    if (server === undefined) return undefined;
    try {
      const { headers } = request;
      // The dashboard requires the origin of the server that is called.
      const own = headers?.origin === undefined ? headers : { ...headers, origin: server.baseUrl };
      const response = await fetch(`${server.baseUrl}${path}`, { ...request, ...(own && { headers: own }) });
      const location = response.headers.get('location') ?? undefined;
      const reply = { status: response.status, text: await response.text(), location };
      this.answered += 1;
      if (reply.status === 500) {
        const what = `${request.method} ${path}: ${reply.text}`;
        this.#unexpected.push({ what, printed: server.printed });
      }
      return reply;
    } catch {
      return undefined;
    }
  }

  async #deliver({ url, headers, body }: WireRequest): Promise<WireResponse> {
    const [server] = this.servers;
    if (server === undefined) throw new Error('no server runs');
    const address = `${server.baseUrl}${new URL(url).pathname}`;
    const response = await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) });
    return { status: response.status, headers: {}, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Sends the processors' notifications periodically. @returns a function that stops it */
  #keepSending(): () => Promise<void> {
    const stopping = new AbortController();
    const sending = (async () => {
      while (!stopping.signal.aborted) {
        await this.place.upstream.notify().catch(() => 0);
        await pause(sendIntervalMs);
      }
    })();
    return async () => {
      stopping.abort();
      await sending;
    };
  }
}
