import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { Client, type Service } from '../client.ts';
import type { Finding } from '../counters.ts';
import type { Fleet } from '../fleet.ts';
import type { Flow } from '../flows/flow.ts';
import { flows } from '../flows/flows.ts';
import type { Random } from '../random.ts';
import { faults } from '../upstream.ts';

/**
 * The flows for load. Flows that move the clock or switch the connection are tested elsewhere, because the clock and the
 * connection are shared by all programs.
 */
const mixed = flows.filter(
  ({ name }) => !/^(expiry|challenge that nobody confirms|change of connection) /.test(name),
);
/** The share of programs that give up when a request gets no response. */
const giveUpShare = 1 / 10;
/** The share of programs that repeat everything at the end. */
const repeatShare = 1 / 4;
/** The share of requests to processors that fail. */
const brokenExchanges = 0.15;
const quickFaults = faults.filter((fault) => fault !== 'slow');

class GaveUp extends Error {}

const giveUp = async () => {
  throw new GaveUp();
};

/** Wraps the service for a client that sends each request only once. */
const onlyOnce = (service: Service): Service => ({
  send: (request) => service.send(request),
  visit: (url) => service.visit(url),
  approve: (url) => service.approve(url),
  dispute: (shop, paymentId) => service.dispute(shop, paymentId),
  connect: (shop, merchant) => service.connect(shop, merchant),
  pass: (ms) => service.pass(ms),
  skip: (ms) => service.skip(ms),
  afterSilence: giveUp,
  later: giveUp,
});

/** Merchants' programs that pay, confirm, capture and refund without a pause until `stop` is called. */
export class Load {
  readonly clients: Client[] = [];
  readonly #fleet: Fleet;
  readonly #ended: Promise<unknown>;
  readonly #giveUpShare: number;
  /** Part of the idempotency keys, so that two loads on the same servers use different keys. */
  readonly #name: string;
  #stopping = false;

  /** @param isPatient whether all programs retry until they get a response */
  constructor(fleet: Fleet, random: Random, count: number, { isPatient = false } = {}) {
    this.#fleet = fleet;
    this.#giveUpShare = isPatient ? 0 : giveUpShare;
    this.#name = random.below(2 ** 32).toString(36);
    const programs = Array.from({ length: count }, (_value, number) => this.#program(number, random.fork()));
    this.#ended = Promise.all(programs);
    // An error is reported by `stop`.
    this.#ended.catch(() => {});
  }

  /** Stops the load after every program has finished its current flow. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#ended;
  }

  async #program(number: number, random: Random): Promise<void> {
    for (let round = 0; !this.#stopping; round += 1) {
      const flow = random.pick(mixed);
      const service = random.chance(this.#giveUpShare) ? onlyOnce(this.#fleet) : this.#fleet;
      const run = `load-${this.#name}-${number}-${round}`;
      const client = new Client(service, this.#fleet.shopOf(flow.processor), run);
      this.clients.push(client);
      await runOnce(flow, client);
      if (random.chance(repeatShare)) await runOnce(flow, client);
    }
  }
}

async function runOnce(flow: Flow, client: Client): Promise<void> {
  try {
    await flow.run(client, () => {});
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error;
  }
}

/** The result of a run under load. */
export interface LoadResult {
  readonly findings: readonly Finding[];
  readonly flows: number;
}

/** Ends the load, waits until everything has reached its final state, and finds the faults. */
export async function endLoad(fleet: Fleet, load: Load): Promise<LoadResult> {
  fleet.place.upstream.fault = () => undefined;
  const ended = new AbortController();
  const stopped = load.stop().finally(() => ended.abort());
  // It is awaited below. Until then an error must not count as unhandled.
  stopped.catch(() => {});
  // The moved clock shortens the wait for recovery.
  while (!ended.signal.aborted) {
    fleet.move(3_000);
    await pause(300);
  }
  await stopped;
  await fleet.settle();
  return { findings: await fleet.examine(load.clients), flows: load.clients.length };
}

/** A fault that is injected while the load runs. Resolves once the service can run again. */
export type Blow = (fleet: Fleet, random: Random) => Promise<void>;

/** Runs load and injects one fault after the other, each after a random amount of work. Moves the clock between them. */
export async function runLoad(
  fleet: Fleet,
  random: Random,
  { clients, blows }: { readonly clients: number; readonly blows: readonly Blow[] },
): Promise<LoadResult> {
  const drawn = random.fork();
  fleet.place.upstream.fault = () => (drawn.chance(brokenExchanges) ? drawn.pick(quickFaults) : undefined);
  const load = new Load(fleet, random.fork(), clients);
  for (const blow of blows) {
    const enough = fleet.answered + 1 + random.below(5 * clients);
    await until('the load gets answers', () => fleet.answered >= enough, 60_000);
    await blow(fleet, random);
    fleet.move(random.below(20_000));
  }
  return endLoad(fleet, load);
}
