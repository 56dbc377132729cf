import { setTimeout as pause } from 'node:timers/promises';
import { apiPost, type Shop } from '../crash/client.ts';
import type { Fleet } from '../crash/fleet.ts';
import { cardPayment } from '../support/card-payment.ts';

const intervalMs = 250;

/** Starts a payment every quarter of a second, each with a new idempotency key, and records when each was acknowledged. */
export class SteadyPayments {
  /** The ids of payments with a response of 201. */
  readonly acknowledged: string[] = [];
  /** The times of their responses, of a monotonic clock. */
  readonly #times: number[] = [performance.now()];
  /** The number of other responses by status; 0 stands for no response. */
  readonly refused = new Map<number, number>();
  readonly #fleet: Fleet;
  readonly #shop: Shop;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #open = new Set<Promise<void>>();

  constructor(fleet: Fleet, shop: Shop) {
    this.#fleet = fleet;
    this.#shop = shop;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#open);
  }

  /** The longest time in seconds without an acknowledged payment since `began`. */
  longestGapSince(began: number): number {
    const times = [began, ...this.#times.filter((at) => at >= began), performance.now()];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    return Math.max(...gaps) / 1000;
  }

  /** The seconds since the last acknowledged payment. */
  get silence(): number {
    return (performance.now() - (this.#times.at(-1) ?? 0)) / 1000;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#stopping.signal.aborted; number += 1) {
      const one: Promise<void> = this.#pay(number).finally(() => this.#open.delete(one));
      this.#open.add(one);
      await pause(intervalMs);
    }
  }

  async #pay(number: number): Promise<void> {
    const key = `steady-${number}`;
    const body = cardPayment({ reference: key, success_url: 'https://shop.example/ok' });
    const reply = await this.#fleet.send(apiPost(this.#shop, '/api/v1/payments', key, body));
    if (reply?.status === 201) {
      this.acknowledged.push((JSON.parse(reply.text) as { id: string }).id);
      this.#times.push(performance.now());
      return;
    }
    const status = reply?.status ?? 0;
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
  }
}
