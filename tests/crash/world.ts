import { setTimeout as pause } from 'node:timers/promises';
import { sandboxSchema } from '@till/sandbox';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { deriveKeys } from '../../packages/server/src/lib/keys.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrations/migrate.ts';
import { checkMasterKey, deriveMasterKeys } from '../../packages/server/src/vault/master-keys.ts';
import type { CleanUp } from '../support/clean-up.ts';
import { freshDatabase, migratedDatabase } from '../support/fresh-database.ts';
import type { ApiRequest, Reply, Service, Shop } from './client.ts';
import { MovableClock } from './clock.ts';
import { type Finding, internalError } from './counters.ts';
import { isFinished, type Place, Receiver, type Unfinished, unfinishedOf } from './evidence.ts';
import type { Failpoint, Fate } from './failpoints.ts';
import { Instance, type InstanceDependencies } from './instance.ts';
import { type MerchantName, merchantsOf, setMerchant } from './merchants.ts';
import { noPlant, type Plant } from './plants/plant.ts';
import { type Fault, Upstream } from './upstream.ts';

/** A fault of the processors. `call` is the number of the request to a processor, counted from the flow's `begin`. */
export interface Disturbance {
  readonly call: number;
  /** The fault of the request. With `outage`, both processors are away for two hours from then on. */
  readonly fault: Fault | 'outage';
}

/** When a client retries a request without a response: as soon as a server runs, or after recovery has done what it can. */
export const repeats = ['at once', 'late'] as const;
export type Repeat = (typeof repeats)[number];

export const masterKey = Buffer.alloc(32, 7);
/** The moves of the clock that cover all retries of open work: after 5 s, 40 s, 5 and 30 minutes, then hourly. */
export const settleStepsMs = [
  0,
  1_500,
  6_000,
  45_000,
  6 * 60_000,
  31 * 60_000,
  61 * 60_000,
  61 * 60_000,
  61 * 60_000,
];

/** Opens a small pool: the tests' PostgreSQL allows a hundred connections for all of them. */
export async function openPool(url: string): Promise<Database> {
  return openDatabase({ url, connections: 6, applicationName: 'crash test', onError: () => {} });
}

const outageMs = 2 * 3_600_000;
/** How long a client waits before a retry that the service asked for, normally and during an outage of the processors. */
const laterMs = { usually: 3_000, outage: 5 * 60_000 };

/** Opens a pool on a new database that only has the simulators' schema. */
export async function openLedger(cleanUp: CleanUp): Promise<Database> {
  const ledger = await openPool(await freshDatabase(cleanUp));
  cleanUp.add(() => ledger.close());
  await ledger.query({ text: sandboxSchema, scope: 'everybody' });
  return ledger;
}

/**
 * A server in this process that can end at any failpoint. The processors, the merchants' endpoints and the clock are outside it.
 * Requests after its end reach its successor.
 */
export class World implements Service {
  readonly place: Place & { readonly clock: MovableClock };
  /** The number of servers that ended or stalled. */
  deaths = 0;
  /** The number of requests to processors that failed. */
  broken = 0;
  repeat: Repeat = 'at once';
  /** The failpoint at which the next server ends. */
  second: Failpoint | undefined;
  disturbance: Disturbance | undefined;
  lagMs = 0;
  /** Whether a stalled server resumes soon, while its successor works; otherwise only when everything is settled. */
  isBriefStall = false;
  /** The responses of 500 since the last check. */
  readonly #unexpected: Finding[] = [];
  /** Servers that stall. */
  #stalled: Instance[] = [];
  #calls = 0;
  #awayUntil = 0;
  readonly #deps: InstanceDependencies;
  #instance: Instance;
  /** The shop whose records are to be settled. */
  #shop: Shop | undefined;
  /** Merchant accounts with notifications. Those of own connections are not received, but take effect at the processor. */
  #merchants: readonly (string | undefined)[] = [undefined];

  private constructor(deps: InstanceDependencies, clock: MovableClock, instance: Instance) {
    this.#deps = { ...deps, lag: () => this.lagMs };
    this.place = { ...deps, clock };
    this.#instance = instance;
    deps.upstream.fault = () => this.#faultOfNextCall();
  }

