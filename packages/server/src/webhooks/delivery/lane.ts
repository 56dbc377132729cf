import type { Clock } from '../../lib/clock.ts';
import { ConcurrencyLimits } from './concurrency-limits.ts';
import type { ClaimedDelivery, ClaimLimits, DeliveryStore, EndedAttempt } from './delivery-store.ts';
import type { SlowEndpoints } from './slow-endpoints.ts';

/** Hints beyond this number are dropped: the next sweep finds the deliveries that they were about. */
const maxHints = 10_000;
const hintsPerClaim = 128;
const maxPerClaim = 96;

/** A claim waits until this share of all slots is free, so that it is worth its round trip. */
const worthClaiming = 1 / 32;
/**
 * One claim takes this share of the free slots, or the accounts of the claim would take the share of the accounts behind them.
 */
const claimShare = 1 / 4;
/**
 * The largest share that one account may hold of the slots that no other account holds: 64 of 768 if it is alone. The first
 * few busy accounts therefore cannot use up all slots, and no slot is reserved for accounts that have nothing to send.
 */
const accountShare = 1 / 12;

/** A constant reason saves creating an error that nobody reads. */
const wakeReason = 'woken';
/** The cursor before the first account. */
const start = '';

export interface LaneOptions {
  readonly store: Pick<DeliveryStore, 'claimHinted' | 'claimAny'>;
  readonly clock: Clock;
  readonly slow: SlowEndpoints;
  /** Whether this lane serves the troubled endpoints or all others (`ClaimLimits.troubled`). */
  readonly troubled: boolean;
  /** Maximum number of concurrent exchanges in all. */
  readonly slots: number;
  /** Maximum number of concurrent exchanges with one endpoint. */
  readonly perEndpoint: number;
  /** How often all endpoints are searched for due deliveries that no hint announced. */
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly attempt: (delivery: ClaimedDelivery) => Promise<EndedAttempt>;
  readonly record: (attempt: EndedAttempt) => Promise<void>;
  /** Takes over a delivery that may have crashed a process before. */
  readonly suspect: (delivery: ClaimedDelivery) => void;
  readonly onIncident: (error: unknown) => void;
}

/**
 * Sends due deliveries with bounded concurrency in all, per account and per endpoint. Accounts are served fairly: those with
 * new or further deliveries in the order in which that became known, and all others by sweeps in the order of their ids.
 */
