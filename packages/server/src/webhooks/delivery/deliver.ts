import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import { type AttemptDependencies, attemptDelivery } from './attempt.ts';
import { type ClaimedDelivery, DeliveryStore, type EndedAttempt } from './delivery-store.ts';
import { DeliveryLane, type LaneOptions } from './lane.ts';
import { SlowEndpoints } from './slow-endpoints.ts';
import { Suspects } from './suspects.ts';

/** Longer than an exchange may take, with time left to record it. */
const leaseMs = 30_000;
/**
 * How long, counted from its start, an attempt's failed record is retried. By then its lease is nearly over, and another
 * attempt follows.
 */
const recordMs = 25_000;
const recordRetryMs = 1000;
const defaultSweepMs = 1000;
/**
 * Limits of concurrent exchanges, most of which wait for their receiver. Endpoints that fail or are slow have slots of
 * their own, so that they delay no others.
 */
const quick = { slots: 768, perEndpoint: 48 };
const troubled = { slots: 256, perEndpoint: 2 };

export interface DeliverDependencies extends AttemptDependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** How often all endpoints are searched for due deliveries, in milliseconds. */
  readonly sweepMs?: number;
  /** Called with every attempt that was made and recorded. */
  readonly onAttempt: (attempt: EndedAttempt) => void;
  /** Called with a delivery that was parked because its attempts ended their process too often. */
  readonly onParked: (delivery: ClaimedDelivery) => void;
  readonly onIncident: (message: string, error: unknown) => void;
}

/**
 * Sends the deliveries of all accounts. A claim takes a lease on each delivery and counts the attempt before it begins. If
 * the process dies, the lease expires and another attempt follows, so every event is delivered at least once.
 */
export class DeliveryWorker {
  readonly #deps: DeliverDependencies;
  readonly #store: DeliveryStore;
  readonly #quick: DeliveryLane;
  readonly #troubled: DeliveryLane;
  readonly #suspects: Suspects;
  readonly #stopping = new AbortController();

  constructor(deps: DeliverDependencies) {
    this.#deps = deps;
    this.#store = new DeliveryStore(deps.db);
    this.#suspects = new Suspects((delivery) => this.#runSuspect(delivery), this.#stopping.signal);
    const common = {
      store: this.#store,
      clock: deps.clock,
      slow: new SlowEndpoints(),
      sweepMs: deps.sweepMs ?? defaultSweepMs,
      leaseMs,
      attempt: (delivery) => attemptDelivery(deps, delivery),
      record: (ended) => this.#record(ended),
      suspect: (delivery) => this.#suspects.add(delivery),
      onIncident: (error) => {
        deps.onIncident('sending webhooks failed', error);
      },
    } satisfies Partial<LaneOptions>;
    this.#quick = new DeliveryLane({ ...common, ...quick, troubled: false });
    this.#troubled = new DeliveryLane({ ...common, ...troubled, troubled: true });
  }

  /** Starts to send. @returns stops sending; resolves once the exchanges in flight are recorded */
  start(): () => Promise<void> {
    const stops = [this.#quick.start(), this.#troubled.start()];
    return async () => {
      this.#stopping.abort();
      await Promise.all(stops.map((stop) => stop()));
      await this.#suspects.ended();
    };
  }

  /** Announces that events of this account were committed, or that its deliveries are due again. */
  wake(accountId: string): void {
    this.#quick.wake(accountId);
  }

  /** Records an attempt. An attempt that cannot be recorded is repeated, and counts as if it had ended its process. */
  async #record(ended: EndedAttempt): Promise<void> {
    const { clock, onAttempt, onIncident } = this.#deps;
    const until = ended.startedAt.getTime() + recordMs;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#store.finish(ended);
        break;
      } catch (error) {
        if (this.#stopping.signal.aborted || clock.now().getTime() >= until) throw error;
        if (tries === 1) onIncident('an attempt could not be recorded yet', error);
        await clock.delay(recordRetryMs, this.#stopping.signal);
      }
    }
    onAttempt(ended);
  }

  async #runSuspect(delivery: ClaimedDelivery): Promise<void> {
    try {
      const now = this.#deps.clock.now();
      const begun = await this.#store.beginSuspect(delivery, new Date(now.getTime() + leaseMs));
      if (begun !== undefined) await this.#record(await attemptDelivery(this.#deps, begun));
      else if (await this.#store.park(delivery, now)) this.#deps.onParked(delivery);
    } catch (error) {
      this.#deps.onIncident('sending a suspect webhook failed', error);
    }
  }
}