  static async open(
    cleanUp: CleanUp,
    { plant = noPlant, processorTimeoutMs = 600 }: { plant?: Plant; processorTimeoutMs?: number } = {},
  ): Promise<World> {
    const url = await migratedDatabase(cleanUp);
    const db = await openPool(url);
    cleanUp.add(() => db.close());
    const ledger = await openLedger(cleanUp);
    const clock = new MovableClock();
    await migrate(db, clock.now(), [sandboxSchema]);
    const keys = deriveKeys(masterKey, null);
    const masterKeys = deriveMasterKeys(masterKey, null);
    await checkMasterKey(db, masterKeys, clock.now());
    let world: World | undefined;
    const upstream = new Upstream({
      ledger,
      clock,
      keys,
      lateMs: processorTimeoutMs + 200,
      deliver: async (request) => {
        if (world === undefined) throw new Error('nobody is there yet');
        return world.#instance.notify(request);
      },
    });
    const settings = { DATABASE_URL: url, TILL_PROCESSOR_TIMEOUT_MS: String(processorTimeoutMs) };
    const config = readConfig(settings, process.cwd());
    const sides = { upstream, receiver: new Receiver(), receiverUrl: 'http://shop.invalid' };
    const place = { db, databaseOf: async () => db, clock, masterKeys, ...sides };
    const onUnexpected = (error: unknown) => {
      if (world !== undefined) world.#unexpected.push(internalError(error));
    };
    const deps = { ...place, config, keys, plant, lag: () => 0, onUnexpected };
    const opened = new World(deps, clock, await Instance.start(deps));
    world = opened;
    cleanUp.add(() => opened.#instance.stop());
    return opened;
  }

  /** Resets the counts of failpoints and calls. @param at the failpoint that ends or stalls the server; none if absent */
  begin(at?: Failpoint, fate?: Fate): void {
    this.#calls = 0;
    this.#instance.points.begin(at, fate);
  }

  /** Starts another server on the same data, which only the caller uses. */
  startBeside(): Promise<Instance> {
    return Instance.start(this.#deps);
  }

  passed(): ReadonlyMap<string, number> {
    return this.#instance.points.passed();
  }

  /** @param shop the shop that sends the following requests */
  serve(shop: Shop): void {
    this.#shop = shop;
    this.#awayUntil = 0;
    this.#merchants = [shop.accountId];
  }

  async send(request: ApiRequest): Promise<Reply | undefined> {
    const answer = this.#instance.send(request);
    await this.#passTimeDuring(answer);
    return answer;
  }

  visit(url: string): Promise<boolean> {
    return this.#instance.visit(url);
  }

  approve(redirectUrl: string): Promise<string | null> {
    return this.place.upstream.approve(redirectUrl);
  }

  dispute({ accountId, processor }: Shop, paymentId: string): Promise<void> {
    return this.place.upstream.dispute(processor, accountId, paymentId);
  }

  async connect(shop: Shop, merchant: MerchantName): Promise<void> {
    await setMerchant(this.place, shop, merchant);
    this.#merchants = merchantsOf(shop);
    do {
      await this.#revive();
      await this.#instance.refreshConnections();
    } while (this.#instance.isGone);
  }

  async afterSilence(): Promise<void> {
    await this.#revive();
    if (this.repeat === 'late') await this.settle();
  }

  later(): Promise<void> {
    return this.pass(this.#isAway() ? laterMs.outage : laterMs.usually);
  }

  async pass(ms: number): Promise<void> {
    this.skip(ms);
    await this.#workOnce();
  }

  skip(ms: number): void {
    this.place.clock.move(ms);
  }

  /** Takes the responses of 500 since the last call. */
  takeUnexpected(): Finding[] {
    return this.#unexpected.splice(0);
  }

  /** Moves the clock until the shop has no unfinished work. @returns the work that remains */
  async settle(): Promise<Unfinished | undefined> {
    let left: Unfinished | undefined;
    for (const ms of settleStepsMs) {
      await this.pass(ms);
      left = await this.#unfinished();
      if (left === undefined) return undefined;
    }
    return left;
  }

  #isAway(): boolean {
    return this.place.clock.now().getTime() < this.#awayUntil;
  }

  #faultOfNextCall(): Fault | undefined {
    this.#calls += 1;
    const { call, fault } = this.disturbance ?? {};
    if (call === this.#calls) {
      this.disturbance = undefined;
      this.broken += 1;
      if (fault !== 'outage') return fault;
      this.#awayUntil = this.place.clock.now().getTime() + outageMs;
    }
    if (!this.#isAway()) return undefined;
    return this.#calls % 2 === 0 ? 'unavailable' : 'drop lost';
  }

  /** Resumes stalled servers, and lets them finish. */
  async resume(): Promise<void> {
    for (const instance of this.#stalled.splice(0)) {
      instance.points.resume();
      while (!instance.isIdle) {
        this.place.clock.move(1_000);
        await pause(5);
      }
      await instance.kill();
    }
  }

  /**
   * Moves the clock while a request waits. The work of a stalled server is only free when its lease ends, and a payment whose
   * expiry is in doubt only some time after its processor is back. A request waits up to 25 seconds for that.
   */
  async #passTimeDuring(answer: Promise<unknown>): Promise<void> {
    if (this.#stalled.length === 0 && this.#awayUntil === 0) return;
    const ended = new AbortController();
    void answer.catch(() => {}).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      await pause(10);
      this.place.clock.move(1_000);
    }
  }

  async #revive(): Promise<void> {
    const instance = this.#instance;
    if (!instance.isGone) return;
    this.deaths += 1;
    if (instance.points.isOver) {
      await instance.kill();
    } else {
      this.#stalled.push(instance);
      if (this.isBriefStall) setTimeout(() => instance.points.resume(), this.lagMs);
    }
    this.#instance = await Instance.start(this.#deps);
    this.#instance.points.begin(this.second);
    this.second = undefined;
  }

  /** Does all due work, with as many servers as it takes. */
  async #workOnce(): Promise<void> {
    do {
      await this.#revive();
      for (const merchant of this.#merchants) if (!this.#isAway()) await this.place.upstream.notify(merchant);
      await this.#instance.work();
    } while (this.#instance.isGone);
  }

  /** The shop's unfinished work. Waits for work that begins or ends within a few milliseconds. */
  async #unfinished(): Promise<Unfinished | undefined> {
    if (this.#shop === undefined) return undefined;
    for (let looks = 1; ; looks += 1) {
      const left = await unfinishedOf(this.place, this.#shop);
      if (isFinished(left)) return undefined;
      const isLikelyToMove = left.unsent > 0 ? looks < 40 : looks < 3;
      if (!isLikelyToMove || this.#instance.isGone) return left;
      await pause(5);
    }
  }
}