export class DeliveryLane {
  readonly #options: LaneOptions;
  readonly #endpoints: ConcurrencyLimits;
  readonly #accounts = new ConcurrencyLimits((running, free) =>
    Math.max(1, Math.floor((free + running) * accountShare)),
  );
  /** Accounts that may have due deliveries. */
  readonly #hints = new Set<string>();
  readonly #stopping = new AbortController();
  #running = 0;
  /** Attempts that have ended and are being recorded. They occupy no slot, but too many of them stop further claims. */
  #recording = 0;
  #sweeping = true;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #cursor = start;
  #nextSource: 'hints' | 'sweep' = 'hints';
  /** Something new may be due, so the next claim does not wait until more slots are free. */
  #urgent = false;
  /** Something changed since the loop last looked. */
  #changed = false;
  #sleep = new AbortController();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#endpoints = new ConcurrencyLimits(() => options.perEndpoint);
  }

  /** Announces that a delivery of this account is due now. */
  wake(accountId: string): void {
    this.#urgent = true;
    this.#hint(accountId);
  }

  /** Starts to send. @returns stops claiming; resolves once the exchanges in flight are recorded */
  start(): () => Promise<void> {
    const ended = this.#run();
    return async () => {
      this.#stopping.abort();
      this.#wakeLoop();
      await ended;
    };
  }

  async #run(): Promise<void> {
    const { clock, sweepMs, onIncident } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#changed = false;
      try {
        if (!(await this.#claim())) await this.#rest();
      } catch (error) {
        onIncident(error);
        await clock.delay(sweepMs, signal);
      }
    }
    while (this.#running + this.#recording > 0) await this.#sleepFor(sweepMs);
  }

  /** Announces that a delivery of this account may be due. */
  #hint(accountId: string): void {
    if (this.#hints.size < maxHints) this.#hints.add(accountId);
    this.#wakeLoop();
  }

  #wakeLoop(): void {
    this.#changed = true;
    this.#sleep.abort(wakeReason);
  }

  async #sleepFor(ms: number): Promise<void> {
    this.#sleep = new AbortController();
    await this.#options.clock.delay(ms, this.#sleep.signal);
  }

  /** Sleeps until a hint comes, a slot becomes free, or the next sweep is due. */
  async #rest(): Promise<void> {
    const { clock, sweepMs } = this.#options;
    const left =
      this.#free() >= this.#options.slots * worthClaiming
        ? this.#sweptAt + sweepMs - clock.elapsed()
        : sweepMs;
    if (left > 0 && !this.#changed) await this.#sleepFor(left);
    if (!this.#sweeping && clock.elapsed() >= this.#sweptAt + sweepMs) {
      this.#sweeping = true;
      this.#cursor = start;
    }
  }

  #free(): number {
    const { slots } = this.#options;
    return this.#recording > slots ? 0 : slots - this.#running;
  }

  /** @returns whether it is worth looking again at once */
  async #claim(): Promise<boolean> {
    const free = this.#free();
    if (free <= 0 || (!this.#urgent && free < this.#options.slots * worthClaiming)) return false;
    const hinted = this.#hints.size > 0 && (this.#nextSource === 'hints' || !this.#sweeping);
    this.#nextSource = hinted ? 'sweep' : 'hints';
    if (hinted) await this.#claimHinted(free);
    else if (this.#sweeping) await this.#claimSwept(free);
    else return false;
    return true;
  }

  async #claimHinted(free: number): Promise<void> {
    const hints = [...this.#hints].slice(0, hintsPerClaim);
    this.#urgent = false;
    for (const accountId of hints) this.#hints.delete(accountId);
    const limits = this.#limits(free);
    const claimed = await this.#options.store.claimHinted(limits, hints);
    // The last accounts may have got nothing because no slots were left.
    if (claimed.length >= limits.max) {
      for (const accountId of hints) this.#hints.add(accountId);
    }
    this.#begin(claimed, limits);
    for (const accountId of hints)
      if (limits.accountLimits[accountId] === 0) this.#accounts.noteSaturated(accountId);
  }

  async #claimSwept(free: number): Promise<void> {
    if (this.#cursor === start) this.#sweptAt = this.#options.clock.elapsed();
    const limits = this.#limits(free);
    const claimed = await this.#options.store.claimAny(limits, this.#cursor);
    this.#sweeping = claimed.length >= limits.max;
    for (const { account_id } of claimed) if (account_id > this.#cursor) this.#cursor = account_id;
    // The last account may have got only some of its due deliveries, and the sweep resumes behind it.
    if (this.#sweeping) this.#hint(this.#cursor);
    this.#begin(claimed, limits);
  }

  #limits(free: number): ClaimLimits {
    const { clock, leaseMs, troubled, perEndpoint, slow } = this.#options;
    const now = clock.now();
    return {
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      troubled,
      max: Math.ceil(Math.min(free * claimShare, maxPerClaim)),
      perEndpoint,
      endpointLimits: this.#endpoints.remainingById(free),
      perAccount: this.#accounts.remaining(free),
      accountLimits: this.#accounts.remainingById(free),
      slow: slow.list(),
    };
  }

  #begin(claimed: readonly ClaimedDelivery[], limits: ClaimLimits): void {
    const endpoints = new Map<string, number>();
    const accounts = new Map<string, number>();
    for (const delivery of claimed) {
      endpoints.set(delivery.endpoint_id, (endpoints.get(delivery.endpoint_id) ?? 0) + 1);
      accounts.set(delivery.account_id, (accounts.get(delivery.account_id) ?? 0) + 1);
      if (delivery.crashes > 0) this.#options.suspect(delivery);
      else void this.#send(delivery);
    }
    for (const [id, count] of endpoints)
      if (count >= (limits.endpointLimits[id] ?? limits.perEndpoint)) this.#endpoints.noteSaturated(id);
    for (const [id, count] of accounts)
      if (count >= (limits.accountLimits[id] ?? limits.perAccount)) this.#accounts.noteSaturated(id);
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { account_id: accountId, endpoint_id: id } = delivery;
    this.#endpoints.begin(id);
    this.#accounts.begin(accountId);
    this.#running += 1;
    const ended = await this.#attempt(delivery);
    this.#options.slow.note(id, ended?.durationMs ?? 0);
    this.#running -= 1;
    const free = this.#free();
    const more = this.#endpoints.end(id, free);
    if (this.#accounts.end(accountId, free) || more) this.#hint(accountId);
    else this.#wakeLoop();
    if (ended !== undefined) await this.#record(ended);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<EndedAttempt | undefined> {
    try {
      return await this.#options.attempt(delivery);
    } catch (error) {
      this.#options.onIncident(error);
      return undefined;
    }
  }

  async #record(ended: EndedAttempt): Promise<void> {
    this.#recording += 1;
    await this.#options.record(ended).catch(this.#options.onIncident);
    this.#recording -= 1;
    this.#wakeLoop();
  }
}
